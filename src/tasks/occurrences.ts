/**
 * Finds the next occurrence of a series. The rule is expanded in dates, and only the date that was
 * found is turned into an instant on the user's wall clock. So a time inside a DST gap moves later
 * and never away, which strict RFC 5545 would have it do, and the day after it is back in its place.
 *
 * No answer lies at or before `after`: a task moved on to its next occurrence can never stay where it is.
 */
import { dateOfDay, dayOfDate, LAST_DAY } from './calendar-days.ts';
import type { Rule, Until } from './recurrence.ts';
import { type Periods, periodsOf } from './rule-periods.ts';

/** Beyond this the instant has no four-digit year and no client could read it. */
const LAST_INSTANT = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * The first date strictly after `after` on which the rule falls, counted from the series' first
 * date; null when the rule has ended or never falls again. The first date belongs to the series
 * even where the rule does not fall on it. `until` is for the caller to judge, through `isPastUntil`.
 */
export function nextDate(rule: Rule, first: Temporal.PlainDate, after: Temporal.PlainDate): Temporal.PlainDate | null {
  for (const date of datesAfter(rule, first, after)) return date;
  return null;
}

/** All of those dates, one after another. */
export function* datesAfter(
  rule: Rule,
  first: Temporal.PlainDate,
  after: Temporal.PlainDate,
): Generator<Temporal.PlainDate> {
  for (const day of seriesDaysAfter(rule, dayOfDate(first), dayOfDate(after))) yield dateOfDay(day);
}

/** The first moment strictly after `after` at which the series falls: the wall time of `first`, read in the zone. */
export function nextOccurrence(
  rule: Rule,
  series: { readonly first: Temporal.PlainDateTime; readonly zone: string },
  after: Date,
): Date | null {
  const { first, zone } = series;
  // A zone may skip a whole day (Apia, 30 December 2011); that day's time then falls on the next one.
  // An occurrence may therefore lie ahead whose date has passed.
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

/** Whether any date after `first` matches at all, however far away; `count` and `until` aside. */
export function canEverFall(rule: Rule, first: Temporal.PlainDate): boolean {
  return nextDate({ ...rule, count: null }, first, first) !== null;
}

/**
 * How many dates of a series that has a `count` come after that one. Counted in day numbers and only as
 * far as that date, so that a series costs what lies behind it and not what lies ahead.
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

/** A date as `until` includes its whole day, a time its very moment. */
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
  // To know which number an occurrence has, all before it must be counted; the first date is the first.
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
    index = nextBusyPeriod(periods, index);
  }
}

/** Null when a whole cycle of the calendar goes by without a day, since the rule then never falls again. */
function nextBusyPeriod(periods: Periods, index: number): number | null {
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
