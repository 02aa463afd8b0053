/** The recurrence rule of a task, in the form of the API. */
import { type WallTime, weekdayOf } from '../time/wall-time.ts';

export const WEEKDAYS = ['mo', 'tu', 'we', 'th', 'fr', 'sa', 'su'] as const;

export interface Recurrence {
  readonly freq: 'daily' | 'weekly' | 'monthly' | 'yearly';
  readonly interval?: number;
  readonly by_weekday?: readonly string[];
  readonly by_month_day?: readonly number[];
  readonly by_month?: readonly number[];
  readonly until?: string;
  readonly count?: number;
  readonly from?: 'completion';
}

/** Whether the rule can start on this date. The service computes every later date. */
export function beginsOn(rule: Recurrence, date: WallTime): boolean {
  const inMonth = rule.by_month === undefined || rule.by_month.includes(date.month);
  return inMonth && fitsMonthDay(rule, date) && fitsWeekday(rule, date);
}

const lastDayOf = ({ year, month }: WallTime) => new Date(Date.UTC(year, month, 0)).getUTCDate();

function fitsMonthDay({ by_month_day }: Recurrence, date: WallTime): boolean {
  if (by_month_day === undefined) return true;
  return by_month_day.some((day) => (day > 0 ? day : lastDayOf(date) + 1 + day) === date.day);
}

function fitsWeekday({ by_weekday }: Recurrence, date: WallTime): boolean {
  if (by_weekday === undefined) return true;
  const name = WEEKDAYS[weekdayOf(date) - 1] ?? '';
  return by_weekday.some((entry) => {
    const [, nth, day] = /^(-?\d+)?([a-z]{2})$/.exec(entry) ?? [];
    if (day !== name) return false;
    if (nth === undefined) return true;
    const place = Number(nth) > 0 ? Math.ceil(date.day / 7) : -Math.ceil((lastDayOf(date) - date.day + 1) / 7);
    return place === Number(nth);
  });
}

/** Returns undefined for a recurrence that the app cannot show or edit. */
export function readRecurrence(value: unknown): Recurrence | undefined {
  if (typeof value !== 'object' || value === null || !('freq' in value)) return undefined;
  const freq = String(value.freq).toLowerCase();
  return ['daily', 'weekly', 'monthly', 'yearly'].includes(freq) ? ({ ...value, freq } as Recurrence) : undefined;
}

export const isRepeating = (value: unknown): boolean =>
  readRecurrence(value) !== undefined || (typeof value === 'object' && value !== null && 'rrule' in value);
