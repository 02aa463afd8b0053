/** Wall clocks of the model: a table of a zone's offsets, and arithmetic. A wall time is written as if it were UTC. */
const MINUTE_MS = 60_000;
export const DAY_MS = 86_400_000;
const FROM = Date.UTC(2025, 0, 1);
const UNTIL = Date.UTC(2029, 0, 1);

interface Period {
  readonly from: number;
  readonly offsetMs: number;
}

const tables = new Map<string, readonly Period[]>();

/** Reads the zone's wall clock hour by hour, and minute by minute where it changed. */
function periodsOf(zone: string): readonly Period[] {
  const known = tables.get(zone);
  if (known) return known;
  const format = new Intl.DateTimeFormat('en-GB', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' });
  const offsetAt = (at: number) => {
    const [, day, month, year, hour, minute] = /(\d+)\/(\d+)\/(\d+), (\d+):(\d+)/.exec(format.format(at)) ?? [];
    return Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute)) - at;
  };
  const periods: Period[] = [{ from: Number.NEGATIVE_INFINITY, offsetMs: offsetAt(FROM) }];
  for (let day = FROM; day < UNTIL; day += DAY_MS) {
    if (offsetAt(day + DAY_MS) === periods.at(-1)?.offsetMs) continue;
    let at = day;
    while (offsetAt(at) === periods.at(-1)?.offsetMs) at += MINUTE_MS;
    periods.push({ from: at, offsetMs: offsetAt(at) });
  }
  tables.set(zone, periods);
  return periods;
}

function offsetAt(zone: string, at: number): number {
  const periods = periodsOf(zone);
  let index = periods.length - 1;
  while (index > 0 && (periods[index]?.from ?? 0) > at) index -= 1;
  return periods[index]?.offsetMs ?? 0;
}

export const wallAt = (zone: string, at: number): number => at + offsetAt(zone, at);

/** The first time that the zone's clocks show it. A time that they skip moves later by what was skipped. */
export function instantOf(zone: string, wall: number): number {
  const offsets = [offsetAt(zone, wall - DAY_MS), offsetAt(zone, wall + DAY_MS)];
  const shown = offsets.map((offset) => wall - offset).filter((at) => wallAt(zone, at) === wall);
  return shown.length > 0 ? Math.min(...shown) : wall - (offsets[0] ?? 0);
}

/** "HH:MM" as milliseconds of a day. */
export const timeOfDay = (text: string): number => (Number(text.slice(0, 2)) * 60 + Number(text.slice(3))) * MINUTE_MS;

export const startOfDay = (wall: number): number => wall - (((wall % DAY_MS) + DAY_MS) % DAY_MS);
