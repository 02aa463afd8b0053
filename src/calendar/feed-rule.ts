/**
 * Translates a task's rule for a calendar: into an RRULE (RFC 5545) with the same dates from the current
 * occurrence on, or into a list of the next dates if no such RRULE exists. The dates of a rule that
 * counts from completion are not known in advance, and those of an hourly or minutely rule would fill
 * the calendar, so it shows only the current one.
 */
import { dayOfDate } from '../recurrence/calendar-days.ts';
import { countAfter, datesAfter, isPastUntil, wallTimesAfter } from '../recurrence/occurrences.ts';
import { type DayRule, isClockRule, type Rule } from '../recurrence/rule.ts';
import { yearsOf } from '../recurrence/rule-years.ts';

interface Repetition {
  readonly rule: DayRule;
  /** The start of the series. */
  readonly first: Temporal.PlainDateTime;
  /** The current occurrence, on the owner's wall clock. */
  readonly current: Temporal.PlainDateTime;
  readonly hasTime: boolean;
  readonly zone: string;
  /** The current occurrence is in the second of two hours with the same wall-clock time, when clocks go back. */
  readonly isRepeatedHour: boolean;
}

export type Repeats =
  | { readonly kind: 'never' }
  | { readonly kind: 'rule'; readonly rrule: string }
  | { readonly kind: 'dates'; readonly dates: readonly Temporal.PlainDateTime[] };

const NEVER: Repeats = { kind: 'never' };
const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];
/** A year of weekly dates; calendars refresh long before that. */
const MOST_DATES = 53;
/** Beyond the range of calendars. An `until` after this year counts as none. */
const LAST_YEAR = 9_998;

export function repeatsOf({ rule, ...current }: Omit<Repetition, 'rule'> & { readonly rule: Rule }): Repeats {
  if (rule.from === 'completion' || isClockRule(rule)) return NEVER;
  const repetition = { rule, ...current };
  const parts = matchesRule(repetition) ? partsOf(rule, repetition.first.day) : undefined;
  if (!parts) return datesOf(repetition);
  const end = endOf(repetition);
  return end === undefined ? NEVER : { kind: 'rule', rrule: [...parts, ...end].join(';') };
}

/**
 * Whether a calendar that counts from the current occurrence finds the same dates. It does only if the
 * rule includes that date at the time of the series, which is not so after a change of time zone or if
 * the first date is outside the rule. An occurrence that has to be written in UTC would repeat in UTC.
 */
function matchesRule({ rule, first, current, hasTime, isRepeatedHour }: Repetition): boolean {
  // RFC 5545 has no list of times: BYHOUR and BYMINUTE combine every hour with every minute.
  if (isRepeatedHour || rule.byTime.length > 0) return false;
  if (hasTime && !current.toPlainTime().equals(first.toPlainTime())) return false;
  const years = yearsOf(rule, dayOfDate(first.toPlainDate()));
  return years.daysOf(current.year).includes(dayOfDate(current.toPlainDate()));
}

/** Undefined if RFC 5545 cannot express the rule, or programs disagree on the meaning. */
function partsOf(rule: DayRule, firstDay: number): string[] | undefined {
  const { byWeekday, byMonth, bySetPos, weekStart } = rule;
  const days = monthDaysOf(rule, firstDay);
  const hasTwoEnds = rule.count !== null && rule.until !== null;
  if (!days || hasTwoEnds) return undefined;
  const hasOrdinal = byWeekday.some(({ nth }) => nth !== null);
  if (hasOrdinal && rule.byMonthDay.length > 0) return undefined;
  return [
    `FREQ=${days.freq.toUpperCase()}`,
    ...(rule.interval > 1 ? [`INTERVAL=${rule.interval}`] : []),
    ...listed('BYMONTH', byMonth),
    ...listed('BYMONTHDAY', days.byMonthDay),
    ...listed(
      'BYDAY',
      byWeekday.map(({ day, nth }) => `${nth ?? ''}${WEEKDAYS[day - 1]}`),
    ),
    ...listed('BYSETPOS', [...bySetPos, ...days.bySetPos]),
    ...(rule.freq === 'weekly' && weekStart !== 1 ? [`WKST=${WEEKDAYS[weekStart - 1]}`] : []),
  ];
}

