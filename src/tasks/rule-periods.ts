/**
 * Cuts the calendar into the periods of a rule (every second week, every third month, …) and says on
 * which days the rule falls inside one of them, as RFC 5545 §3.3.10 expands and limits them.
 *
 * A period is computed from its number alone, never from the one before it. That is what lets a
 * series left alone for decades be resumed without walking through them.
 */
import { civilDateOf, DAYS_IN_CYCLE, dayOf, monthAt, monthFinder, weekdayOf, YEARS_IN_CYCLE } from './calendar-days.ts';
import type { Rule } from './recurrence.ts';
import { impliesItsDay, monthDayFilter, monthExpander, monthFilter, type Scope, weekdayFilter } from './rule-days.ts';
import { SignedPositions } from './signed-positions.ts';

export interface Periods {
  /** The number of the period that the day lies in, or of the last one before it. 0 holds the first date. */
  readonly indexOf: (day: number) => number;
  readonly startOf: (index: number) => number;
  /** The days on which the rule falls in that period, ascending. */
  readonly daysOf: (index: number) => readonly number[];
  /** After this many periods the same ones come round again; a rule silent for so long stays silent. */
  readonly cycle: number;
}

const NONE: readonly number[] = [];
const EVERY_MONTH = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12];

export function periodsOf(rule: Rule, first: number): Periods {
  const periods = { daily, weekly, monthly, yearly }[rule.freq](rule, first);
  if (rule.bySetPos.length === 0) return periods;
  const positions = new SignedPositions(rule.bySetPos);
  return { ...periods, daysOf: (index) => atPositions(periods.daysOf(index), positions) };
}

function atPositions(days: readonly number[], positions: SignedPositions): readonly number[] {
  if (days.length === 1) return positions.includes(0, 1) ? days : NONE;
  return days.filter((_, index) => positions.includes(index, days.length));
}

function daily(rule: Rule, first: number): Periods {
  const startOf = (index: number) => first + index * rule.interval;
  const monthOf = monthFinder();
  const inMonth = monthFilter(rule);
  const onMonthDay = monthDayFilter(rule);
  const onWeekday = weekdayFilter(rule);
  return {
    indexOf: (day) => Math.floor((day - first) / rule.interval),
    startOf,
    daysOf: (index) => {
      const day = startOf(index);
      const month = monthOf(day);
      return inMonth(month) && onMonthDay(day, month) && onWeekday(day) ? [day] : NONE;
    },
    cycle: repeatsAfter(DAYS_IN_CYCLE, rule.interval),
  };
}

function weekly(rule: Rule, first: number): Periods {
  const stride = rule.interval * 7;
  const sinceWeekStart = (weekday: number) => (weekday - rule.weekStart + 7) % 7;
  const origin = first - sinceWeekStart(weekdayOf(first));
  const startOf = (index: number) => origin + index * stride;
  const monthOf = monthFinder();
  const inMonth = monthFilter(rule);
  const weekdays = rule.byWeekday.length > 0 ? rule.byWeekday.map(({ day }) => day) : [weekdayOf(first)];
  const offsets = weekdays.map(sinceWeekStart).sort((a, b) => a - b);
  return {
    indexOf: (day) => Math.floor((day - origin) / stride),
    startOf,
    daysOf: (index) => offsets.map((offset) => startOf(index) + offset).filter((day) => inMonth(monthOf(day))),
    cycle: repeatsAfter(DAYS_IN_CYCLE / 7, rule.interval),
  };
}

function monthly(rule: Rule, first: number): Periods {
  const countMonths = (day: number) => {
    const { year, month } = civilDateOf(day);
    return year * 12 + month - 1;
  };
  const origin = countMonths(first);
  const at = (index: number) => {
    const months = origin + index * rule.interval;
    return monthAt(Math.floor(months / 12), (months % 12) + 1);
  };
  const inMonth = monthFilter(rule);
  const daysOfMonth = monthExpander(rule, first);
  return {
    indexOf: (day) => Math.floor((countMonths(day) - origin) / rule.interval),
    startOf: (index) => at(index).start,
    daysOf: (index) => {
      const month = at(index);
      return inMonth(month) ? daysOfMonth(month, month) : NONE;
    },
    cycle: repeatsAfter(YEARS_IN_CYCLE * 12, rule.interval),
  };
}

function yearly(rule: Rule, first: number): Periods {
  const { year: origin, month: firstMonth } = civilDateOf(first);
  const yearAt = (index: number) => origin + index * rule.interval;
  const daysOfMonth = monthExpander(rule, first);
  const months = monthsOfYear(rule, firstMonth);
  const countsInMonth = rule.byMonth.length > 0;
  return {
    indexOf: (day) => Math.floor((civilDateOf(day).year - origin) / rule.interval),
    startOf: (index) => dayOf(yearAt(index), 1, 1),
    daysOf: (index) => {
      const year = scopeOfYear(yearAt(index));
      return months.flatMap((number) => {
        const month = monthAt(yearAt(index), number);
        return daysOfMonth(month, countsInMonth ? month : year);
      });
    },
    cycle: repeatsAfter(YEARS_IN_CYCLE, rule.interval),
  };
}

function monthsOfYear(rule: Rule, firstMonth: number): readonly number[] {
  if (rule.byMonth.length > 0) return rule.byMonth;
  return impliesItsDay(rule) ? [firstMonth] : EVERY_MONTH;
}

function scopeOfYear(year: number): Scope {
  const start = dayOf(year, 1, 1);
  return { start, length: dayOf(year + 1, 1, 1) - start };
}

/** How many steps of `interval` it takes to come back to the same place in a cycle of that length. */
function repeatsAfter(cycle: number, interval: number): number {
  let [divisor, rest] = [cycle, interval];
  while (rest > 0) [divisor, rest] = [rest, divisor % rest];
  return cycle / divisor;
}
