/** The recurrence rule of a task, in the form of the API. */
import { WEEKDAY_CODES } from './names.ts';
import type { Frequency } from './rule-keys.ts';
import { type Day, lastDayIn, weekdayOf } from './wall-time.ts';

export interface Recurrence {
  readonly freq: Frequency;
  readonly interval?: number;
  /** "mo", "1mo" for the first Monday, "-1fr" for the last Friday. */
  readonly by_weekday?: readonly string[];
  readonly by_month_day?: readonly number[];
  readonly by_month?: readonly number[];
  readonly by_set_pos?: readonly number[];
  /** Several times a day, "08:00". */
  readonly by_time?: readonly string[];
  readonly until?: string;
  readonly count?: number;
  readonly from?: 'completion';
  /** The hours of the day for a rule of hours or minutes that counts from completion: "08:00" and "22:00". */
  readonly between?: readonly string[];
  readonly per_day?: number;
}

/** Whether the rule can start on this date. The service computes every later date. */
export function beginsOn(rule: Recurrence, date: Day): boolean {
  const inMonth = rule.by_month === undefined || rule.by_month.includes(date.month);
  return inMonth && fitsMonthDay(rule, date) && fitsWeekday(rule, date) && fitsPosition(rule, date);
}

/** "the last working day of every month": of the days of its month that fit. */
function fitsPosition(rule: Recurrence, date: Day): boolean {
  const { freq, by_set_pos } = rule;
  if (by_set_pos === undefined || freq !== 'monthly') return true;
  const all = Array.from({ length: lastDayIn(date.year, date.month) }, (_, index) => ({ ...date, day: index + 1 }));
  const days = all.filter((day) => fitsMonthDay(rule, day) && fitsWeekday(rule, day)).map(({ day }) => day);
  return by_set_pos.some((position) => days.at(position > 0 ? position - 1 : position) === date.day);
}

function fitsMonthDay({ by_month_day }: Recurrence, date: Day): boolean {
  if (by_month_day === undefined) return true;
  return by_month_day.some((day) => (day > 0 ? day : lastDayIn(date.year, date.month) + 1 + day) === date.day);
}

function fitsWeekday({ by_weekday }: Recurrence, date: Day): boolean {
  if (by_weekday === undefined) return true;
  const name = WEEKDAY_CODES[weekdayOf(date) - 1] ?? '';
  return by_weekday.some((entry) => {
    const [, nth, day] = /^(-?\d+)?([a-z]{2})$/.exec(entry) ?? [];
    if (day !== name) return false;
    if (nth === undefined) return true;
    const place =
      Number(nth) > 0 ? Math.ceil(date.day / 7) : -Math.ceil((lastDayIn(date.year, date.month) - date.day + 1) / 7);
    return place === Number(nth);
  });
}

/** "Every friday night at 1" is on Saturdays. Of a rule with plain weekdays. */
export function onNextDays(rule: Recurrence): Recurrence {
  const next = (day: string) => WEEKDAY_CODES[(WEEKDAY_CODES.indexOf(day) + 1) % WEEKDAY_CODES.length] ?? day;
  return rule.by_weekday ? { ...rule, by_weekday: rule.by_weekday.map(next) } : rule;
}

export const stepMinutes = ({ freq, interval = 1 }: Partial<Recurrence> = {}) =>
  interval * (freq === 'hourly' ? 60 : 1);
export const isWithinDay = (rule: Recurrence | null) => rule?.freq === 'hourly' || rule?.freq === 'minutely';
