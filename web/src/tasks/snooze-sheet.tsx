import { type FormEvent, useState } from 'react';
import { addDays, formatIsoDate, parseWallTime, toInstant, toWallTime } from '../../../src/words/wall-time.ts';
import type { Task } from '../api/client.ts';
import { serviceNow } from '../api/service-clock.ts';
import { useSettings, useZone } from '../data/sync.ts';
import { act } from '../data/task-actions.ts';
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

export const SnoozeSheet = ({ task, onClose }: SnoozeSheetProps) => (
  <SnoozeUntil onSnooze={(until) => act('snooze', task, until)} onClose={onClose} />
);

interface SnoozeUntilProps {
  readonly onSnooze: (until: string) => void;
  readonly onClose: () => void;
}

export function SnoozeUntil({ onSnooze, onClose }: SnoozeUntilProps) {
  const zone = useZone();
  const dayStart = useSettings()?.day_start ?? '09:00';
  const [now] = useState(serviceNow);
  const snooze = (at: number) => {
    onSnooze(new Date(at).toISOString());
    onClose();
  };
  return (
    <Sheet title={strings.snooze.title} onClose={onClose}>
      <ul className="grid gap-1">
        {snoozeChoices(now, zone, dayStart).map(({ label, at }) => (
          <li key={label}>
            <button
              type="button"
              onClick={() => snooze(at)}
              className="flex min-h-12 w-full items-center justify-between gap-4 rounded-xl px-3 text-left transition hover:bg-sunk"
            >
              <span className="font-medium">{label}</span>
              <span className="text-sm text-soft">{formatMoment(at, zone, now)}</span>
            </button>
          </li>
        ))}
      </ul>
      <CustomTime now={now} zone={zone} dayStart={dayStart} onSnooze={snooze} />
    </Sheet>
  );
}

interface CustomTimeProps {
  readonly now: number;
  readonly zone: string;
  readonly dayStart: string;
  readonly onSnooze: (at: number) => void;
}

function CustomTime({ now, zone, dayStart, onSnooze }: CustomTimeProps) {
  const [date, setDate] = useState(() => formatIsoDate(addDays(toWallTime(now, zone), 1)));
  const [time, setTime] = useState(dayStart);
  const [problem, setProblem] = useState<string>();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const wall = parseWallTime(date, time);
    const at = wall && toInstant(wall, zone);
    if (at === undefined || at <= serviceNow()) return setProblem(strings.snooze.past);
    return onSnooze(at);
  };
  return (
    <form onSubmit={submit} className="mt-4 border-t border-line pt-4">
      <h3 className="mb-3 text-lg">{strings.snooze.own}</h3>
      <div className="grid gap-3 min-[26rem]:grid-cols-2">
        <Field label={strings.snooze.date} type="date" value={date} onChange={(event) => setDate(event.target.value)} />
        <Field
          label={strings.snooze.time}
          type="time"
          value={time}
          problem={problem}
          onChange={(event) => setTime(event.target.value)}
        />
      </div>
      <Button type="submit" variant="primary" className="mt-4 w-full">
        {strings.snooze.set}
      </Button>
    </form>
  );
}
