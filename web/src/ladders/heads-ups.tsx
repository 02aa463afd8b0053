/** The heads-ups of a task: minutes, hours or days before it is due. Its owner adds and removes them. */
import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { HeadsUp, Task } from '../api/client.ts';
import { problemText } from '../api/problem.ts';
import { strings } from '../strings.ts';
import { Button } from '../ui/button.tsx';
import { Note } from '../ui/field.tsx';
import { Icon } from '../ui/icons.tsx';
import type { WaitUnit } from './format-ladder.ts';
import { headsUpsOptions, setHeadsUps } from './ladder-queries.ts';
import { ladderStrings } from './ladder-strings.ts';

const { headsUps: words } = ladderStrings;
const UNITS = ['minutes', 'hours', 'days'] as const;
/** What the service takes. Zero days is the morning of the day. */
const MOST: Readonly<Record<WaitUnit, number>> = { minutes: 1_440, hours: 168, days: 30 };
const FEWEST: Readonly<Record<WaitUnit, number>> = { minutes: 1, hours: 1, days: 0 };

export function HeadsUps({ task, mayChange }: { readonly task: Task; readonly mayChange: boolean }) {
  const { data } = useQuery(headsUpsOptions(task.id));
  const { mutate, isPending, error } = useMutation({
    mutationFn: (list: readonly HeadsUp[]) => setHeadsUps(task.id, list),
  });
  const known = task.lead_time_days === null ? [] : [{ days: task.lead_time_days }];
  const all: readonly HeadsUp[] = data?.heads_ups ?? known;
  const without = (removed: HeadsUp) => all.filter((one) => one !== removed);
  return (
    <div className="mt-4 border-t border-line pt-4">
      <h3 className="mb-2 text-base">{words.title}</h3>
      {all.length === 0 && <p className="mb-2 text-sm text-soft">{words.none}</p>}
      <ul className="mb-2 flex flex-wrap gap-2 empty:hidden">
        {all.map((one) => (
          <li
            key={formatHeadsUp(one)}
            className="inline-flex min-h-11 items-center gap-1 rounded-xl border border-line pr-1 pl-3 text-sm"
          >
            {formatHeadsUp(one)}
            {mayChange ? (
              <button
                type="button"
                aria-label={words.remove(formatHeadsUp(one))}
                disabled={isPending || !data}
                onClick={() => mutate(without(one))}
                className="grid size-9 place-items-center rounded-full text-soft hover:bg-sunk hover:text-ink"
              >
                <Icon name="close" className="size-4" />
              </button>
            ) : (
              <span className="w-2" />
            )}
          </li>
        ))}
      </ul>
      {error && <Note tone="danger">{problemText(error)}</Note>}
      {mayChange && data && <AddHeadsUp isBusy={isPending} onAdd={(added) => mutate([...all, added])} />}
    </div>
  );
}

function formatHeadsUp({ minutes, hours, days }: HeadsUp): string {
  if (minutes !== undefined) return words.before(strings.time.minutes(minutes));
  if (hours !== undefined) return words.before(strings.time.hours(hours));
  return days === 0 || days === undefined ? words.morning : words.before(strings.time.days(days));
}

function AddHeadsUp({ isBusy, onAdd }: { readonly isBusy: boolean; readonly onAdd: (added: HeadsUp) => void }) {
  const [count, setCount] = useState('30');
  const [unit, setUnit] = useState<WaitUnit>('minutes');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const number = Math.round(Number(count)) || 0;
    onAdd({ [unit]: Math.min(MOST[unit], Math.max(FEWEST[unit], number)) });
  };
  return (
    <form onSubmit={submit} noValidate className="flex flex-wrap gap-2">
      <input
        className="field w-20!"
        type="number"
        inputMode="numeric"
        min={FEWEST[unit]}
        max={MOST[unit]}
        aria-label={words.count}
        value={count}
        onChange={(event) => setCount(event.target.value)}
      />
      <select
        className="field w-auto! min-w-0"
        aria-label={words.unit}
        value={unit}
        onChange={(event) => setUnit(event.target.value as WaitUnit)}
      >
        {UNITS.map((one) => (
          <option key={one} value={one}>
            {words.units[one]}
          </option>
        ))}
      </select>
      <Button type="submit" busy={isBusy}>
        {words.add}
      </Button>
    </form>
  );
}
