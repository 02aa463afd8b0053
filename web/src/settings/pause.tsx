import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api, read, type Settings } from '../api/client.ts';
import { wordsOf } from '../api/problem.ts';
import { mergeSettings, refresh } from '../data/sync.ts';
import { strings } from '../strings.ts';
import { momentWords } from '../time/words.ts';
import { addDays, dateText, isoOf, wallFrom, wallOf } from '../time/zone.ts';
import { Button } from '../ui/button.tsx';
import { Field, Note, Switch } from '../ui/field.tsx';
import { Section } from '../ui/section.tsx';
import { say } from '../ui/toast.tsx';

const { settings: words } = strings;

export function Pause({ settings }: { readonly settings: Settings }) {
  const zone = settings.timezone;
  const [date, setDate] = useState(() => dateText(addDays(wallOf(Date.now(), zone), 1)));
  const [time, setTime] = useState(settings.day_start);
  const [keep, setKeep] = useState(settings.keep_must_not_miss);
  const changed = (after: Settings) => {
    mergeSettings(after);
    void refresh();
  };
  const begin = useMutation({
    mutationFn: (until: string) => read(api.POST('/v1/me/pause', { body: { until, keep_must_not_miss: keep } })),
    onSuccess: (after) => {
      changed(after);
      if (after.paused_until) say(words.pauseStarted(momentWords(after.paused_until, zone, Date.now())));
    },
  });
  const end = useMutation({
    mutationFn: () => read(api.DELETE('/v1/me/pause')),
    onSuccess: (after) => {
      changed(after);
      say(words.pauseEnded);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const wall = wallFrom(date, time);
    if (wall) begin.mutate(isoOf(wall, zone));
  };
  const problem = begin.error ?? end.error;
  return (
    <Section title={words.pause} lead={words.pauseLead} anchor="pause">
      {settings.paused_until && (
        <div className="mb-5 flex flex-wrap items-center justify-between gap-3 rounded-xl bg-night px-4 py-3 text-night-ink">
          <p className="font-medium">{words.pausedUntil(momentWords(settings.paused_until, zone, Date.now()))}</p>
          <Button busy={end.isPending} onClick={() => end.mutate()}>
            {words.pauseEnd}
          </Button>
        </div>
      )}
      <form onSubmit={submit} className="grid gap-4">
        <div className="grid gap-3 min-[26rem]:grid-cols-2">
          <Field
            label={words.pauseUntil}
            type="date"
            required
            value={date}
            onChange={(event) => setDate(event.target.value)}
          />
          <Field
            label={words.pauseTime}
            type="time"
            required
            value={time}
            onChange={(event) => setTime(event.target.value)}
          />
        </div>
        <Switch label={words.pauseKeep} checked={keep} onChange={setKeep} />
        {problem && <Note tone="danger">{wordsOf(problem)}</Note>}
        <div>
          <Button type="submit" icon="pause" busy={begin.isPending}>
            {settings.paused_until ? words.pauseChange : words.pauseStart}
          </Button>
        </div>
      </form>
    </Section>
  );
}
