/**
 * When a task is due. A task with a time is due at an instant. A task without one is due on a calendar
 * date: the date as written in `due_at`'s own offset, independent of the owner's time zone.
 */
import { parseDateTime, toInstant, type WrittenDateTime } from '../lib/date-time.ts';
import { isPastUntil, nextDate, nextOccurrence } from '../recurrence/occurrences.ts';
import type { Rule } from '../recurrence/rule.ts';

export interface DueFields {
  readonly due_at: Date | null;
  readonly due_written: string | null;
  readonly has_time: boolean;
  readonly series_first: string | null;
}

/** The fields of a task that is due as written, or never. Its series starts there. */
export function toDueFields(written: WrittenDateTime | null, hasTime: boolean, zone: string): DueFields {
  if (!written) return { due_at: null, due_written: null, has_time: hasTime, series_first: null };
  const dueAt = toInstant(written, zone);
  const local = zoned(dueAt, zone);
  // A task with a time stores its offset, so that the instant stays the same when the owner's zone changes.
  const stored = hasTime ? { wall: written.wall, offset: written.offset ?? local.offset } : written;
  const first = hasTime ? local.toPlainDateTime() : written.wall;
  return { due_at: dueAt, due_written: formatWritten(stored), has_time: hasTime, series_first: first.toString() };
}

/** The instant at which a task is due, or the date if it has no time. */
export function dueOf(task: Omit<DueFields, 'series_first'>): Date | Temporal.PlainDate | null {
  return task.has_time ? task.due_at : dueDate(task);
}

/** The due date of a task without a time. */
export function dueDate({ due_written }: Pick<DueFields, 'due_written'>): Temporal.PlainDate | null {
  // The stored text begins with YYYY-MM-DD, so it needs no parsing as a date-time.
  return due_written === null ? null : Temporal.PlainDate.from(due_written.slice(0, 10));
}

/** A task is overdue from its time on, or from the end of its date in the owner's zone. */
export function overdueFrom(due: Date | Temporal.PlainDate | null, zone: string): Date | null {
  if (!(due instanceof Temporal.PlainDate)) return due;
  return new Date(due.add({ days: 1 }).toZonedDateTime(zone).epochMilliseconds);
}

interface Series extends DueFields {
  readonly occurrence_number: number;
}

/**
 * The occurrence that follows when the current one is closed: the first after both now and the closed
 * one, or null at the end of the rule. A rule with `from: completion` counts from now instead.
 */
export function nextDueFields(task: Series, rule: Rule, zone: string, now: Date): DueFields | null {
  if (task.due_at === null || task.series_first === null) return null;
  const fromCompletion = rule.from === 'completion';
  if (fromCompletion && rule.count !== null && task.occurrence_number >= rule.count) return null;
  const written = Temporal.PlainDateTime.from(task.series_first);
  const first = fromCompletion ? wallOf(now, zone).toPlainDate().toPlainDateTime(written.toPlainTime()) : written;
  const next = { ...rule, count: fromCompletion ? null : rule.count };
  return task.has_time ? nextTimed(task, next, first, zone, now) : nextAllDay(task, next, first, zone, now);
}

function nextTimed(task: Series, rule: Rule, first: Temporal.PlainDateTime, zone: string, now: Date): DueFields | null {
  const moments = [now.getTime(), task.due_at?.getTime() ?? 0];
  // With `from: completion`, the next occurrence is never on the day of completion.
  if (rule.from === 'completion') moments.push(first.toZonedDateTime(zone).epochMilliseconds);
  const after = new Date(Math.max(...moments));
  const dueAt = nextOccurrence(rule, { first, zone }, after);
  if (!dueAt) return null;
  const local = zoned(dueAt, zone);
  const due_written = formatWritten({ wall: local.toPlainDateTime(), offset: local.offset });
  return { due_at: dueAt, due_written, has_time: true, series_first: first.toString() };
}

/** Combines the next date with the time and the offset that were written for the first one. */
function nextAllDay(
  task: Series,
  rule: Rule,
  first: Temporal.PlainDateTime,
  zone: string,
  now: Date,
): DueFields | null {
  const today = wallOf(now, zone).toPlainDate();
  const closed = dueDate(task) ?? today;
  const after = Temporal.PlainDate.compare(closed, today) > 0 ? closed : today;
  const date = nextDate(rule, first.toPlainDate(), after);
  if (!date) return null;
  const wall = date.toPlainDateTime(first.toPlainTime());
  if (rule.until && isPastUntil(rule.until, wall, zone)) return null;
  const next = { wall, offset: parseStoredDue(task.due_written)?.offset ?? null };
  const due_written = formatWritten(next);
  // A date-time with more than four digits in its year cannot be stored, so the series ends before it.
  if (!parseDateTime(due_written)) return null;
  return { due_at: toInstant(next, zone), due_written, has_time: false, series_first: first.toString() };
}

const zoned = (instant: Date, zone: string): Temporal.ZonedDateTime =>
  Temporal.Instant.fromEpochMilliseconds(instant.getTime()).toZonedDateTimeISO(zone);

const wallOf = (instant: Date, zone: string): Temporal.PlainDateTime => zoned(instant, zone).toPlainDateTime();

const formatWritten = ({ wall, offset }: WrittenDateTime): string => `${wall.toString()}${offset ?? ''}`;

export function parseStoredDue(text: string | null): WrittenDateTime | null {
  if (text === null) return null;
  const written = parseDateTime(text);
  if (!written) throw new Error(`A stored due date cannot be parsed: ${text}`);
  return written;
}
