/**
 * When a task is due. A task with a time is due at an instant. A task without one is due on a calendar
 * day of its owner: it stays on that day when the owner's zone changes, and `due_at` is then another instant.
 *
 * Guarantee: the `due_at` of a task without a time, sent back in UTC or in the owner's zone, means the same day.
 */
import { parseDateTime, toInstant, type WrittenDateTime } from '../lib/date-time.ts';
import {
  dayWithin,
  firstWithin,
  isOver,
  isPastUntil,
  nextDate,
  nextElapsed,
  nextOccurrence,
} from '../recurrence/occurrences.ts';
import { type ClockRule, type DayRule, type Hours, isClockRule, type Rule } from '../recurrence/rule.ts';

export interface DueFields {
  readonly due_at: Date | null;
  readonly due_written: string | null;
  readonly has_time: boolean;
  readonly series_first: string | null;
}

/** The fields of a task that is due as written, or never. Its series starts there. */
export function toDueFields(written: WrittenDateTime | null, hasTime: boolean, zone: string): DueFields {
  if (!written) return { due_at: null, due_written: null, has_time: hasTime, series_first: null };
  if (!hasTime) return toAllDayFields(written, zone);
  const dueAt = toInstant(written, zone);
  const local = zoned(dueAt, zone);
  // The stored offset keeps the instant the same when the owner's zone changes.
  const due_written = formatWritten({ wall: written.wall, offset: written.offset ?? local.offset });
  return { due_at: dueAt, due_written, has_time: true, series_first: local.toPlainDateTime().toString() };
}

function toAllDayFields(written: WrittenDateTime, zone: string): DueFields {
  const day = dayOf(written, zone);
  const local = written.offset === null ? written.wall : wallOf(toInstant(written, zone), zone);
  // Without a time of its own on that day, as with the midnight of another zone, the task gets the day's midnight.
  const { wall, ...fields } = allDayDue(day, local.toPlainDate().equals(day) ? local.toPlainTime() : MIDNIGHT, zone);
  return { ...fields, has_time: false, series_first: wall.toString() };
}

/**
 * The day that a date-time means for a task without a time. Programs send the midnight of the person's
 * zone, the midnight of another zone (mostly UTC), or any moment of the day.
 */
function dayOf(written: WrittenDateTime, zone: string): Temporal.PlainDate {
  const asWritten = written.wall.toPlainDate();
  if (written.offset === null) return asWritten;
  const local = wallOf(toInstant(written, zone), zone);
  if (isMidnight(written.wall) && !isMidnight(local)) return asWritten;
  const hasFourDigitYear = local.year >= 1 && local.year <= 9999;
  return hasFourDigitYear ? local.toPlainDate() : asWritten;
}

/** The moment of the day that is stored for the task: the given time, unless it would be read as another day. */
export function allDayDue(day: Temporal.PlainDate, time: Temporal.PlainTime, zone: string) {
  for (const wall of [day.toPlainDateTime(time), day.toPlainDateTime()]) {
    const due_at = toInstant({ wall, offset: null }, zone);
    if (isStorable(wall) && isReadAs(day, due_at, zone)) return { wall, due_at, due_written: wall.toString() };
  }
  // The zone skipped the whole day, as Samoa skipped 30 December 2011, or the day is the first or last of all.
  const midnight = { wall: day.toPlainDateTime(), offset: 'Z' };
  return { wall: midnight.wall, due_at: toInstant(midnight, zone), due_written: formatWritten(midnight) };
}

/** At the first and last dates that can be parsed, a date-time needs an offset. */
export const isStorable = (wall: Temporal.PlainDateTime): boolean =>
  (wall.year > 1 && wall.year < 9999) || parseDateTime(wall.toString()) !== undefined;

/** Equals `dayOf` of the instant in UTC and in the zone, but converts it once: every task of an account may need it. */
function isReadAs(day: Temporal.PlainDate, instant: Date, zone: string): boolean {
  const local = wallOf(instant, zone);
  if (!local.toPlainDate().equals(day)) return false;
  const isMidnightInUtc = instant.getTime() % DAY_MS === 0;
  return !isMidnightInUtc || isMidnight(local) || wallOf(instant, 'UTC').toPlainDate().equals(day);
}

const DAY_MS = 86_400_000;
const MIDNIGHT = Temporal.PlainTime.from('00:00');

const isMidnight = (wall: Temporal.PlainDateTime): boolean => wall.toPlainTime().equals(MIDNIGHT);

/** The instant of `due_at` in the owner's present zone. A task without a time follows the zone. */
export function dueInstant(task: Omit<DueFields, 'series_first'>, zone: string): Date | null {
  if (task.has_time || !task.due_at) return task.due_at;
  // Nearly always true, and cheaper than the calculation: a change of settings plans every task again.
  if (wallOf(task.due_at, zone).toString() === task.due_written) return task.due_at;
  const stored = parseStoredDue(task.due_written);
  return stored ? allDayDue(stored.wall.toPlainDate(), stored.wall.toPlainTime(), zone).due_at : task.due_at;
}

