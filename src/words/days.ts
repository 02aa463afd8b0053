/** Dates that follow from another one. Weekdays count from 0 for Monday, and weeks begin on Monday. */
import { addDays, type Day, lastDayIn, weekdayOf } from './wall-time.ts';

const SOME_LEAP_YEAR = 2028;
/** Reaches the next 29 February, up to eight years ahead. */
const MAX_SEARCH_YEARS = 9;

const compare = (one: Day, two: Day) => one.year - two.year || one.month - two.month || one.day - two.day;
export const isBefore = (one: Day, two: Day): boolean => compare(one, two) < 0;
export const isSameDay = (one: Day, two: Day): boolean => compare(one, two) === 0;

export const startOfMonth = (day: Day): Day => ({ ...day, day: 1 });
export const endOfMonth = (day: Day): Day => ({ ...day, day: lastDayIn(day.year, day.month) });

export const realDate = (year: number, month: number, day: number): Day | undefined =>
  month >= 1 && month <= 12 && day >= 1 && day <= lastDayIn(year, month) ? { year, month, day } : undefined;

/** The first such weekday after today. */
export const nextWeekday = (today: Day, weekday: number): Day =>
  addDays(today, (weekday + 1 - weekdayOf(today) + 7) % 7 || 7);

export const weekdayNextWeek = (today: Day, weekday: number): Day => addDays(today, 8 - weekdayOf(today) + weekday);

/** 31 January and a month is the last day of February. */
export function monthsLater({ year, month, day }: Day, months: number): Day {
  const count = year * 12 + month - 1 + months;
  const [toYear, toMonth] = [Math.floor(count / 12), (count % 12) + 1];
  return { year: toYear, month: toMonth, day: Math.min(day, lastDayIn(toYear, toMonth)) };
}

/** By so many days, weeks, fortnights, months or years; their first letters are enough for all but months. A night is a day. */
export function later(from: Day, count: number, unit: string): Day {
  if (unit.startsWith('month')) return monthsLater(from, count);
  if (unit.startsWith('year')) return monthsLater(from, count * 12);
  const days = unit.startsWith('f') ? 14 : unit.startsWith('w') ? 7 : 1;
  return addDays(from, count * days);
}

/** The first day of the next such month, which may be the present one. */
export const nextMonth = (today: Day, month: number): Day =>
  month === today.month ? startOfMonth(today) : nextDate(today, month, 1);

/** The next such date from today on. */
function nextDate(today: Day, month: number, day: number): Day {
  for (let year = today.year; year < today.year + MAX_SEARCH_YEARS; year += 1) {
    const date = realDate(year, month, day);
    if (date && !isBefore(date, today)) return date;
  }
  return { year: today.year, month, day };
}

/** In the year as it was written, with two or four digits; without one, the next such date. */
export function dateIn(today: Day, year: string | undefined, month: number, day: number): Day | undefined {
  if (year !== undefined) return realDate(year.length === 2 ? 2000 + Number(year) : Number(year), month, day);
  return realDate(SOME_LEAP_YEAR, month, day) && nextDate(today, month, day);
}

/** The first date from today on that a month has, in the month of `start` or one of the next. */
function firstAhead(today: Day, start: Day, dateOf: (month: Day) => Day | undefined): Day | undefined {
  for (let months = 0; months < 12; months += 1) {
    const date = dateOf(monthsLater(start, months));
    if (date && !isBefore(date, today)) return date;
  }
  return undefined;
}

/** A month that is too short is left out, unless it was named as the next one. */
export function dayOfMonth(today: Day, day: number, isNextMonth: boolean): Day | undefined {
  if (!isNextMonth) return firstAhead(today, startOfMonth(today), ({ year, month }) => realDate(year, month, day));
  const { year, month } = monthsLater(startOfMonth(today), 1);
  return day <= 31 ? { year, month, day: Math.min(day, lastDayIn(year, month)) } : undefined;
}

/** The second Tuesday, or with -1 the last one. */
export function nthWeekday(today: Day, nth: number, weekday: number, start: Day): Day | undefined {
  return firstAhead(today, start, ({ year, month }) => {
    const first = ((weekday + 1 - weekdayOf({ year, month, day: 1 }) + 7) % 7) + 1;
    const last = first + 7 * Math.floor((lastDayIn(year, month) - first) / 7);
    return realDate(year, month, nth === -1 ? last : first + 7 * (nth - 1));
  });
}
