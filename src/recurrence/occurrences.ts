/**
 * Finds the next occurrence of a series. A day rule is expanded as dates, and only the resulting date is
 * converted to an instant on the user's wall clock. A time inside a DST gap therefore moves later
 * (strict RFC 5545 would skip it) and is back at its usual time the day after. An hourly or minutely
 * rule is computed on instants, so its occurrences stay equally far apart when clocks change.
 *
 * The result is always later than `after`, so a task always advances to a new occurrence.
 */
import { civilDateOf, dateOfDay, dayOfDate, LAST_YEAR } from './calendar-days.ts';
import { type ClockRule, type DayRule, type Hours, isClockRule, type Rule, type Until } from './rule.ts';
import { type RuleYears, yearsOf } from './rule-years.ts';

/** A later instant has no four-digit year, which clients cannot parse. */
const LAST_INSTANT = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * The first date strictly after `after` that the rule matches, in a series that starts on `first`. Null
 * if the rule has ended or never matches again. The first date belongs to the series even if the rule
 * does not match it. This function ignores `until`: the caller checks it with `isPastUntil`.
 */
export function nextDate(
  rule: DayRule,
  first: Temporal.PlainDate,
  after: Temporal.PlainDate,
): Temporal.PlainDate | null {
  for (const date of datesAfter(rule, first, after)) return date;
  return null;
}

/** Every such date, in ascending order. Times of the day are ignored. */
export function* datesAfter(
  rule: DayRule,
  first: Temporal.PlainDate,
  after: Temporal.PlainDate,
): Generator<Temporal.PlainDate> {
  const series = { day: dayOfDate(first), time: new Temporal.PlainTime() };
  for (const { day } of momentsAfter({ ...rule, byTime: [] }, series, dayOfDate(after))) yield dateOfDay(day);
}

/** Every wall-clock moment of the series strictly after `after`, in ascending order, regardless of `until`. */
export function* wallTimesAfter(
  rule: DayRule,
  first: Temporal.PlainDateTime,
  after: Temporal.PlainDateTime,
): Generator<Temporal.PlainDateTime> {
  for (const moment of momentsAfter(rule, momentOf(first), dayOfDate(after.toPlainDate()) - 1)) {
    const wall = wallOf(moment);
    if (Temporal.PlainDateTime.compare(wall, after) > 0) yield wall;
  }
}

/** The first occurrence strictly after `after`, at the wall time of `first` or at the rule's own times. */
export function nextOccurrence(
  rule: DayRule,
  series: { readonly first: Temporal.PlainDateTime; readonly zone: string },
  after: Date,
): Date | null {
  const { first, zone } = series;
  // A zone can skip a whole day (Apia, 30 December 2011), which moves that day's time to the next day.
  // An occurrence can therefore still be ahead although its date has passed.
  const passed = dayOfDate(localDate(after, zone)) - 2;
  let next: { readonly at: number; readonly day: number; readonly wall: Temporal.PlainDateTime } | null = null;
  for (const moment of momentsAfter(rule, momentOf(first), passed)) {
    // On the day of a gap, 02:15 can come after 03:05, so all times of a day are compared.
    if (next !== null && moment.day > next.day) break;
    const wall = wallOf(moment);
    const at = instantOf(wall, zone).epochMilliseconds;
    if (at > after.getTime() && (next === null || at < next.at)) next = { at, day: moment.day, wall };
    if (next !== null && rule.byTime.length === 0) break;
  }
  if (next === null || next.at > LAST_INSTANT) return null;
  return rule.until !== null && isPastUntil(rule.until, next.wall, zone) ? null : new Date(next.at);
}

const MILLISECONDS = { hourly: 3_600_000, minutely: 60_000 };

/**
 * The first occurrence of an hourly or minutely rule strictly after `after`. It is counted from any known
 * occurrence, because all are equally far apart; only `count` needs the first one.
 */
export function nextElapsed(
  rule: ClockRule,
  series: { readonly first: Date; readonly known: Date; readonly zone: string },
  after: Date,
): Date | null {
  const step = rule.interval * MILLISECONDS[rule.freq];
  const known = series.known.getTime();
  const at = known + (Math.floor((after.getTime() - known) / step) + 1) * step;
  const number = Math.round((at - series.first.getTime()) / step) + 1;
  if (rule.count !== null && number > rule.count) return null;
  return isOver(rule, at, series.zone) ? null : new Date(at);
}

export const isOver = ({ until }: Rule, at: number, zone: string): boolean =>
  at > LAST_INSTANT || (until !== null && isInstantPastUntil(until, at, zone));

/** The day that a moment counts for: hours that pass midnight belong to the day on which they begin. */
export function dayWithin({ start, end }: Hours, at: Date, zone: string): Temporal.PlainDate {
  const wall = wallAt(at, zone);
  const isAfterMidnight = Temporal.PlainTime.compare(start, end) > 0 && isUpTo(wall, end);
  return isAfterMidnight ? wall.toPlainDate().subtract({ days: 1 }) : wall.toPlainDate();
}

/**
 * The moment itself if it is within the hours, otherwise the next moment at which they begin. On `fullDay` and before
 * it, no more occurrences are allowed.
 */
export function firstWithin(hours: Hours, at: Date, zone: string, fullDay: Temporal.PlainDate | null): Date {
  const day = dayWithin(hours, at, zone);
  const isFull = fullDay !== null && Temporal.PlainDate.compare(day, fullDay) <= 0;
  if (!isFull && isWithin(hours, wallAt(at, zone))) return at;
  const begin = (date: Temporal.PlainDate) =>
    new Date(instantOf(date.toPlainDateTime(hours.start), zone).epochMilliseconds);
  const next = begin(isFull ? fullDay.add({ days: 1 }) : day);
  return next >= at ? next : begin(day.add({ days: 1 }));
}

