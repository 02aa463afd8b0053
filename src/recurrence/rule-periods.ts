/**
 * Divides the calendar into the periods of a rule (every second week, every third month, …) and lists
 * the days that the rule matches in a period, following the expand and limit rules of RFC 5545 §3.3.10.
 *
 * A period is computed from its index alone, never from the previous period. A series untouched for
 * decades therefore resumes without iterating over them.
 */
import { civilDateOf, DAYS_IN_CYCLE, dayOf, monthAt, monthFinder, weekdayOf, YEARS_IN_CYCLE } from './calendar-days.ts';
import { type DayRule, namesNoDay } from './rule.ts';
import { monthDayFilter, monthExpander, monthFilter, type Scope, SignedPositions, weekdayFilter } from './rule-days.ts';

export interface Periods {
  /** The index of the period that contains the day, or of the last period before it. Period 0 contains the first date. */
  readonly indexOf: (day: number) => number;
  readonly startOf: (index: number) => number;
  /** The days of that period that the rule matches, ascending. */
  readonly daysOf: (index: number) => readonly number[];
  /** The pattern repeats after this many periods. A rule that matches no day in a whole cycle never matches again. */
  readonly cycle: number;
}

const NONE: readonly number[] = [];
const EVERY_MONTH = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12];

export function periodsOf(rule: DayRule, first: number): Periods {
  const periods = { daily, weekly, monthly, yearly }[rule.freq](rule, first);
  if (rule.bySetPos.length === 0) return periods;
  const positions = new SignedPositions(rule.bySetPos);
  return { ...periods, daysOf: (index) => atPositions(periods.daysOf(index), positions) };
}

function atPositions(days: readonly number[], positions: SignedPositions): readonly number[] {
  if (days.length === 1) return positions.includes(0, 1) ? days : NONE;
  return days.filter((_, index) => positions.includes(index, days.length));
}

function daily(rule: DayRule, first: number): Periods {
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
    cycle: stepsPerCycle(DAYS_IN_CYCLE, rule.interval),
  };
}

function weekly(rule: DayRule, first: number): Periods {
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
    cycle: stepsPerCycle(DAYS_IN_CYCLE / 7, rule.interval),
  };
}

function monthly(rule: DayRule, first: number): Periods {
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
    cycle: stepsPerCycle(YEARS_IN_CYCLE * 12, rule.interval),
  };
}

function yearly(rule: DayRule, first: number): Periods {
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
    cycle: stepsPerCycle(YEARS_IN_CYCLE, rule.interval),
  };
}

function monthsOfYear(rule: DayRule, firstMonth: number): readonly number[] {
  if (rule.byMonth.length > 0) return rule.byMonth;
  return namesNoDay(rule) ? [firstMonth] : EVERY_MONTH;
}

function scopeOfYear(year: number): Scope {
  const start = dayOf(year, 1, 1);
  return { start, length: dayOf(year + 1, 1, 1) - start };
}

/** How many steps of `interval` return to the same place in a cycle of that length. */
function stepsPerCycle(cycle: number, interval: number): number {
  let [divisor, rest] = [cycle, interval];
  while (rest > 0) [divisor, rest] = [rest, divisor % rest];
  return cycle / divisor;
}