const listed = (name: string, values: readonly (string | number)[]): string[] =>
  values.length > 0 ? [`${name}=${values.join(',')}`] : [];

interface MonthDays {
  readonly freq: string;
  readonly byMonthDay: readonly number[];
  readonly bySetPos: readonly number[];
}

/** "The 31st, or the last day of a shorter month" is the last of 28, 29, 30 and 31 that the month has. */
function monthDaysOf(rule: DayRule, firstDay: number): MonthDays | undefined {
  const { freq, byMonthDay, byMonth, bySetPos, interval } = rule;
  if (!rule.clampToMonthEnd || firstDay <= 28) return { freq, byMonthDay, bySetPos: [] };
  // BYSETPOS selects within a period, so each month of a yearly rule must be a period of its own.
  const isByMonth = freq === 'monthly' || byMonth.length > 0;
  if (bySetPos.length > 0 || !isByMonth || (freq === 'yearly' && interval > 1)) return undefined;
  const candidates = [28, 29, 30, 31].filter((day) => day <= firstDay);
  return { freq: 'monthly', byMonthDay: candidates, bySetPos: [-1] };
}

/** COUNT, UNTIL or nothing; undefined if the current occurrence is the last. */
function endOf(repetition: Repetition): string[] | undefined {
  const { rule, first, current } = repetition;
  if (rule.count !== null) {
    const left = countAfter(rule, rule.count, first.toPlainDate(), current.toPlainDate());
    return left === 0 ? undefined : [`COUNT=${left + 1}`];
  }
  if (rule.until === null) return [];
  if (laterDates(repetition).next().done) return undefined;
  const last = lastMoment(repetition);
  return last.year > LAST_YEAR || last.year < current.year ? [] : [`UNTIL=${untilText(repetition, last)}`];
}

/** The last wall-clock moment that `until` includes. */
function lastMoment({ rule: { until }, zone, current }: Repetition): Temporal.PlainDateTime {
  switch (until?.kind) {
    case 'date':
      return until.date.toPlainDateTime('23:59:59');
    case 'wall':
      return until.wall;
    case 'instant':
      return until.instant.toZonedDateTimeISO(zone).toPlainDateTime();
    default:
      return current;
  }
}

/** UNTIL is in UTC if occurrences have a time, otherwise a date: RFC 5545 §3.3.10. */
function untilText({ first, hasTime, zone }: Repetition, last: Temporal.PlainDateTime): string {
  if (hasTime) {
    const utc = last.toZonedDateTime(zone).withTimeZone('UTC').toPlainDateTime();
    return `${utc.toString({ smallestUnit: 'second' }).replaceAll(/[-:]/g, '')}Z`;
  }
  const isWithin = Temporal.PlainTime.compare(first.toPlainTime(), last.toPlainTime()) <= 0;
  const date = isWithin ? last.toPlainDate() : last.toPlainDate().subtract({ days: 1 });
  return date.toString().replaceAll('-', '');
}

function datesOf(repetition: Repetition): Repeats {
  const dates = [...laterDates(repetition).take(MOST_DATES)];
  return dates.length === 0 ? NEVER : { kind: 'dates', dates };
}

/** The occurrences after the current one, until the rule ends. */
function* laterDates({ rule, first, current, zone }: Repetition): Generator<Temporal.PlainDateTime> {
  const dates = datesAfter(rule, first.toPlainDate(), current.toPlainDate());
  const walls =
    rule.byTime.length > 0
      ? wallTimesAfter(rule, first, current)
      : dates.map((date) => date.toPlainDateTime(first.toPlainTime()));
  for (const wall of walls) {
    if (wall.year > LAST_YEAR || (rule.until !== null && isPastUntil(rule.until, wall, zone))) return;
    yield wall;
  }
}