const isUpTo = (wall: Temporal.PlainDateTime, end: Temporal.PlainTime) =>
  Temporal.PlainTime.compare(wall.toPlainTime(), end) <= 0;

function isWithin({ start, end }: Hours, wall: Temporal.PlainDateTime): boolean {
  const isBegun = Temporal.PlainTime.compare(wall.toPlainTime(), start) >= 0;
  return Temporal.PlainTime.compare(start, end) < 0 ? isBegun && isUpTo(wall, end) : isBegun || isUpTo(wall, end);
}

/** Whether the rule itself names the first moment of its series, which belongs to the series in any case. */
export function namesFirst(rule: Rule, first: Temporal.PlainDateTime): boolean {
  if (isClockRule(rule)) return true;
  const { day, time } = momentOf(first);
  const isRuleTime = rule.byTime.length === 0 || rule.byTime.some((one) => one.equals(time));
  return isRuleTime && yearsOf(rule, day).daysOf(first.year).includes(day);
}

/** The first of January 2000: a day that every month has, at the start of a calendar cycle. */
const ANY_FIRST = new Temporal.PlainDate(2000, 1, 1);

/**
 * Whether the rule matches any date after `first`, however distant, regardless of `count` and `until`. If `first` is
 * null: whether there is a first date with which it would. The interval is irrelevant then.
 */
export function canRecur(rule: Rule, first: Temporal.PlainDate | null): boolean {
  if (isClockRule(rule)) return true;
  const { interval, start } = first ? { interval: rule.interval, start: first } : { interval: 1, start: ANY_FIRST };
  return nextDate({ ...rule, interval, count: null }, start, start) !== null;
}

/**
 * How many dates of a series with `count` come after the given date. It iterates over day numbers up to
 * that date only, so the cost depends on the past dates and not on the remaining ones.
 */
export function countAfter(rule: DayRule, count: number, first: Temporal.PlainDate, after: Temporal.PlainDate): number {
  const [begin, end] = [dayOfDate(first), dayOfDate(after)];
  let passed = begin <= end ? 1 : 0;
  for (const day of ruleDaysAfter(yearsOf(rule, begin), begin)) {
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

/** The same for an instant, because a wall time is ambiguous in an hour that clocks repeat. */
function isInstantPastUntil(until: Until, at: number, zone: string): boolean {
  const instant = Temporal.Instant.fromEpochMilliseconds(at);
  if (until.kind === 'instant') return Temporal.Instant.compare(instant, until.instant) > 0;
  return isPastUntil(until, instant.toZonedDateTimeISO(zone).toPlainDateTime(), zone);
}

const wallAt = (at: Date, zone: string): Temporal.PlainDateTime =>
  Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(zone).toPlainDateTime();

/** A moment on the wall clock. Day numbers keep the counting of long series cheap. */
interface Moment {
  readonly day: number;
  readonly time: Temporal.PlainTime;
}

const momentOf = (wall: Temporal.PlainDateTime): Moment => ({
  day: dayOfDate(wall.toPlainDate()),
  time: wall.toPlainTime(),
});

const wallOf = ({ day, time }: Moment): Temporal.PlainDateTime => dateOfDay(day).toPlainDateTime(time);

/** The moments of the series on the days after `after`. */
function* momentsAfter(rule: DayRule, first: Moment, after: number): Generator<Moment> {
  if (rule.count === null) {
    yield* seriesAfter(rule, first, after);
    return;
  }
  // The number of an occurrence is known only by counting from the first moment, which is number one.
  for (const moment of seriesAfter(rule, first, first.day - 1).take(rule.count)) {
    if (moment.day > after) yield moment;
  }
}

function* seriesAfter(rule: DayRule, first: Moment, after: number): Generator<Moment> {
  const years = yearsOf(rule, first.day);
  if (after < first.day) {
    yield first;
    for (const time of laterTimes(rule, years, first)) yield { day: first.day, time };
  }
  const times = rule.byTime.length > 0 ? rule.byTime : [first.time];
  for (const day of ruleDaysAfter(years, Math.max(first.day, after))) {
    for (const time of times) yield { day, time };
  }
}

/** The rule's times after the first moment on its day, if the rule matches that day. */
function laterTimes(
  { byTime }: DayRule,
  years: RuleYears,
  { day, time: first }: Moment,
): readonly Temporal.PlainTime[] {
  if (byTime.length === 0 || !years.daysOf(civilDateOf(day).year).includes(day)) return [];
  return byTime.filter((time) => Temporal.PlainTime.compare(time, first) > 0);
}

/** Ends if a whole calendar cycle contains no match, because the rule then never matches again. */
function* ruleDaysAfter(years: RuleYears, after: number): Generator<number> {
  const { year: firstYear } = civilDateOf(after);
  let lastMatch = firstYear;
  for (let year = firstYear; year <= LAST_YEAR && year - lastMatch <= years.cycle; year++) {
    for (const day of years.daysOf(year)) {
      if (day > after) yield day;
      lastMatch = year;
    }
  }
}

function localDate(at: Date, zone: string): Temporal.PlainDate {
  return wallAt(at, zone).toPlainDate();
}

function instantOf(wall: Temporal.PlainDateTime, zone: string): Temporal.Instant {
  return wall.toZonedDateTime(zone, { disambiguation: 'compatible' }).toInstant();
}
