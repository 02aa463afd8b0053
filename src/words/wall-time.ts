/** Converts between instants and wall times in a named zone. Uses Intl because not every browser has Temporal yet. */

/** A date of the calendar. */
export interface Day {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

export interface TimeOfDay {
  readonly hour: number;
  readonly minute: number;
}

/** What a clock and a calendar on the wall show. */
export type WallTime = Day & TimeOfDay;

const formatters = new Map<string, Intl.DateTimeFormat>();

function formatterOf(zone: string): Intl.DateTimeFormat {
  const existing = formatters.get(zone);
  if (existing) return existing;
  const formatter = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  formatters.set(zone, formatter);
  return formatter;
}

export function toWallTime(instant: number | Date, zone: string): WallTime {
  const parts = Object.fromEntries(
    formatterOf(zone)
      .formatToParts(instant)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0 } = parts;
  return { year, month, day, hour, minute };
}

const asUtc = ({ year, month, day, hour, minute }: WallTime) => Date.UTC(year, month - 1, day, hour, minute);

const offsetMinutesAt = (instant: number, zone: string) =>
  Math.round((asUtc(toWallTime(instant, zone)) - Math.floor(instant / 60_000) * 60_000) / 60_000);

/** A wall time that a change of clocks skips moves later by the size of the change. */
export function toInstant(wall: WallTime, zone: string): number {
  const guess = asUtc(wall);
  const [before, after] = [offsetMinutesAt(guess - 86_400_000, zone), offsetMinutesAt(guess + 86_400_000, zone)];
  const fits = [before, after].find((offset) => offsetMinutesAt(guess - offset * 60_000, zone) === offset);
  return guess - (fits ?? before) * 60_000;
}

const two = (number: number) => String(number).padStart(2, '0');

export const formatIsoDate = ({ year, month, day }: Day) =>
  `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`;
export const formatIsoTime = ({ hour, minute }: TimeOfDay) => `${two(hour)}:${two(minute)}`;

/** The reverse of `formatIsoTime`. */
export function toTimeOfDay(written: string): TimeOfDay {
  const [hour = 0, minute = 0] = written.split(':').map(Number);
  return { hour, minute };
}

/** ISO 8601 with the zone's offset, so that the calendar date can be read from the text. */
export function toIsoString(wall: WallTime, zone: string): string {
  const instant = toInstant(wall, zone);
  const offset = offsetMinutesAt(instant, zone);
  const sign = offset < 0 ? '-' : '+';
  const actual = toWallTime(instant, zone);
  const size = Math.abs(offset);
  return `${formatIsoDate(actual)}T${formatIsoTime(actual)}:00${sign}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}

/** Parses the values of form fields: "2026-03-02" and "09:00". */
export function parseWallTime(date: string, time: string): WallTime | undefined {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(date) ?? [];
  const [, hour, minute] = /^(\d{2}):(\d{2})/.exec(time) ?? [];
  if (!year || !month || !day || !hour || !minute) return undefined;
  return { year: +year, month: +month, day: +day, hour: +hour, minute: +minute };
}

const midnight = ({ year, month, day }: Day) => Date.UTC(year, month - 1, day);

export function addDays<T extends Day>(day: T, days: number): T {
  const moved = new Date(midnight(day) + days * 86_400_000);
  return { ...day, year: moved.getUTCFullYear(), month: moved.getUTCMonth() + 1, day: moved.getUTCDate() };
}

export const daysBetween = (from: Day, to: Day): number => Math.round((midnight(to) - midnight(from)) / 86_400_000);

/** ISO 8601 weekday: Monday is 1. */
export const weekdayOf = (day: Day): number => new Date(midnight(day)).getUTCDay() || 7;

export const lastDayIn = (year: number, month: number): number => new Date(Date.UTC(year, month, 0)).getUTCDate();
