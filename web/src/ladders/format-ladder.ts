/** Ladders in words: their names, and what they do. Pure, but for the clock that the person reads. */
import type { LadderBook, LadderChoice, TaskLadder } from '../api/client.ts';
import { formatClock } from '../time/format.ts';
import { ladderStrings } from './ladder-strings.ts';

const { inWords: words, presets } = ladderStrings;

export type LadderShape = Pick<TaskLadder, 'rungs' | 'end'>;
type After = LadderShape['rungs'][number]['after'];

export type WaitUnit = 'minutes' | 'hours' | 'days';
export const UNIT_MINUTES: Readonly<Record<WaitUnit, number>> = { minutes: 1, hours: 60, days: 1_440 };

/** In the largest unit that it is whole in: 90 minutes, 2 hours, 3 days. */
export function splitWait(minutes: number): { readonly count: number; readonly unit: WaitUnit } {
  const unit =
    (['days', 'hours'] as const).find((one) => minutes > 0 && minutes % UNIT_MINUTES[one] === 0) ?? 'minutes';
  return { count: minutes / UNIT_MINUTES[unit], unit };
}

const formatWait = (minutes: number): string => {
  const { count, unit } = splitWait(minutes);
  return words[unit](count);
};

const formatMomentOfDay = (after: string): string => (after === 'day_start' ? words.dayStart : formatClock(after));

const formatOnce = (after: After): string =>
  typeof after === 'number' ? words.later(formatWait(after)) : words.nextDay(formatMomentOfDay(after));

function formatEvery(after: After): string {
  if (typeof after !== 'number') return words.everyDay(formatMomentOfDay(after));
  const { count, unit } = splitWait(after);
  return words.every(count === 1 ? words.one[unit] : formatWait(after));
}

/** "When due, 4 times every 15 minutes, then every hour." */
export function formatLadder({ rungs, end }: LadderShape): string {
  const waits = rungs.slice(1).map(({ after }) => after);
  const repeated = end?.repeat_last === 1 ? waits.at(-1) : undefined;
  // What repeats is said at the end, with the same waits before it.
  while (
    repeated !== undefined &&
    waits.at(-1) === repeated &&
    (end?.times === null || waits.length === rungs.length - 1)
  )
    waits.pop();
  return `${[words.due, ...groupEqual(waits).map(formatGroup), formatEnd(end, repeated)].join(', ')}.`;
}

function groupEqual(waits: readonly After[]): { readonly after: After; readonly count: number }[] {
  const groups: { after: After; count: number }[] = [];
  for (const after of waits) {
    const last = groups.at(-1);
    if (last?.after === after) last.count += 1;
    else groups.push({ after, count: 1 });
  }
  return groups;
}

const formatGroup = ({ after, count }: { readonly after: After; readonly count: number }): string =>
  count === 1 ? formatOnce(after) : words.several(count, formatEvery(after));

function formatEnd(end: LadderShape['end'], repeated: After | undefined): string {
  if (end === null) return words.stops;
  const { repeat_last, times } = end;
  if (repeated === undefined) return times === null ? words.lastAgain(repeat_last) : words.lastMore(repeat_last, times);
  const every = formatEvery(repeated);
  // The rung itself comes first, and then so many times again.
  return times === null ? words.goesOn(every) : words.more(every, times + 1);
}

/** The name of what was chosen; undefined if its ladder was deleted. */
export function nameOfChoice({ preset, ladder_id }: LadderChoice, { ladders }: Pick<LadderBook, 'ladders'>) {
  return preset === undefined ? ladders.find(({ id }) => id === ladder_id)?.name : presets[preset];
}

export const nameOfLadder = ({ name, preset }: Pick<TaskLadder, 'name' | 'preset'>): string =>
  name ?? (preset === null ? ladderStrings.unnamed : presets[preset]);
