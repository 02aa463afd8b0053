/** Which days a rule picks: the BYxxx parts of RFC 5545 that look at a single day. */
import { civilDateOf, type Month, weekdayOf } from './calendar-days.ts';
import type { Rule } from './recurrence.ts';
import { SignedPositions } from './signed-positions.ts';

/**
 * The stretch in which an ordinal counts: the second Monday of what? RFC 5545 counts in the month
 * for a monthly rule and for a yearly one with BYMONTH, and in the year otherwise.
 */
export interface Scope {
  readonly start: number;
  readonly length: number;
}

/** The rule names no days, so they follow from the first date. */
export function impliesItsDay({ byWeekday, byMonthDay }: Rule): boolean {
  return byWeekday.length === 0 && byMonthDay.length === 0;
}

/** All days of one month on which a monthly or yearly rule falls. */
export function monthExpander(rule: Rule, first: number): (month: Month, scope: Scope) => readonly number[] {
  if (impliesItsDay(rule)) return impliedDay(rule, civilDateOf(first).dayOfMonth);
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

function impliedDay(rule: Rule, dayOfMonth: number): (month: Month) => readonly number[] {
  return ({ start, length }) => {
    if (dayOfMonth <= length) return [start + dayOfMonth - 1];
    return rule.clampToMonthEnd ? [start + length - 1] : [];
  };
}

export function monthFilter({ byMonth }: Rule): (month: Month) => boolean {
  if (byMonth.length === 0) return () => true;
  const months = byMonth.reduce((bits, month) => bits | (1 << month), 0);
  return ({ number }) => (months & (1 << number)) !== 0;
}

export function monthDayFilter({ byMonthDay }: Rule): (day: number, month: Month) => boolean {
  if (byMonthDay.length === 0) return () => true;
  const monthDays = new SignedPositions(byMonthDay);
  return (day, { start, length }) => monthDays.includes(day - start, length);
}

/** Without a scope no ordinal matches; only monthly and yearly rules can have one. */
export function weekdayFilter({ byWeekday }: Rule): (day: number, scope?: Scope) => boolean {
  if (byWeekday.length === 0) return () => true;
  const every = byWeekday.reduce((bits, { day, nth }) => (nth === null ? bits | (1 << day) : bits), 0);
  const ordinals = ordinalsByWeekday(byWeekday);
  return (day, scope) => {
    const weekday = weekdayOf(day);
    if ((every & (1 << weekday)) !== 0) return true;
    const nths = ordinals[weekday];
    if (nths === undefined || scope === undefined) return false;
    const before = Math.floor((day - scope.start) / 7);
    const behind = Math.floor((scope.start + scope.length - 1 - day) / 7);
    return nths.includes(before, before + 1 + behind);
  };
}

function ordinalsByWeekday(byWeekday: Rule['byWeekday']): SignedPositions[] {
  const ordinals: SignedPositions[] = [];
  for (const { day, nth } of byWeekday) {
    if (nth === null) continue;
    ordinals[day] ??= new SignedPositions(nthsOf(byWeekday, day));
  }
  return ordinals;
}

function nthsOf(byWeekday: Rule['byWeekday'], weekday: number): number[] {
  return byWeekday.flatMap(({ day, nth }) => (day === weekday && nth !== null ? [nth] : []));
}
