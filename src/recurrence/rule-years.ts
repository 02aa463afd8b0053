/**
 * Lists the days of a year that a rule matches, following the expand and limit rules of RFC 5545 §3.3.10.
 *
 * Counting a series from its first date, or finding out that a rule never matches, walks through centuries. It takes a
 * few milliseconds at most, because apart from the interval, the days that a rule matches depend only on the length of
 * the year and on the weekday it begins with. So each of these 14 kinds of years is expanded once. That also covers a
 * week that two years share, because December and January always have the same length.
 */
import { civilDateOf, DAYS_IN_CYCLE, dayOf, monthAt, monthFinder, weekdayOf, YEARS_IN_CYCLE } from './calendar-days.ts';
import { type DayRule, namesNoDay } from './rule.ts';
import { monthDayFilter, monthExpander, monthFilter, type Scope, SignedPositions, weekdayFilter } from './rule-days.ts';

export interface RuleYears {
  /** The days of that year that the rule matches, ascending. */
  readonly daysOf: (year: number) => readonly number[];
  /** The pattern repeats after this many years. A rule that matches no day in a whole cycle never matches again. */
  readonly cycle: number;
}

/** The days of a year that the rule would match with an interval of one. */
type Expand = (year: Year) => readonly number[];

interface Year extends Scope {
  readonly number: number;
}

const EVERY_MONTH = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12];
const PERIODS_IN_CYCLE = {
  daily: DAYS_IN_CYCLE,
  weekly: DAYS_IN_CYCLE / 7,
  monthly: YEARS_IN_CYCLE * 12,
  yearly: YEARS_IN_CYCLE,
};

export function yearsOf(rule: DayRule, first: number): RuleYears {
  const offsetsOf = oncePerShape({ daily, weekly, monthly, yearly }[rule.freq](rule, first));
  const isInInterval = intervalFilter(rule, first);
  return {
    daysOf: (number) => {
      const year = yearAt(number);
      const days: number[] = [];
      for (const offset of offsetsOf(year)) {
        if (isInInterval(year.start + offset)) days.push(year.start + offset);
      }
      return days;
    },
    cycle: (YEARS_IN_CYCLE * rule.interval) / greatestDivisor(PERIODS_IN_CYCLE[rule.freq], rule.interval),
  };
}

function oncePerShape(expand: Expand): (year: Year) => readonly number[] {
  const offsets: (readonly number[])[] = [];
  return (year) => {
    const shape = (year.length - 365) * 7 + weekdayOf(year.start) - 1;
    offsets[shape] ??= expand(year).map((day) => day - year.start);
    return offsets[shape];
  };
}

/** Returns a function that decides whether a day is in a period that the interval does not leave out. */
function intervalFilter({ freq, interval, weekStart }: DayRule, first: number): (day: number) => boolean {
  if (interval === 1) return () => true;
  switch (freq) {
    case 'daily':
      return (day) => (day - first) % interval === 0;
    case 'weekly': {
      const origin = startOfWeek(first, weekStart);
      return (day) => Math.floor((day - origin) / 7) % interval === 0;
    }
    case 'monthly': {
      const monthOf = monthFinder();
      const origin = monthOf(first).sinceYearZero;
      return (day) => (monthOf(day).sinceYearZero - origin) % interval === 0;
    }
    case 'yearly': {
      const origin = civilDateOf(first).year;
      return (day) => (civilDateOf(day).year - origin) % interval === 0;
    }
  }
}

function daily(rule: DayRule): Expand {
  const monthOf = monthFinder();
  const inMonth = monthFilter(rule);
  const onMonthDay = monthDayFilter(rule);
  const onWeekday = weekdayFilter(rule);
  const select = positionFilter(rule);
  return ({ start, length }) => {
    const days: number[] = [];
    for (let day = start; day < start + length; day++) {
      const month = monthOf(day);
      if (inMonth(month) && onMonthDay(day, month) && onWeekday(day)) days.push(...select([day]));
    }
    return days;
  };
}

function weekly(rule: DayRule, first: number): Expand {
  const monthOf = monthFinder();
  const inMonth = monthFilter(rule);
  const select = positionFilter(rule);
  const weekdays = rule.byWeekday.length > 0 ? rule.byWeekday.map(({ day }) => day) : [weekdayOf(first)];
  const offsets = weekdays.map((weekday) => (weekday - rule.weekStart + 7) % 7).sort((a, b) => a - b);
  return ({ start, length }) => {
    const days: number[] = [];
    for (let week = startOfWeek(start, rule.weekStart); week < start + length; week += 7) {
      days.push(...select(offsets.map((offset) => week + offset).filter((day) => inMonth(monthOf(day)))));
    }
    return days.filter((day) => day >= start && day < start + length);
  };
}

const startOfWeek = (day: number, weekStart: number): number => day - ((weekdayOf(day) - weekStart + 7) % 7);

function monthly(rule: DayRule, first: number): Expand {
  const inMonth = monthFilter(rule);
  const daysOfMonth = monthExpander(rule, first);
  const select = positionFilter(rule);
  return ({ number }) =>
    EVERY_MONTH.map((month) => monthAt(number, month))
      .filter(inMonth)
      .flatMap((month) => select(daysOfMonth(month, month)));
}

function yearly(rule: DayRule, first: number): Expand {
  const daysOfMonth = monthExpander(rule, first);
  const months = monthsOfYear(rule, civilDateOf(first).month);
  const countsInMonth = rule.byMonth.length > 0;
  const select = positionFilter(rule);
  return (year) =>
    select(
      months.flatMap((number) => {
        const month = monthAt(year.number, number);
        return daysOfMonth(month, countsInMonth ? month : year);
      }),
    );
}

function monthsOfYear(rule: DayRule, firstMonth: number): readonly number[] {
  if (rule.byMonth.length > 0) return rule.byMonth;
  return namesNoDay(rule) ? [firstMonth] : EVERY_MONTH;
}

/** Returns a function that selects the BYSETPOS of the days of a period. */
function positionFilter({ bySetPos }: DayRule): (days: readonly number[]) => readonly number[] {
  if (bySetPos.length === 0) return (days) => days;
  const positions = new SignedPositions(bySetPos);
  return (days) => days.filter((_, index) => positions.includes(index, days.length));
}

function yearAt(number: number): Year {
  const start = dayOf(number, 1, 1);
  return { number, start, length: dayOf(number + 1, 1, 1) - start };
}

function greatestDivisor(one: number, other: number): number {
  return other === 0 ? one : greatestDivisor(other, one % other);
}
