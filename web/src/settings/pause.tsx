import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api, type Settings, unwrap } from '../api/client.ts';
import { problemText } from '../api/problem.ts';
import { serviceNow } from '../api/service-clock.ts';
import { mergeSettings, refresh } from '../data/sync.ts';
import { showToast } from '../data/toast.ts';
import { strings } from '../strings.ts';
import { formatMoment } from '../time/format.ts';
import { addDays, formatIsoDate, parseWallTime, toIsoString, toWallTime } from '../time/wall-time.ts';
import { Button } from '../ui/button.tsx';
import { Field, Note, Switch } from '../ui/field.tsx';
import { Section } from '../ui/section.tsx';

const { settings: words } = strings;

export function Pause({ settings }: { readonly settings: Settings }) {
  const zone = settings.timezone;
  const [date, setDate] = useState(() => formatIsoDate(addDays(toWallTime(serviceNow(), zone), 1)));
  const [time, setTime] = useState(settings.day_start);
  const [keepMustNotMiss, setKeepMustNotMiss] = useState(settings.keep_must_not_miss);
  const apply = (after: Settings) => {
    mergeSettings(after);
    void refresh();
  };
  const begin = useMutation({
    mutationFn: (until: string) =>
      unwrap(api.POST('/v1/me/pause', { body: { until, keep_must_not_miss: keepMustNotMiss } })),
    onSuccess: (after) => {
      apply(after);
      if (after.paused_until) showToast(words.pauseStarted(formatMoment(after.paused_until, zone, serviceNow())));
    },
  });
  const end = useMutation({
    mutationFn: () => unwrap(api.DELETE('/v1/me/pause')),
    onSuccess: (after) => {
      apply(after);
      showToast(words.pauseEnded);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const wall = parseWallTime(date, time);
    if (wall) begin.mutate(toIsoString(wall, zone));
  };
  const problem = begin.error ?? end.error;
  return (
    <Section title={words.pause} lead={words.pauseLead} anchor="pause">
      {settings.paused_until && (
        <div className="mb-5 flex flex-wrap items-center justify-between gap-3 rounded-xl bg-night px-4 py-3 text-night-ink">
          <p className="font-medium">{words.pausedUntil(formatMoment(settings.paused_until, zone, serviceNow()))}</p>
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
        <Switch label={words.pauseKeep} checked={keepMustNotMiss} onChange={setKeepMustNotMiss} />
        {problem && <Note tone="danger">{problemText(problem)}</Note>}
        <div>
          <Button type="submit" icon="pause" busy={begin.isPending}>
            {settings.paused_until ? words.pauseChange : words.pauseStart}
          </Button>
        </div>
      </form>
    </Section>
  );
}
