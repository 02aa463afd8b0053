/** Formats instants for models: in the user's zone, with an offset for machines and in words for people. */
import { BoundedMap } from '../lib/bounded-map.ts';
import { MONTH_NAMES, WEEKDAY_NAMES } from '../words/names.ts';

/** The time zone and the current time that an answer refers to. */
export interface TimeContext {
  readonly zone: string;
  readonly now: Date;
}

export const zonedAt = (instant: Date, zone: string): Temporal.ZonedDateTime =>
  Temporal.Instant.fromEpochMilliseconds(instant.getTime()).toZonedDateTimeISO(zone);

interface FormattedTime {
  readonly local: string;
  readonly short: string;
  readonly words: string;
}

/** Caches formatted times: a list contains the same few instants repeatedly, and time zone lookups are the expensive part. */
const cache = new BoundedMap<string, FormattedTime>(5_000);

function format(instant: Date, zone: string): FormattedTime {
  const key = `${instant.getTime()} ${zone}`;
  const cached = cache.get(key);
  if (cached) return cached;
  const zoned = zonedAt(instant, zone);
  const local = zoned.toString({ timeZoneName: 'never', smallestUnit: 'second' });
  const formatted = { local, short: shorten(zoned, zone), words: `${dateInWords(zoned)} at ${local.slice(11, 16)}` };
  cache.set(key, formatted);
  return formatted;
}

/** `2026-03-02T10:15:00+01:00` */
export const localTime = (instant: Date, zone: string): string => format(instant, zone).local;

/** Like `localTime`, to the millisecond: what a model is shown and may send back must be the same instant. */
export function exactTime(instant: Date, zone: string): string {
  const zoned = zonedAt(instant, zone);
  // Until 1972 some zones had offsets with seconds, which a date-time cannot contain.
  const hasWholeMinutes = zoned.offsetNanoseconds % 60e9 === 0;
  return (hasWholeMinutes ? zoned : zonedAt(instant, 'UTC')).toString({ timeZoneName: 'never' });
}

/**
 * `2026-03-02T10:15`: without an offset, for lists that name the zone once. A moment that the wall clock shows twice
 * keeps its offset, so that the text always means the same instant when it is sent back.
 */
export const shortTime = (instant: Date, zone: string): string => format(instant, zone).short;

const MINUTE_MS = 60_000;

/** The same to the minute, for moments that are not sent back. */
export const shortMinute = (text: string, zone: string): string =>
  shortTime(new Date(Math.floor(Date.parse(text) / MINUTE_MS) * MINUTE_MS), zone);

function shorten(zoned: Temporal.ZonedDateTime, zone: string): string {
  const wall = zoned.toPlainDateTime();
  const { epochMilliseconds } = zoned;
  if (wall.toZonedDateTime(zone).epochMilliseconds !== epochMilliseconds)
    return exactTime(new Date(epochMilliseconds), zone);
  return wall.second === 0 && wall.millisecond === 0 ? wall.toString({ smallestUnit: 'minute' }) : wall.toString();
}

/** `Monday, 2 March 2026 at 10:15` */
export const timeInWords = (instant: Date, zone: string): string => format(instant, zone).words;

/** `Monday, 2 March 2026` */
export const dateInWords = ({ dayOfWeek, day, month, year }: Temporal.PlainDate | Temporal.ZonedDateTime): string =>
  `${WEEKDAY_NAMES[dayOfWeek - 1]}, ${day} ${MONTH_NAMES[month - 1]} ${year}`;

const UNITS: readonly [name: string, ms: number][] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
];

/** `in 3 hours`, `5 minutes ago`, `now`: in the largest unit that gives at least two. */
export function distanceInWords(from: Date, to: Date): string {
  const ms = to.getTime() - from.getTime();
  const distance = Math.abs(ms);
  if (distance < 60_000) return ms <= 0 ? 'now' : 'in less than a minute';
  const [name, unit] = UNITS.find(([, size]) => distance >= size * 2) ?? ['minute', 60_000];
  const count = Math.round(distance / unit);
  const amount = `${count} ${name}${count === 1 ? '' : 's'}`;
  return ms > 0 ? `in ${amount}` : `${amount} ago`;
}

/**
 * The due date of a task without a time. The API returns an instant, which is midnight either in the
 * user's zone or, if a program wrote it, in UTC.
 */
export function allDayDate(instant: Date, zone: string): Temporal.PlainDate {
  const [local, utc] = [zonedAt(instant, zone), zonedAt(instant, 'UTC')];
  const isMidnight = (time: Temporal.ZonedDateTime) => time.hour === 0 && time.minute === 0;
  return (!isMidnight(local) && isMidnight(utc) ? utc : local).toPlainDate();
}
