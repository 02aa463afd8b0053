/**
 * Calendar arithmetic on plain integers: a day is the number of days since 1970-01-01. Expanding a
 * rule checks thousands of days, and a Temporal object for each would cost a hundred times more.
 *
 * The conversions are Howard Hinnant's (https://howardhinnant.github.io/date_algorithms.html). They
 * start the year in March, so that the leap day comes last and the other months follow one formula.
 */
export interface CivilDate {
  readonly year: number;
  readonly month: number;
  readonly dayOfMonth: number;
}

/** The calendar, including its weekdays, repeats after this many years. */
export const YEARS_IN_CYCLE = 400;
export const DAYS_IN_CYCLE = 146_097;
const MONTH_LENGTHS = [0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

export function dayOf(year: number, month: number, dayOfMonth: number): number {
  const marchYear = month <= 2 ? year - 1 : year;
  const era = Math.floor(marchYear / 400);
  const yearOfEra = marchYear - era * 400;
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + dayOfMonth - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * DAYS_IN_CYCLE + dayOfEra - 719_468;
}

export function civilDateOf(day: number): CivilDate {
  const shifted = day + 719_468;
  const era = Math.floor(shifted / DAYS_IN_CYCLE);
  const dayOfEra = shifted - era * DAYS_IN_CYCLE;
  const leapDays = Math.floor(dayOfEra / 1460) - Math.floor(dayOfEra / 36_524) + Math.floor(dayOfEra / 146_096);
  const yearOfEra = Math.floor((dayOfEra - leapDays) / 365);
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const marchMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9;
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    dayOfMonth: dayOfYear - Math.floor((153 * marchMonth + 2) / 5) + 1,
  };
}

/** ISO weekday, Monday is 1. The first of January 1970 was a Thursday. */
export function weekdayOf(day: number): number {
  return ((((day + 3) % 7) + 7) % 7) + 1;
}

function daysInMonth(year: number, month: number): number {
  if (month === 2 && isLeapYear(year)) return 29;
  return MONTH_LENGTHS[month] ?? 0;
}

function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

export interface Month {
  /** January is 1. */
  readonly number: number;
  /** The first day of the month. */
  readonly start: number;
  readonly length: number;
  /** Months since January of the year 0. */
  readonly sinceYearZero: number;
}

export function monthAt(year: number, number: number): Month {
  const sinceYearZero = year * 12 + number - 1;
  return { number, start: dayOf(year, number, 1), length: daysInMonth(year, number), sinceYearZero };
}

/** Returns a function that finds the month of a day. It caches the last month, because consecutive days mostly share it. */
export function monthFinder(): (day: number) => Month {
  let latest: Month = { number: 0, start: 0, length: 0, sinceYearZero: 0 };
  return (day) => {
    if (day >= latest.start && day < latest.start + latest.length) return latest;
    const { year, month } = civilDateOf(day);
    latest = monthAt(year, month);
    return latest;
  };
}

/** The last year with four digits. No series continues after it. */
export const LAST_YEAR = 9999;

export function dayOfDate(date: Temporal.PlainDate): number {
  return dayOf(date.year, date.month, date.day);
}

export function dateOfDay(day: number): Temporal.PlainDate {
  const { year, month, dayOfMonth } = civilDateOf(day);
  return new Temporal.PlainDate(year, month, dayOfMonth);
}
