/**
 * When a task is due, in all the forms that other parts ask for. A task with a time is due at an
 * instant; one without is due on a calendar date, the one written in `due_at`'s own offset, however
 * far from there its owner may be.
 */
import { parseDateTime, toInstant, type WrittenDateTime } from '../lib/date-time.ts';
import { isPastUntil, nextDate, nextOccurrence } from './occurrences.ts';
import type { Rule } from './recurrence.ts';

export interface DueFields {
  readonly due_at: Date | null;
  readonly due_written: string | null;
  readonly has_time: boolean;
  readonly overdue_at: Date | null;
  readonly series_first: string | null;
}

/** The fields of a task that is due as written, or never. The series begins there. */
export function dueFrom(written: WrittenDateTime | null, hasTime: boolean, zone: string): DueFields {
  if (!written) return { due_at: null, due_written: null, has_time: hasTime, overdue_at: null, series_first: null };
  const dueAt = toInstant(written, zone);
  const local = zoned(dueAt, zone);
  // A time is an instant: kept with the offset it had then, so that moving to another zone does not move it.
  const kept = hasTime ? { wall: written.wall, offset: written.offset ?? local.offset } : written;
  const first = hasTime ? local.toPlainDateTime() : written.wall;
  const fields = { due_at: dueAt, due_written: writeDue(kept), has_time: hasTime, series_first: first.toString() };
  return { ...fields, overdue_at: overdueFrom(fields, zone) };
}

/** From its time on, or from the end of its day in the owner's zone. */
export function overdueFrom(task: Omit<DueFields, 'overdue_at' | 'series_first'>, zone: string): Date | null {
  if (task.due_at === null || task.has_time) return task.due_at;
  const nextDay = dueDate(task)?.add({ days: 1 });
  return nextDay ? new Date(nextDay.toZonedDateTime(zone).epochMilliseconds) : null;
}

/** The date of a task without a time. */
export function dueDate({ due_written }: Pick<DueFields, 'due_written'>): Temporal.PlainDate | null {
  return due_written === null ? null : readDue(due_written).wall.toPlainDate();
}

interface Series extends DueFields {
  readonly occurrence_number: number;
}

/**
 * The occurrence to move to when the present one is closed: the first after both now and the one
 * just closed, or null at the end of the rule. Counted from the closing where the rule says so.
 */
export function dueNext(task: Series, rule: Rule, zone: string, now: Date): DueFields | null {
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
  // Counted from completion, the day of completion itself is never the next occurrence.
  if (rule.from === 'completion') moments.push(first.toZonedDateTime(zone).epochMilliseconds);
  const after = new Date(Math.max(...moments));
  const dueAt = nextOccurrence(rule, { first, zone }, after);
  if (!dueAt) return null;
  const local = zoned(dueAt, zone);
  const due_written = writeDue({ wall: local.toPlainDateTime(), offset: local.offset });
  return { due_at: dueAt, due_written, has_time: true, overdue_at: dueAt, series_first: first.toString() };
}

/** The new date with the time and offset that were written with the first. */
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
  const offset = task.due_written === null ? null : readDue(task.due_written).offset;
  // Beyond the last day that can be written there is no next one.
  if (!parseDateTime(writeDue({ wall, offset }))) return null;
  const fields = {
    due_at: toInstant({ wall, offset }, zone),
    due_written: writeDue({ wall, offset }),
    has_time: false,
  };
  return { ...fields, overdue_at: overdueFrom(fields, zone), series_first: first.toString() };
}

const zoned = (instant: Date, zone: string): Temporal.ZonedDateTime =>
  Temporal.Instant.fromEpochMilliseconds(instant.getTime()).toZonedDateTimeISO(zone);

const wallOf = (instant: Date, zone: string): Temporal.PlainDateTime => zoned(instant, zone).toPlainDateTime();

const writeDue = ({ wall, offset }: WrittenDateTime): string => `${wall.toString()}${offset ?? ''}`;

function readDue(text: string): WrittenDateTime {
  const written = parseDateTime(text);
  if (!written) throw new Error(`A stored due date cannot be read: ${text}`);
  return written;
}