/** The occurrence that a caller names. For a task without a time, any date-time that means the due day names it. */
export function namedOccurrence(task: Omit<DueFields, 'series_first'>, named: WrittenDateTime, zone: string): Date {
  const isDueDay = !task.has_time && dueDate(task)?.equals(dayOf(named, zone));
  return (isDueDay ? task.due_at : null) ?? toInstant(named, zone);
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

export interface Series extends DueFields {
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
  const closed = asByRule(task, zone);
  if (isClockRule(rule) && rule.hours && task.has_time) return nextWithin(task, rule, rule.hours, written, zone, now);
  if (isClockRule(rule)) return nextOnClock(closed, closed.due_at ?? task.due_at, rule, written, zone, now);
  const first = fromCompletion ? wallOf(now, zone).toPlainDate().toPlainDateTime(written.toPlainTime()) : written;
  const next = { ...rule, count: fromCompletion ? null : rule.count };
  return task.has_time ? nextTimed(closed, next, first, zone, now) : nextAllDay(closed, next, first, zone, now);
}

/** Occurrences of a series in a row. */
export interface PassedOver {
  readonly first: Date;
  readonly last: Date;
  /** At most `MOST_COUNTED`, which then means so many or more, and `last` is the last one counted. */
  readonly count: number;
}

/** Counting more of them would hold up other requests. */
export const MOST_COUNTED = 100;

/**
 * The occurrences between the closed one and the next: they came and passed while the closed one was open. `until` is
 * the next occurrence, or now if the series has ended.
 */
export function passedOver(task: Series, rule: Rule, zone: string, until: Date): PassedOver | undefined {
  if (rule.from === 'completion') return undefined;
  const passed: Date[] = [];
  let series = asByRule(task, zone);
  while (passed.length < MOST_COUNTED && series.due_at !== null) {
    const next = nextDueFields(series, rule, zone, series.due_at);
    if (next?.due_at == null || next.due_at >= until) break;
    passed.push(next.due_at);
    // Without the offset: before clocks were set by zones it had seconds, which a stored date cannot have.
    const due_written = next.due_written?.replace(/[+-]\d\d(:\d\d)+$/, '') ?? null;
    series = { ...series, ...next, due_written, occurrence_number: series.occurrence_number + 1 };
  }
  const [[first], last] = [passed, passed.at(-1)];
  return first && last && { first, last, count: passed.length };
}

/**
 * Moves the current occurrence of a series and nothing else. The date that the rule gave it is stored beside the first
 * date of the series, so that the next occurrence is never the moved one again. It is an annotation as in RFC 9557,
 * which other code skips.
 */
export function movedDueFields(task: Series, to: WrittenDateTime, zone: string): DueFields {
  const moved = toDueFields(to, task.has_time, zone);
  const { due_at, due_written, series_first } = asByRule(task, zone);
  if (due_at === null || due_written === null || series_first === null) return moved;
  const wall = task.has_time ? wallOf(due_at, zone) : Temporal.PlainDateTime.from(due_written.slice(0, 10));
  const byRule = wall.toString({ smallestUnit: 'millisecond' }).replaceAll(/[-:]/g, '').replace('.', '-');
  const [counted = ''] = ON_DAY.exec(series_first) ?? [];
  return { ...moved, series_first: `${Temporal.PlainDateTime.from(series_first)}${counted}[due=${byRule}]` };
}

/** How many occurrences were closed on a day, of a rule that allows only so many. */
const ON_DAY = /\[day=(\d{8})-(\d{3})\]/;
const BY_RULE = /\[due=(\d{8}T\d{6})-(\d{3})\]$/;

/** The series with its current occurrence at the date that the rule gave it, even if it was moved. */
export function asByRule<T extends Series>(task: T, zone: string): T {
  const [, date, milliseconds] = BY_RULE.exec(task.series_first ?? '') ?? [];
  if (date === undefined) return task;
  const wall = Temporal.PlainDateTime.from(`${date}.${milliseconds}`);
  return { ...task, due_at: toInstant({ wall, offset: null }, zone), due_written: wall.toString() };
}

/** The first date of a series from an archive, with the annotation of a moved occurrence. */
export function parseSeriesFirst(text: string): string | undefined {
  const [annotation = ''] = BY_RULE.exec(text) ?? [];
  const [first = '', counted = '', ...rest] = text.slice(0, text.length - annotation.length).split(/(\[.*)/);
  const written = parseDateTime(first);
  const isCounted = counted === '' || (ON_DAY.exec(counted)?.[0] === counted && rest.join('') === '');
  if (written?.offset !== null || !isCounted || !isDateTime(annotation)) return undefined;
  return `${written.wall}${countedOn(counted) ? counted : ''}${annotation}`;
}

/** Undefined if nothing was counted, or on a day that does not exist. */
function countedOn(series_first: string): { readonly day: string; readonly count: number } | undefined {
  const [, day = '', count] = ON_DAY.exec(series_first) ?? [];
  const isDay = parseDateTime(`${day.replace(/^(....)(..)(..)$/, '$1-$2-$3')}T00:00:00`) !== undefined;
  return isDay ? { day, count: Number(count) } : undefined;
}

function isDateTime(annotation: string): boolean {
  const [, date] = BY_RULE.exec(annotation) ?? [];
  if (date === undefined) return annotation === '';
  const extended = date.replace(/^(....)(..)(..)T(..)(..)(..)$/, '$1-$2-$3T$4:$5:$6');
  return parseDateTime(extended) !== undefined;
}

/** Counted from the moment of completion, and moved into the hours of the day in which the rule may ask. */
function nextWithin(
  task: Series,
  rule: ClockRule,
  hours: Hours,
  first: Temporal.PlainDateTime,
  zone: string,
  now: Date,
) {
  const today = dayWithin(hours, now, zone);
  const day = today.toString().replaceAll('-', '');
  const before = countedOn(task.series_first ?? '');
  const count = 1 + (before?.day === day ? before.count : 0);
  const isFull = hours.most !== null && count >= hours.most;
  const elapsed = nextElapsed({ ...rule, count: null, until: null }, { first: now, known: now, zone }, now);
  const dueAt = elapsed && firstWithin(hours, elapsed, zone, isFull ? today : null);
  if (!dueAt || isOver(rule, dueAt.getTime(), zone)) return null;
  const next = timedFields(dueAt, first, zone);
  return hours.most === null
    ? next
    : { ...next, series_first: `${next.series_first}[day=${day}-${String(Math.min(count, 999)).padStart(3, '0')}]` };
}

/** Leaves out occurrences that passed while the closed one was open: each would only repeat the same reminder. */
function nextOnClock(
  { has_time }: Series,
  closed: Date,
  rule: ClockRule,
  first: Temporal.PlainDateTime,
  zone: string,
  now: Date,
): DueFields | null {
  if (!has_time) return null;
  const fromCompletion = rule.from === 'completion';
  const series = {
    first: new Date(first.toZonedDateTime(zone).epochMilliseconds),
    known: fromCompletion ? now : closed,
    zone,
  };
  const after = new Date(Math.max(now.getTime(), closed.getTime()));
  const dueAt = nextElapsed({ ...rule, count: fromCompletion ? null : rule.count }, series, after);
  return dueAt && timedFields(dueAt, first, zone);
}

function nextTimed(
  task: Series,
  rule: DayRule,
  first: Temporal.PlainDateTime,
  zone: string,
  now: Date,
): DueFields | null {
  const moments = [now.getTime(), task.due_at?.getTime() ?? 0, closedInZone(task, zone)];
  // With `from: completion`, the next occurrence is never on the day of completion.
  if (rule.from === 'completion') moments.push(first.toZonedDateTime(zone).epochMilliseconds);
  const after = new Date(Math.max(...moments));
  const dueAt = nextOccurrence(rule, { first, zone }, after);
  return dueAt && timedFields(dueAt, first, zone);
}

/** The wall time of the closed occurrence in the owner's present zone. After a move west it is still to come there. */
export function closedInZone({ occurrence_number, series_first, due_written }: Series, zone: string): number {
  // The first date is stored as its sender wrote it, in any zone; `series_first` is in the owner's zone.
  const first = occurrence_number === 1 && series_first !== null && Temporal.PlainDateTime.from(series_first);
  const wall = first || parseStoredDue(due_written)?.wall;
  return wall ? toInstant({ wall, offset: null }, zone).getTime() : 0;
}

function timedFields(dueAt: Date, first: Temporal.PlainDateTime, zone: string): DueFields {
  const local = zoned(dueAt, zone);
  const due_written = formatWritten({ wall: local.toPlainDateTime(), offset: local.offset });
  return { due_at: dueAt, due_written, has_time: true, series_first: first.toString() };
}

/** Combines the next date with the wall time of the first one, so that a change of clocks moves nothing. */
function nextAllDay(
  task: Series,
  rule: DayRule,
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
  // A date-time with more than four digits in its year cannot be stored, so the series ends before it.
  if (!isStorable(wall)) return null;
  const { due_at, due_written } = allDayDue(date, first.toPlainTime(), zone);
  return { due_at, due_written, has_time: false, series_first: first.toString() };
}

const zoned = (instant: Date, zone: string): Temporal.ZonedDateTime =>
  Temporal.Instant.fromEpochMilliseconds(instant.getTime()).toZonedDateTimeISO(zone);

const wallOf = (instant: Date, zone: string): Temporal.PlainDateTime => zoned(instant, zone).toPlainDateTime();

export const formatWritten = ({ wall, offset }: WrittenDateTime): string => `${wall.toString()}${offset ?? ''}`;

export function parseStoredDue(text: string | null): WrittenDateTime | null {
  if (text === null) return null;
  const written = parseDateTime(text);
  if (!written) throw new Error(`A stored due date cannot be parsed: ${text}`);
  return written;
}
