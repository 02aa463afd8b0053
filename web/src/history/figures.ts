/** Figures for the charts, from the list of outcomes. Pure. */
import type { Outcome } from '../api/client.ts';
import { addDays, daysBetween, instantOf, type Wall, wallOf, weekdayOf } from '../time/zone.ts';

export interface Week {
  /** The instant at which its Monday begins. */
  readonly start: number;
  readonly done: number;
  readonly skipped: number;
}

const WEEKS = 12;
const MINUTE_MS = 60_000;
/** The upper ends of the bins of delay, in minutes after due. */
const DELAY_ENDS = [0, 15, 60, 240, 1_440, Number.POSITIVE_INFINITY];

export function byWeek(outcomes: readonly Outcome[], now: number, zone: string): Week[] {
  const monday = mondayOf(wallOf(now, zone));
  const weeks = Array.from({ length: WEEKS }, (_, index) => {
    const start = addDays(monday, -7 * (WEEKS - 1 - index));
    return { start: instantOf({ ...start, hour: 0, minute: 0 }, zone), done: 0, skipped: 0 };
  });
  for (const { recorded_at, outcome } of outcomes) {
    const distance = daysBetween(mondayOf(wallOf(Date.parse(recorded_at), zone)), monday) / 7;
    const week = weeks[WEEKS - 1 - distance];
    if (week) week[outcome === 'done' ? 'done' : 'skipped'] += 1;
  }
  return weeks;
}

const mondayOf = (wall: Wall) => addDays(wall, 1 - weekdayOf(wall));

/** How many were done before due, within a quarter of an hour, and so on. */
export function byDelay(outcomes: readonly Outcome[]): number[] {
  const bins = DELAY_ENDS.map(() => 0);
  for (const { outcome, occurrence_due_at, recorded_at } of outcomes) {
    if (outcome !== 'done' || occurrence_due_at === null) continue;
    const minutes = (Date.parse(recorded_at) - Date.parse(occurrence_due_at)) / MINUTE_MS;
    const bin = DELAY_ENDS.findIndex((end) => minutes <= end);
    bins[bin] = (bins[bin] ?? 0) + 1;
  }
  return bins;
}
