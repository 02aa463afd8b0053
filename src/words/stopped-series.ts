/** Counts how often a rule of hours or minutes fires until its end: "every 15 minutes until 6pm". */
import { type Recurrence, stepMinutes } from './recurrence.ts';
import { toInstant, toWallTime, type WallTime } from './wall-time.ts';

/** The service accepts no higher one. */
export const MAX_COUNT = 10_000;

interface Span {
  readonly start: WallTime | undefined;
  readonly end: number;
  readonly now: number;
  readonly zone: string;
}

export function stoppedSeries(rule: Recurrence, { start, end, now, zone }: Span): { rule: Recurrence; due: WallTime } {
  const step = stepMinutes(rule) * 60_000;
  if (start) {
    const steps = Math.floor((end - toInstant(start, zone)) / step);
    return { rule: { ...rule, count: Math.min(steps + 1, MAX_COUNT) }, due: start };
  }
  // Counted back from the end, so that the last one is there and the first within one step from now.
  const count = Math.min(Math.ceil((end - now) / step), MAX_COUNT);
  return { rule: { ...rule, count }, due: toWallTime(end - (count - 1) * step, zone) };
}
