/**
 * Says to a calendar how a task repeats: as the RRULE of RFC 5545 that falls on the same days as our
 * own rule from the present occurrence on, or, where no such rule exists, as the next dates one by
 * one. A rule that counts from completion cannot be foretold, so of it the calendar sees one date.
 */
import { dayOfDate } from '../tasks/calendar-days.ts';
import { countAfter, datesAfter, isPastUntil } from '../tasks/occurrences.ts';
import type { Rule } from '../tasks/recurrence.ts';
import { periodsOf } from '../tasks/rule-periods.ts';

export interface Repetition {
  readonly rule: Rule;
  /** What the rule is counted from. */
  readonly first: Temporal.PlainDateTime;
  /** The present occurrence, on the owner's wall clock. */
  readonly current: Temporal.PlainDateTime;
  readonly hasTime: boolean;
  readonly zone: string;
  /** The present occurrence is the second of two moments that the zone's clocks call alike. */
  readonly isRepeatedHour: boolean;
}

export type Repeats =
  | { readonly kind: 'never' }
  | { readonly kind: 'rule'; readonly rrule: string }
  | { readonly kind: 'dates'; readonly dates: readonly Temporal.PlainDateTime[] };

const NEVER: Repeats = { kind: 'never' };
const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];
/** What is listed date by date is listed for about a year of weeks; the calendar asks again long before. */
const MOST_DATES = 53;
/** Nobody's calendar goes beyond, and an `until` from there on means none. */
const LAST_YEAR = 9_998;

export function repeatsOf(repetition: Repetition): Repeats {
  const { rule } = repetition;
  if (rule.from === 'completion') return NEVER;
  const parts = isOnItsRule(repetition) ? partsOf(rule, repetition.first.day) : undefined;
  if (!parts) return datesOf(repetition);
  const end = endOf(repetition);
  return end === undefined ? NEVER : { kind: 'rule', rrule: [...parts, ...end].join(';') };
}

/**
 * A calendar counts from the date it is given. That leads to the same days only where the rule falls
 * on that date, at the time of the series: after a move to another zone, or on a first date beside
 * the rule, it does not. And a date that has to be given in UTC would be repeated in UTC.
 */
function isOnItsRule({ rule, first, current, hasTime, isRepeatedHour }: Repetition): boolean {
  if (isRepeatedHour) return false;
  if (hasTime && !current.toPlainTime().equals(first.toPlainTime())) return false;
  const day = dayOfDate(current.toPlainDate());
  const periods = periodsOf(rule, dayOfDate(first.toPlainDate()));
  return periods.daysOf(periods.indexOf(day)).includes(day);
}

/** Undefined where RFC 5545 has no words for it, or none that every reader takes alike. */
function partsOf(rule: Rule, firstDay: number): string[] | undefined {
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
function monthDaysOf(rule: Rule, firstDay: number): MonthDays | undefined {
  const { freq, byMonthDay, byMonth, bySetPos, interval } = rule;
  if (!rule.clampToMonthEnd || firstDay <= 28) return { freq, byMonthDay, bySetPos: [] };
  // The last one is chosen within the period, so several months of a year must each be one.
  const isByMonth = freq === 'monthly' || byMonth.length > 0;
  if (bySetPos.length > 0 || !isByMonth || (freq === 'yearly' && interval > 1)) return undefined;
  const candidates = [28, 29, 30, 31].filter((day) => day <= firstDay);
  return { freq: 'monthly', byMonthDay: candidates, bySetPos: [-1] };
}

/** How the rule ends: not at all, by COUNT or by UNTIL; undefined where the present occurrence is the last. */
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

/** UTC where the occurrences have a time, and a date where they have none: RFC 5545 §3.3.10. */
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

/** The occurrences after the present one, as long as the rule lasts. */
function* laterDates({ rule, first, current, zone }: Repetition): Generator<Temporal.PlainDateTime> {
  for (const date of datesAfter(rule, first.toPlainDate(), current.toPlainDate())) {
    const wall = date.toPlainDateTime(first.toPlainTime());
    if (date.year > LAST_YEAR || (rule.until !== null && isPastUntil(rule.until, wall, zone))) return;
    yield wall;
  }
}
