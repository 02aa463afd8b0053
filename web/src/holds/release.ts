/**
 * When a nudge that is wanted at a moment comes, by the rule of the service's planner, which needs Temporal and so does
 * not run in every browser. A test compares the two. Pure.
 */
import { toWallTime } from '../../../src/words/wall-time.ts';

export type HoldName = 'quiet_hours' | 'pause';

interface Pause {
  readonly from: number;
  readonly until: number;
  readonly keepsMustNotMiss: boolean;
}

export interface Holds {
  readonly zone: string;
  readonly dayStart: string;
  /** Two different times of day, "HH:MM". */
  readonly quiet: readonly [start: string, end: string] | null;
  readonly running: Pause | null;
  readonly planned: Pause | null;
}

export interface Released {
  readonly at: number;
  /** What delayed it, in order of time. */
  readonly by: readonly HoldName[];
}

const MINUTE_MS = 60_000;
const DAY_MINUTES = 24 * 60;

export function release(wanted: number, mustNotMiss: boolean, holds: Holds): Released {
  const pauses = listPauses(holds).filter(({ keepsMustNotMiss }) => !(mustNotMiss && keepsMustNotMiss));
  const by = new Set<HoldName>();
  for (let at = wanted; ; ) {
    const now = at;
    const pauseEnd = pauses.find(({ from, until }) => now >= from && now < until)?.until;
    const end = pauseEnd ?? (mustNotMiss ? undefined : endOfQuietHours(at, holds));
    if (end === undefined) return { at, by: [...by] };
    by.add(pauseEnd === undefined ? 'quiet_hours' : 'pause');
    at = end;
  }
}

/** Of two pauses at the same time, the one that ends last counts from its start on. */
function listPauses({ running, planned }: Holds): Pause[] {
  if (!running || !planned) return [running, planned].filter((pause) => pause !== null);
  if (running.until >= planned.until) return [running];
  return [{ ...running, until: Math.min(running.until, planned.from) }, planned];
}

function endOfQuietHours(at: number, { quiet, zone }: Holds): number | undefined {
  if (!quiet) return undefined;
  const [start, end] = quiet.map(minuteOfDay) as [number, number];
  const clock = clockAt(at, zone);
  const isQuiet = start > end ? clock >= start || clock < end : clock >= start && clock < end;
  if (!isQuiet) return undefined;
  const wait = (end - clock + DAY_MINUTES) % DAY_MINUTES;
  const until = Math.floor(at / MINUTE_MS) * MINUTE_MS + wait * MINUTE_MS;
  return clockAt(until, zone) === end ? until : clockChange(at, until, zone);
}

const minuteOfDay = (text: string): number => Number(text.slice(0, 2)) * 60 + Number(text.slice(3, 5));

function clockAt(at: number, zone: string): number {
  const { hour, minute } = toWallTime(at, zone);
  return hour * 60 + minute;
}

/** The first minute at which the clocks of the zone differ from those at `from`. It may be outside of quiet hours. */
function clockChange(from: number, to: number, zone: string): number {
  const offset = (at: number) => {
    const { year, month, day, hour, minute } = toWallTime(at, zone);
    return Date.UTC(year, month - 1, day, hour, minute) - Math.floor(at / MINUTE_MS) * MINUTE_MS;
  };
  const before = offset(from);
  let [low, high] = [Math.floor(from / MINUTE_MS), to / MINUTE_MS];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offset(middle * MINUTE_MS) === before) low = middle;
    else high = middle;
  }
  return high * MINUTE_MS;
}
