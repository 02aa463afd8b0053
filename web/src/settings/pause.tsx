import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { api, type Settings, unwrap } from '../api/client.ts';
import { problemText } from '../api/problem.ts';
import { serviceNow } from '../api/service-clock.ts';
import { plannedPauseOptions } from '../data/planned-pause.ts';
import { mergeSettings, refresh } from '../data/sync.ts';
import { showToast } from '../data/toast.ts';
import { screenStrings } from '../screen-strings.ts';
import { formatMoment } from '../time/format.ts';
import { Button } from '../ui/button.tsx';
import { Field, Note, Switch } from '../ui/field.tsx';
import { Section } from '../ui/section.tsx';
import { dateInDays, isBackwards, type PauseMoment, type PauseToStart, pauseOf, withLater } from './pause-form.ts';

const { settings: words } = screenStrings;

export function Pause({ settings }: { readonly settings: Settings }) {
  const zone = settings.timezone;
  const planned = useQuery(plannedPauseOptions).data?.planned_pause;
  const tell = (instant: string) => formatMoment(instant, zone, serviceNow());
  const end = useMutation({
    mutationFn: () => unwrap(api.DELETE('/v1/me/pause')),
    onSuccess: (after) => {
      mergeSettings(after);
      showToast(words.pauseEnded);
      return refresh();
    },
  });
  const cancel = useMutation({
    mutationFn: () => unwrap(api.DELETE('/v1/me/pause/planned')),
    onSuccess: () => {
      showToast(words.pauseCancelled);
      return refresh();
    },
  });
  const problem = end.error ?? cancel.error;
  return (
    <Section title={words.pause} lead={words.pauseLead} anchor="pause">
      {settings.paused_until && (
        <Stop text={words.pausedUntil(tell(settings.paused_until))}>
          <Button busy={end.isPending} onClick={() => end.mutate()}>
            {words.pauseEnd}
          </Button>
        </Stop>
      )}
      {planned && (
        <Stop text={words.pausePlanned(tell(planned.from), tell(planned.until))}>
          <Button busy={cancel.isPending} onClick={() => cancel.mutate()}>
            {words.pauseCancel}
          </Button>
        </Stop>
      )}
      {problem && <Note tone="danger">{problemText(problem)}</Note>}
      <PauseForm settings={settings} isPlanned={Boolean(planned)} />
    </Section>
  );
}

/** A pause that runs or is planned, with the button that undoes it. */
function Stop({ text, children }: { readonly text: string; readonly children: ReactNode }) {
  return (
    <div className="mb-5 flex flex-wrap items-center justify-between gap-3 rounded-xl bg-night px-4 py-3 text-night-ink">
      <p className="font-medium">{text}</p>
      {children}
    </div>
  );
}

function PauseForm({ settings, isPlanned }: { readonly settings: Settings; readonly isPlanned: boolean }) {
  const zone = settings.timezone;
  const inDays = (days: number) => dateInDays(serviceNow(), zone, days);
  const [fields, setFields] = useState(() => {
    const tomorrow = { date: inDays(1), time: settings.day_start };
    return { isLater: false, start: tomorrow, finish: tomorrow };
  });
  const { isLater, start, finish } = fields;
  const [keepMustNotMiss, setKeepMustNotMiss] = useState(settings.keep_must_not_miss);
  const begin = useMutation({
    mutationFn: async ({ from, until }: PauseToStart) => {
      const body = { until, keep_must_not_miss: keepMustNotMiss };
      if (from === undefined) mergeSettings(await unwrap(api.POST('/v1/me/pause', { body })));
      else await unwrap(api.PUT('/v1/me/pause/planned', { body: { from, ...body } }));
    },
    onSuccess: (_, { from, until }) => {
      const tell = (instant: string) => formatMoment(instant, zone, serviceNow());
      showToast(from === undefined ? words.pauseStarted(tell(until)) : words.pausePlannedShort(tell(from)));
      return refresh();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const pause = pauseOf(fields, zone);
    if (pause) begin.mutate(pause);
  };
  const startsNow = settings.paused_until ? words.pauseChange : words.pauseStart;
  const plans = isPlanned ? words.pausePlanAnew : words.pausePlan;
  return (
    <form onSubmit={submit} className="grid gap-4">
      <Switch
        label={words.pauseLater}
        checked={isLater}
        onChange={(later) => setFields(withLater(fields, later, inDays))}
      />
      {isLater && (
        <MomentFields
          label={words.pauseFrom}
          timeLabel={words.pauseFromTime}
          value={start}
          onChange={(value) => setFields({ ...fields, start: value })}
        />
      )}
      <MomentFields
        label={words.pauseUntil}
        timeLabel={words.pauseTime}
        value={finish}
        problem={isBackwards(fields) ? words.pauseBackwards : undefined}
        onChange={(value) => setFields({ ...fields, finish: value })}
      />
      <Switch label={words.pauseKeep} checked={keepMustNotMiss} onChange={setKeepMustNotMiss} />
      {begin.error && <Note tone="danger">{problemText(begin.error)}</Note>}
      <div>
        <Button type="submit" icon="pause" busy={begin.isPending}>
          {isLater ? plans : startsNow}
        </Button>
      </div>
    </form>
  );
}

interface MomentFieldsProps {
  readonly label: string;
  readonly timeLabel: string;
  readonly value: PauseMoment;
  readonly problem?: string | undefined;
  readonly onChange: (value: PauseMoment) => void;
}

const MomentFields = ({ label, timeLabel, value, problem, onChange }: MomentFieldsProps) => (
  <div className="grid min-w-0 gap-3 min-[26rem]:grid-cols-2">
    <Field
      label={label}
      type="date"
      required
      value={value.date}
      problem={problem}
      onChange={(event) => onChange({ ...value, date: event.target.value })}
    />
    <Field
      label={timeLabel}
      type="time"
      required
      value={value.time}
      onChange={(event) => onChange({ ...value, time: event.target.value })}
    />
  </div>
);
