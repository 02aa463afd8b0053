/** The nudges of a ladder for an imagined task, for who has no task with a date. Nothing holds them. Pure. */
import { addDays, toInstant, toWallTime } from '../../../src/words/wall-time.ts';
import type { Nudge } from '../api/client.ts';
import type { LadderShape } from './format-ladder.ts';

const MINUTE_MS = 60_000;
const NIGHT_MS = 4 * 60 * MINUTE_MS;

export function sampleNudges({ rungs, end }: LadderShape, due: number, zone: string, dayStart: string, most: number) {
  const nudges: Nudge[] = [];
  let at = due;
  for (let step = 0; step < most; step += 1) {
    const over = step - rungs.length;
    const last = end?.repeat_last ?? 1;
    if (over >= 0 && (end === null || (end.times !== null && over >= end.times * last))) break;
    const rung = rungs[over < 0 ? step : rungs.length - last + (over % last)];
    if (!rung) break;
    at = nextMoment(at, rung.after, zone, dayStart);
    const stage = over < 0 ? rung.stage : (rungs.at(-1)?.stage ?? 0);
    const moment = new Date(at).toISOString();
    nudges.push({ at: moment, wanted_at: moment, stage, holds: [], via: [], unreached: null, falls: [] });
  }
  return nudges;
}

function nextMoment(at: number, after: number | string, zone: string, dayStart: string): number {
  if (typeof after === 'number') return at + after * MINUTE_MS;
  const today = toWallTime(at, zone);
  const onDay = (days: number, clock: string) => {
    const [hour = 0, minute = 0] = clock.split(':').map(Number);
    return toInstant({ ...addDays(today, days), hour, minute }, zone);
  };
  const clock = after === 'day_start' ? dayStart : after;
  // Four hours before the day starts, it is still the night of the day before.
  const isNight = onDay(0, dayStart) - at >= NIGHT_MS && onDay(0, clock) - at >= NIGHT_MS;
  return onDay(isNight ? 0 : 1, clock);
}
