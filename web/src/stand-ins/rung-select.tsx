/** From which nudge on somebody is told: in words, with the moment where a task is known. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { Task } from '../api/client.ts';
import { useZone } from '../data/sync.ts';
import { forecastOptions, timelineOptions } from '../data/task-queries.ts';
import { formatMoment } from '../time/format.ts';
import { useNow } from '../time/now.ts';
import { Select } from '../ui/field.tsx';
import { countPassedRungs, momentOfRung } from './rungs.ts';
import { standInStrings } from './stand-in-strings.ts';

const { sheet: words, nth } = standInStrings;
const OFFERED_RUNGS = [0, 1, 2, 3, 4, 5, 6];

interface RungSelectProps {
  readonly value: number;
  readonly onChange: (rung: number) => void;
}

/** A rung that was chosen elsewhere is offered too. */
const offered = (value: number) => (OFFERED_RUNGS.includes(value) ? OFFERED_RUNGS : [...OFFERED_RUNGS, value]);

export function RungSelect({ value, onChange, name = nth }: RungSelectProps & { readonly name?: typeof nth }) {
  const isOfTask = name !== nth;
  return (
    <Select
      label={words.rung}
      hint={isOfTask ? words.both : words.rungHint}
      value={value}
      onChange={(event) => onChange(Number(event.target.value))}
    >
      {offered(value).map((rung) => (
        <option key={rung} value={rung}>
          {name(rung)}
        </option>
      ))}
    </Select>
  );
}

export function TaskRungSelect({ task, ...rest }: RungSelectProps & { readonly task: Task }) {
  const zone = useZone();
  const now = useNow();
  const { data: forecast = [] } = useQuery(forecastOptions(task.id));
  const { data: timeline } = useInfiniteQuery(timelineOptions(task.id));
  const passed = countPassedRungs(timeline?.pages.flatMap(({ entries }) => entries) ?? []);
  const name = (rung: number) => {
    if (rung < passed) return words.passed(rung);
    const at = momentOfRung(rung, passed, forecast);
    return at === undefined ? nth(rung) : words.option(rung, formatMoment(at, zone, now));
  };
  return <RungSelect {...rest} name={name} />;
}
