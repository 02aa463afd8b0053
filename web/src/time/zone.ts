/** Instants and wall clocks in a named time zone, by Intl alone: not every browser has Temporal yet. */

export interface Wall {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
}

const formatters = new Map<string, Intl.DateTimeFormat>();

function formatterOf(zone: string): Intl.DateTimeFormat {
  const known = formatters.get(zone);
  if (known) return known;
  const made = new Intl.DateTimeFormat('en-US', {
    ...{ timeZone: zone, hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric' },
    ...{ hour: 'numeric', minute: 'numeric', second: 'numeric' },
  });
  formatters.set(zone, made);
  return made;
}

/** What a clock on the wall in that zone shows. */
export function wallOf(instant: number | Date, zone: string): Wall {
  const parts = Object.fromEntries(
    formatterOf(zone)
      .formatToParts(instant)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0 } = parts;
  return { year, month, day, hour, minute };
}

const asUtc = ({ year, month, day, hour, minute }: Wall) => Date.UTC(year, month - 1, day, hour, minute);

const offsetMinutesAt = (instant: number, zone: string) =>
  Math.round((asUtc(wallOf(instant, zone)) - Math.floor(instant / 60_000) * 60_000) / 60_000);

/** The instant at which the wall clock shows this; one that a change of clocks leaves out moves later. */
export function instantOf(wall: Wall, zone: string): number {
  const guess = asUtc(wall);
  const [before, after] = [offsetMinutesAt(guess - 86_400_000, zone), offsetMinutesAt(guess + 86_400_000, zone)];
  const fits = [before, after].find((offset) => offsetMinutesAt(guess - offset * 60_000, zone) === offset);
  return guess - (fits ?? before) * 60_000;
}

const two = (number: number) => String(number).padStart(2, '0');

export const dateText = ({ year, month, day }: Wall) => `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`;
export const timeText = ({ hour, minute }: Wall) => `${two(hour)}:${two(minute)}`;

/** With the zone's offset written out, so that the calendar date can be read from it as well. */
export function isoOf(wall: Wall, zone: string): string {
  const instant = instantOf(wall, zone);
  const offset = offsetMinutesAt(instant, zone);
  const sign = offset < 0 ? '-' : '+';
  const shown = wallOf(instant, zone);
  const size = Math.abs(offset);
  return `${dateText(shown)}T${timeText(shown)}:00${sign}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}

/** The wall that form fields name: "2026-03-02" and "09:00". */
export function wallFrom(date: string, time: string): Wall | undefined {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(date) ?? [];
  const [, hour, minute] = /^(\d{2}):(\d{2})/.exec(time) ?? [];
  if (!year || !month || !day || !hour || !minute) return undefined;
  return { year: +year, month: +month, day: +day, hour: +hour, minute: +minute };
}

export function addDays(wall: Wall, days: number): Wall {
  const moved = new Date(asUtc(wall) + days * 86_400_000);
  return { ...wall, year: moved.getUTCFullYear(), month: moved.getUTCMonth() + 1, day: moved.getUTCDate() };
}

/** Whole days from one date to another, whatever the time. */
export function daysBetween(from: Wall, to: Wall): number {
  const midnight = (wall: Wall) => asUtc({ ...wall, hour: 0, minute: 0 });
  return Math.round((midnight(to) - midnight(from)) / 86_400_000);
}

/** As ISO 8601 counts them: Monday is 1. */
export const weekdayOf = (wall: Wall): number => new Date(asUtc(wall)).getUTCDay() || 7;

export const browserZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone;
