/**
 * Finds the next occurrence of a series. The rule is expanded as dates, and only the resulting date is
 * converted to an instant on the user's wall clock. A time inside a DST gap therefore moves later
 * (strict RFC 5545 would skip it) and is back at its usual time the day after.
 *
 * The result is always later than `after`, so a task always advances to a new occurrence.
 */
import { dateOfDay, dayOfDate, LAST_DAY } from './calendar-days.ts';
import type { Rule, Until } from './rule.ts';
import { type Periods, periodsOf } from './rule-periods.ts';

/** A later instant has no four-digit year, which clients cannot parse. */
const LAST_INSTANT = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * The first date strictly after `after` that the rule matches, in a series that starts on `first`. Null
 * if the rule has ended or never matches again. The first date belongs to the series even if the rule
 * does not match it. This function ignores `until`: the caller checks it with `isPastUntil`.
 */
export function nextDate(rule: Rule, first: Temporal.PlainDate, after: Temporal.PlainDate): Temporal.PlainDate | null {
  for (const date of datesAfter(rule, first, after)) return date;
  return null;
}

/** Every such date, in ascending order. */
export function* datesAfter(
  rule: Rule,
  first: Temporal.PlainDate,
  after: Temporal.PlainDate,
): Generator<Temporal.PlainDate> {
  for (const day of seriesDaysAfter(rule, dayOfDate(first), dayOfDate(after))) yield dateOfDay(day);
}

/** The first occurrence strictly after `after`, at the wall time of `first` in the zone. */
export function nextOccurrence(
  rule: Rule,
  series: { readonly first: Temporal.PlainDateTime; readonly zone: string },
  after: Date,
): Date | null {
  const { first, zone } = series;
  // A zone can skip a whole day (Apia, 30 December 2011), which moves that day's time to the next day.
  // An occurrence can therefore still be ahead although its date has passed.
  const passed = dayOfDate(localDate(after, zone)) - 2;
  for (const day of seriesDaysAfter(rule, dayOfDate(first.toPlainDate()), passed)) {
    const wall = dateOfDay(day).toPlainDateTime(first.toPlainTime());
    const at = instantOf(wall, zone).epochMilliseconds;
    if (at <= after.getTime()) continue;
    const isOver = at > LAST_INSTANT || (rule.until !== null && isPastUntil(rule.until, wall, zone));
    return isOver ? null : new Date(at);
  }
  return null;
}

/** Whether the rule matches any date after `first`, however distant, regardless of `count` and `until`. */
export function canRecur(rule: Rule, first: Temporal.PlainDate): boolean {
  return nextDate({ ...rule, count: null }, first, first) !== null;
}

/**
 * How many dates of a series with `count` come after the given date. It iterates over day numbers up to
 * that date only, so the cost depends on the past dates and not on the remaining ones.
 */
export function countAfter(rule: Rule, count: number, first: Temporal.PlainDate, after: Temporal.PlainDate): number {
  const [begin, end] = [dayOfDate(first), dayOfDate(after)];
  let passed = begin <= end ? 1 : 0;
  for (const day of ruleDaysAfter(periodsOf(rule, begin), begin)) {
    if (day > end || passed >= count) break;
    passed += 1;
  }
  return count - passed;
}

/** A date includes its whole day; a time includes that exact moment. */
export function isPastUntil(until: Until, wall: Temporal.PlainDateTime, zone: string): boolean {
  switch (until.kind) {
    case 'date':
      return Temporal.PlainDate.compare(wall.toPlainDate(), until.date) > 0;
    case 'wall':
      return Temporal.PlainDateTime.compare(wall, until.wall) > 0;
    case 'instant':
      return Temporal.Instant.compare(instantOf(wall, zone), until.instant) > 0;
  }
}

function* seriesDaysAfter(rule: Rule, first: number, after: number): Generator<number> {
  if (after < first && first <= LAST_DAY) yield first;
  const periods = periodsOf(rule, first);
  if (rule.count === null) {
    yield* ruleDaysAfter(periods, Math.max(first, after));
    return;
  }
  // The number of an occurrence is known only by counting from the first date, which is number one.
  for (const day of ruleDaysAfter(periods, first).take(rule.count - 1)) {
    if (day > after) yield day;
  }
}

function* ruleDaysAfter(periods: Periods, after: number): Generator<number> {
  let index: number | null = periods.indexOf(after);
  while (index !== null) {
    for (const day of periods.daysOf(index)) {
      if (day > after && day <= LAST_DAY) yield day;
    }
    index = nextPeriodWithDays(periods, index);
  }
}

/** Null if a whole calendar cycle contains no match, because the rule then never matches again. */
function nextPeriodWithDays(periods: Periods, index: number): number | null {
  const end = index + periods.cycle;
  for (let next = index + 1; next <= end && periods.startOf(next) <= LAST_DAY; next++) {
    if (periods.daysOf(next).length > 0) return next;
  }
  return null;
}

function localDate(at: Date, zone: string): Temporal.PlainDate {
  return Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(zone).toPlainDate();
}

function instantOf(wall: Temporal.PlainDateTime, zone: string): Temporal.Instant {
  return wall.toZonedDateTime(zone, { disambiguation: 'compatible' }).toInstant();
}
