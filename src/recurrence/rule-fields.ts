/**
 * Validates the parts of a recurrence one by one. Any input gives either a valid value or a `RuleError`,
 * and values that are too long are rejected without being scanned. An error message never repeats the
 * value, which may be megabytes long.
 */
import { WEEKDAY_NAMES } from '../words/names.ts';
import { type ByWeekday, type Hours, RuleError, type Until, type Weekday } from './rule.ts';

/** One part of a recurrence. `name` is what the client called it, for error messages: `by_weekday` or `BYDAY`. */
export interface Field {
  readonly key: string;
  readonly name: string;
  readonly value: unknown;
}

interface Range {
  readonly min: number;
  readonly max: number;
}

const MAX_ENTRIES = 366;
/** A Map, because a plain object would also have inherited keys such as `constructor`. */
const WEEKDAYS = new Map(
  WEEKDAY_NAMES.map((name) => name.toLowerCase()).flatMap((name, index) =>
    [name.slice(0, 2), name.slice(0, 3), name].map((spelling) => [spelling, (index + 1) as Weekday] as const),
  ),
);
const WEEKDAY_SHAPE = /^([+-]?\d{1,2})?([a-z]{2,9})$/i;
const TIME_SHAPE = /^(?:[01]\d|2[0-3]):[0-5]\d$/;
const MAX_TIMES = 24;
const DATE_SHAPE = /^\d{4}-\d{2}-\d{2}$/;
/** Rejects leap seconds, as everywhere in the API: Temporal would read second 60 as second 59. */
const DATE_TIME_SHAPE = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}(?::[0-5]\d(?:\.\d{1,9})?)?([Zz]|[+-]\d{2}:\d{2})?$/;

export function isPresent({ value }: Field): boolean {
  return value !== undefined && value !== null;
}

/** Null if the field is absent. */
export function readNumber(field: Field, range: Range): number | null {
  if (!isPresent(field)) return null;
  if (isWholeWithin(field.value, range)) return field.value;
  throw new RuleError(field.key, `${field.name} must be a whole number from ${range.min} to ${range.max}.`);
}

/** Ascending and without duplicates. Zero is never a valid position. */
export function readNumbers(field: Field, range: Range): number[] {
  const numbers = entriesOf(field).map((entry) => {
    if (isWholeWithin(entry, range) && entry !== 0) return entry;
    const except = range.min < 0 ? ', but not 0' : '';
    throw new RuleError(field.key, `${field.name} must hold whole numbers from ${range.min} to ${range.max}${except}.`);
  });
  return [...new Set(numbers)].sort((a, b) => a - b);
}

/** Without duplicates. `largestNth` 0 forbids ordinals. */
export function readWeekdays(field: Field, largestNth: number): ByWeekday[] {
  const distinct = new Map<string, ByWeekday>();
  for (const entry of entriesOf(field)) {
    const [, ordinal, name] = WEEKDAY_SHAPE.exec(typeof entry === 'string' ? entry : '') ?? [];
    const day = WEEKDAYS.get(name?.toLowerCase() ?? '');
    if (day === undefined)
      throw new RuleError(
        field.key,
        `${field.name} must hold weekdays such as mo, tue or friday${aboutNumbers(entry)}.`,
      );
    const nth = ordinal === undefined ? null : Number(ordinal);
    if (nth !== null) checkOrdinal(field, nth, largestNth);
    distinct.set(`${nth} ${day}`, { day, nth });
  }
  return [...distinct.values()];
}

/** Libraries of RFC 5545 count from Monday as 0, ISO 8601 from Monday as 1, and cron from Sunday as 0. */
const aboutNumbers = (entry: unknown) => (typeof entry === 'number' ? '; numbers are ambiguous' : '');

/** Ascending and without duplicates. */
export function readTimes(field: Field): Temporal.PlainTime[] {
  const entries = entriesOf(field);
  const isValid = entries.every(isTime);
  if (!isValid) throw new RuleError(field.key, `${field.name} must hold times of the day such as 08:00 or 20:30.`);
  const times = [...new Set(entries)].sort();
  if (times.length <= MAX_TIMES) return times.map((time) => Temporal.PlainTime.from(time));
  throw new RuleError(field.key, `${field.name} must hold at most ${MAX_TIMES} times.`);
}

/** Accepts an ISO 8601 date, or a date-time with or without an offset. Without one it means the user's wall clock. */
export function readUntil(field: Field): Until | null {
  if (!isPresent(field)) return null;
  const until = typeof field.value === 'string' ? parseUntil(field.value) : undefined;
  if (until !== undefined) return until;
  throw new RuleError(field.key, `${field.name} must be a date or a date-time that exists.`);
}

export function readFrom(field: Field): 'due' | 'completion' {
  if (!isPresent(field)) return 'due';
  if (field.value === 'due' || field.value === 'completion') return field.value;
  throw new RuleError(field.key, `${field.name} must be due or completion.`);
}

/**
 * Null unless the hours are a start and another end. Anything else under these keys stays a key that means nothing, as
 * before the keys had a meaning: a stored rule with one must go on repeating.
 */
export function readHours([between]: readonly Field[], [perDay]: readonly Field[]): Hours | null {
  const times: unknown = between?.value;
  const isValid = Array.isArray(times) && times.length === 2 && times[0] !== times[1] && times.every(isTime);
  if (!isValid) return null;
  const most = perDay?.value;
  const [start, end] = times.map((time) => Temporal.PlainTime.from(time)) as [Temporal.PlainTime, Temporal.PlainTime];
  return { start, end, most: isWholeWithin(most, { min: 1, max: MAX_TIMES }) ? most : null };
}

const isTime = (value: unknown): value is string => typeof value === 'string' && TIME_SHAPE.test(value);

function isWholeWithin(value: unknown, { min, max }: Range): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max;
}

function entriesOf(field: Field): readonly unknown[] {
  if (!isPresent(field)) return [];
  const entries: readonly unknown[] = Array.isArray(field.value) ? field.value : [field.value];
  if (entries.length <= MAX_ENTRIES) return entries;
  throw new RuleError(field.key, `${field.name} must hold at most ${MAX_ENTRIES} entries.`);
}

function checkOrdinal(field: Field, nth: number, largest: number): void {
  if (largest === 0) throw new RuleError(field.key, `${field.name} takes a number only in a monthly or yearly rule.`);
  if (nth !== 0 && Math.abs(nth) <= largest) return;
  throw new RuleError(
    field.key,
    `${field.name} takes a number from 1 to ${largest} before a weekday, or from -1 down.`,
  );
}

function parseUntil(text: string): Until | undefined {
  try {
    if (DATE_SHAPE.test(text)) return { kind: 'date', date: Temporal.PlainDate.from(text) };
    const [, offset] = DATE_TIME_SHAPE.exec(text) ?? [undefined, null];
    if (offset === null) return undefined;
    return offset === undefined
      ? { kind: 'wall', wall: Temporal.PlainDateTime.from(text) }
      : { kind: 'instant', instant: Temporal.Instant.from(text) };
  } catch {
    // Temporal throws for well-formed dates that do not exist, such as 30 February.
    return undefined;
  }
}
