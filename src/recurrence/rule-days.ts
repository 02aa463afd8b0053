/** Decides whether a rule matches a single day: the BYxxx parts of RFC 5545. */
import { civilDateOf, type Month, weekdayOf } from './calendar-days.ts';
import { type DayRule, namesNoDay } from './rule.ts';

/**
 * The month or year in which an ordinal such as "the second Monday" counts. RFC 5545 uses the month for
 * a monthly rule and for a yearly rule with BYMONTH, and the year otherwise.
 */
export interface Scope {
  readonly start: number;
  readonly length: number;
}

/** Returns a function that lists the days of a month that a monthly or yearly rule matches. */
export function monthExpander(rule: DayRule, first: number): (month: Month, scope: Scope) => readonly number[] {
  if (namesNoDay(rule)) return impliedDay(rule, civilDateOf(first).dayOfMonth);
  const onMonthDay = monthDayFilter(rule);
  const onWeekday = weekdayFilter(rule);
  return (month, scope) => {
    const days: number[] = [];
    for (let day = month.start; day < month.start + month.length; day++) {
      if (onMonthDay(day, month) && onWeekday(day, scope)) days.push(day);
    }
    return days;
  };
}

function impliedDay(rule: DayRule, dayOfMonth: number): (month: Month) => readonly number[] {
  return ({ start, length }) => {
    if (dayOfMonth <= length) return [start + dayOfMonth - 1];
    return rule.clampToMonthEnd ? [start + length - 1] : [];
  };
}

export function monthFilter({ byMonth }: DayRule): (month: Month) => boolean {
  if (byMonth.length === 0) return () => true;
  const months = byMonth.reduce((bits, month) => bits | (1 << month), 0);
  return ({ number }) => (months & (1 << number)) !== 0;
}

export function monthDayFilter({ byMonthDay }: DayRule): (day: number, month: Month) => boolean {
  if (byMonthDay.length === 0) return () => true;
  const monthDays = new SignedPositions(byMonthDay);
  return (day, { start, length }) => monthDays.includes(day - start, length);
}

/** Without a scope no ordinal matches: only monthly and yearly rules can have ordinals. */
export function weekdayFilter({ byWeekday }: DayRule): (day: number, scope?: Scope) => boolean {
  if (byWeekday.length === 0) return () => true;
  const every = byWeekday.reduce((bits, { day, nth }) => (nth === null ? bits | (1 << day) : bits), 0);
  const ordinals = ordinalsByWeekday(byWeekday);
  return (day, scope) => {
    const weekday = weekdayOf(day);
    if ((every & (1 << weekday)) !== 0) return true;
    const nths = ordinals[weekday];
    if (nths === undefined || scope === undefined) return false;
    const before = Math.floor((day - scope.start) / 7);
    const after = Math.floor((scope.start + scope.length - 1 - day) / 7);
    return nths.includes(before, before + 1 + after);
  };
}

function ordinalsByWeekday(byWeekday: DayRule['byWeekday']): SignedPositions[] {
  const ordinals: SignedPositions[] = [];
  for (const { day, nth } of byWeekday) {
    if (nth === null) continue;
    ordinals[day] ??= new SignedPositions(nthsOf(byWeekday, day));
  }
  return ordinals;
}

function nthsOf(byWeekday: DayRule['byWeekday'], weekday: number): number[] {
  return byWeekday.flatMap(({ day, nth }) => (day === weekday && nth !== null ? [nth] : []));
}

const MAX_POSITION = 366;

/**
 * A set of positions that count from the start (1, 2, …) or from the end (-1, -2, …), as days of a
 * month, ordinals of weekdays and BYSETPOS do. Finding out that a rule never recurs takes thousands of
 * lookups, and a table is four times as fast as a Set.
 */
export class SignedPositions {
  readonly #table = new Uint8Array(2 * MAX_POSITION + 1);

  constructor(positions: Iterable<number>) {
    for (const position of positions) this.#table[MAX_POSITION + position] = 1;
  }

  /** Whether the set contains the element at `index` (from 0) of a list of that length, counted from either end. */
  includes(index: number, length: number): boolean {
    return this.#table[MAX_POSITION + index + 1] === 1 || this.#table[MAX_POSITION + index - length] === 1;
  }
}
