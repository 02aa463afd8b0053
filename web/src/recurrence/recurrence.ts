/** The recurrence rule of a task, in the form of the API. */
import { type WallTime, weekdayOf } from '../time/wall-time.ts';

export const WEEKDAYS = ['mo', 'tu', 'we', 'th', 'fr', 'sa', 'su'] as const;

export type DayFrequency = 'daily' | 'weekly' | 'monthly' | 'yearly';

export interface Recurrence {
  readonly freq: DayFrequency | 'hourly' | 'minutely';
  readonly interval?: number;
  readonly by_weekday?: readonly string[];
  readonly by_month_day?: readonly number[];
  readonly by_month?: readonly number[];
  /** Several times a day, "08:00". */
  readonly by_time?: readonly string[];
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

/** The keys that the service understands, without case, underscores and hyphens. */
const KEYS = new Map<string, keyof Recurrence>([
  ['interval', 'interval'],
  ['every', 'interval'],
  ['byweekday', 'by_weekday'],
  ['byday', 'by_weekday'],
  ['days', 'by_weekday'],
  ['bymonthday', 'by_month_day'],
  ['bymonth', 'by_month'],
  ['bytime', 'by_time'],
  ['until', 'until'],
  ['enddate', 'until'],
  ['count', 'count'],
  ['from', 'from'],
]);
const LISTS: readonly string[] = ['by_weekday', 'by_month_day', 'by_month', 'by_time'];
const FREQUENCY_KEYS = ['freq', 'frequency'];
/** These keys can also mean something else, so a value that is no frequency does not make the rule unreadable. */
const AMBIGUOUS_KEYS = ['type', 'unit', 'every'];
const FREQUENCIES: readonly [RegExp, Recurrence['freq']][] = [
  [/^(?:minutely|minutes?)$/i, 'minutely'],
  [/^(?:hourly|hours?)$/i, 'hourly'],
  [/^(?:daily|days?)$/i, 'daily'],
  [/^(?:weekly|weeks?)$/i, 'weekly'],
  [/^(?:monthly|months?)$/i, 'monthly'],
  [/^(?:yearly|years?|annual|annually)$/i, 'yearly'],
];

const normalise = (key: string) => key.toLowerCase().replaceAll(/[_-]/g, '');
const isPresent = (value: unknown) => value !== undefined && value !== null;
const frequencyOf = (value: unknown) =>
  typeof value === 'string' ? FREQUENCIES.find(([pattern]) => pattern.test(value))?.[1] : undefined;

/**
 * Returns the rule in our own words, or undefined if the app cannot show it. Keys that the app does not
 * know stay in it, so that the editor does not drop them.
 */
export function readRecurrence(value: unknown): Recurrence | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  let freq: Recurrence['freq'] | undefined;
  const rule: Record<string, unknown> = {};
  for (const [key, part] of Object.entries(value)) {
    const spelling = normalise(key);
    const named = [...FREQUENCY_KEYS, ...AMBIGUOUS_KEYS].includes(spelling) ? frequencyOf(part) : undefined;
    if (named) freq = named;
    else if (FREQUENCY_KEYS.includes(spelling) && isPresent(part)) return undefined;
    else if (isPresent(part)) rule[KEYS.get(spelling) ?? key] = readPart(KEYS.get(spelling), part);
  }
  return freq && ({ freq, ...rule } as Recurrence);
}

function readPart(key: keyof Recurrence | undefined, value: unknown): unknown {
  if (key === undefined || !LISTS.includes(key)) return value;
  const entries: readonly unknown[] = Array.isArray(value) ? value : [value];
  return key === 'by_weekday' ? entries.map((entry) => shortWeekday(String(entry))) : entries;
}

/** "Monday" and "MO" are `mo`, "-1FRI" is `-1fr`. */
const shortWeekday = (name: string) => name.toLowerCase().replace(/^\+?(-?\d+)?([a-z]{2})[a-z]*$/, '$1$2');

/** Whether the service repeats a task by this recurrence. It keeps any other object, but the task does not repeat. */
export function isRepeating(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const hasText = Object.entries(value).some(([key, part]) => normalise(key) === 'rrule' && typeof part === 'string');
  return hasText || readRecurrence(value) !== undefined;
}
