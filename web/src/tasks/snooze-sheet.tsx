import { type FormEvent, useState } from 'react';
import { addDays, formatIsoDate, parseWallTime, toInstant, toWallTime } from '../../../src/words/wall-time.ts';
import type { Task } from '../api/client.ts';
import { serviceNow } from '../api/service-clock.ts';
import { useSettings, useZone } from '../data/sync.ts';
import { actionOn, queueWithUndo, type TaskChange } from '../data/task-actions.ts';
import { type Held, heldAt } from '../holds/held.ts';
import { HeldChoice } from '../holds/held-note.tsx';
import { heldStrings as words } from '../holds/held-strings.ts';
import { useHolds } from '../holds/use-holds.ts';
import { screenStrings } from '../screen-strings.ts';
import { strings } from '../strings.ts';
import { formatMoment } from '../time/format.ts';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { Sheet } from '../ui/sheet.tsx';
import { snoozeChoices } from './snooze-choices.ts';

interface SnoozeSheetProps {
  readonly task: Task;
  readonly onClose: () => void;
}

export function SnoozeSheet({ task, onClose }: SnoozeSheetProps) {
  const isOwner = useSettings()?.id === task.owner_id;
  return (
    <SnoozeUntil
      mustNotMiss={task.break_quiet_hours}
      isOwner={isOwner}
      onSnooze={(snooze) => queueWithUndo(snooze.text ?? strings.task.confirmation.snooze(task.title), snooze.of(task))}
      onClose={onClose}
    />
  );
}

export interface Snooze {
  /** What happens to a task: it is snoozed, and rings in spite of holds if the person wants that. */
  readonly of: (task: Task) => readonly TaskChange[];
  /** Says when it rings, if it is held. */
  readonly text: string | undefined;
}

interface SnoozeUntilProps {
  readonly mustNotMiss: boolean;
  /** The holds of other people are not known. */
  readonly isOwner: boolean;
  readonly onSnooze: (snooze: Snooze) => void;
  readonly onClose: () => void;
}

export function SnoozeUntil({ mustNotMiss, isOwner, onSnooze, onClose }: SnoozeUntilProps) {
  const zone = useZone();
  const dayStart = useSettings()?.day_start ?? '09:00';
  const [now] = useState(serviceNow);
  const holds = useHolds();
  const heldFrom = (at: number) => (holds && isOwner ? heldAt(at, mustNotMiss, holds) : undefined);
  const snooze = (at: number, ringsAnyway = false) => {
    const held = ringsAnyway ? undefined : heldFrom(at);
    const moment = new Date(at).toISOString();
    onSnooze({
      of: (task) => [
        actionOn('snooze', task, moment),
        ...(ringsAnyway ? [{ kind: 'ring-anyway' as const, task, body: { at: moment } }] : []),
      ],
      text: held && words.snoozed(formatMoment(held.at, zone, now), held.by),
    });
    onClose();
  };
  return (
    <Sheet title={screenStrings.snooze.title} onClose={onClose}>
      <ul className="grid gap-1">
        {snoozeChoices(now, zone, dayStart).map(({ label, at }) => (
          <Choice key={label} label={label} at={at} now={now} zone={zone} held={heldFrom(at)} onSnooze={snooze} />
        ))}
      </ul>
      <CustomTime
        now={now}
        zone={zone}
        dayStart={dayStart}
        mustNotMiss={mustNotMiss}
        isOwner={isOwner}
        onSnooze={snooze}
      />
    </Sheet>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly at: number;
  readonly now: number;
  readonly zone: string;
  readonly held: Held | undefined;
  readonly onSnooze: (at: number, ringsAnyway?: boolean) => void;
}

const Choice = ({ label, at, now, zone, held, onSnooze }: ChoiceProps) => (
  <li>
    <button
      type="button"
      onClick={() => onSnooze(at)}
      className="flex min-h-12 w-full items-center justify-between gap-4 rounded-xl px-3 text-left transition hover:bg-sunk"
    >
      <span className="font-medium">{label}</span>
      <span className="text-right text-sm text-soft">{formatMoment(at, zone, now)}</span>
    </button>
    {held && (
      <p data-held className="flex flex-wrap items-center justify-between gap-x-3 px-3 pb-2 text-sm text-night-ink">
        {words.note(formatMoment(held.at, zone, now), held.by)}
        <button
          type="button"
          aria-label={words.ringAnywayAt(label)}
          onClick={() => onSnooze(at, true)}
          className="min-h-8 font-medium underline underline-offset-4"
        >
          {words.ringAnyway}
        </button>
      </p>
    )}
  </li>
);

interface CustomTimeProps {
  readonly now: number;
  readonly zone: string;
  readonly dayStart: string;
  readonly mustNotMiss: boolean;
  readonly isOwner: boolean;
  readonly onSnooze: (at: number, ringsAnyway?: boolean) => void;
}

function CustomTime({ now, zone, dayStart, mustNotMiss, isOwner, onSnooze }: CustomTimeProps) {
  const [date, setDate] = useState(() => formatIsoDate(addDays(toWallTime(now, zone), 1)));
  const [time, setTime] = useState(dayStart);
  const [problem, setProblem] = useState<string>();
  const [isOnce, setOnce] = useState(false);
  const wall = parseWallTime(date, time);
  const at = wall && toInstant(wall, zone);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (at === undefined || at <= serviceNow()) return setProblem(screenStrings.snooze.past);
    return onSnooze(at, isOnce);
  };
  return (
    <form onSubmit={submit} className="mt-4 border-t border-line pt-4">
      <h3 className="mb-3 text-lg">{screenStrings.snooze.own}</h3>
      <div className="grid gap-3 min-[26rem]:grid-cols-2">
        <Field
          label={screenStrings.snooze.date}
          type="date"
          value={date}
          onChange={(event) => setDate(event.target.value)}
        />
        <Field
          label={screenStrings.snooze.time}
          type="time"
          value={time}
          problem={problem}
          onChange={(event) => setTime(event.target.value)}
        />
      </div>
      {at !== undefined && at > now && isOwner && (
        <div className="mt-3 empty:hidden">
          <HeldChoice at={at} mustNotMiss={mustNotMiss} isOnce={isOnce} onOnce={setOnce} />
        </div>
      )}
      <Button type="submit" variant="primary" className="mt-4 w-full">
        {screenStrings.snooze.set}
      </Button>
    </form>
  );
}
