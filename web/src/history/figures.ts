/** Counts outcomes for the charts. Pure. */

import { addDays, daysBetween, toInstant, toWallTime, type WallTime, weekdayOf } from '../../../src/words/wall-time.ts';
import type { Outcome } from '../api/client.ts';

export interface Week {
  /** The start of its first day. */
  readonly start: number;
  readonly done: number;
  readonly skipped: number;
}

const WEEKS = 12;
const MINUTE_MS = 60_000;
/** The upper bounds of the delay bins, in minutes after the task was due. */
const DELAY_BIN_ENDS = [0, 15, 60, 240, 1_440, Number.POSITIVE_INFINITY];

/** `first`: 1 for Monday to 7 for Sunday. */
export function countByWeek(outcomes: readonly Outcome[], now: number, zone: string, first = 1): Week[] {
  const thisWeek = weekOf(toWallTime(now, zone), first);
  const weeks = Array.from({ length: WEEKS }, (_, index) => {
    const start = addDays(thisWeek, -7 * (WEEKS - 1 - index));
    return { start: toInstant({ ...start, hour: 0, minute: 0 }, zone), done: 0, skipped: 0 };
  });
  for (const { recorded_at, outcome } of outcomes) {
    const distance = daysBetween(weekOf(toWallTime(Date.parse(recorded_at), zone), first), thisWeek) / 7;
    const week = weeks[WEEKS - 1 - distance];
    if (week) week[outcome === 'done' ? 'done' : 'skipped'] += 1;
  }
  return weeks;
}

const weekOf = (wall: WallTime, first: number) => addDays(wall, -((weekdayOf(wall) - first + 7) % 7));

/** How many tasks were done before they were due, within 15 minutes, within an hour, and so on. */
export function countByDelay(outcomes: readonly Outcome[]): number[] {
  const bins = DELAY_BIN_ENDS.map(() => 0);
  for (const { outcome, occurrence_due_at, recorded_at } of outcomes) {
    if (outcome !== 'done' || occurrence_due_at === null) continue;
    const minutes = (Date.parse(recorded_at) - Date.parse(occurrence_due_at)) / MINUTE_MS;
    const bin = DELAY_BIN_ENDS.findIndex((end) => minutes <= end);
    bins[bin] = (bins[bin] ?? 0) + 1;
  }
  return bins;
}
