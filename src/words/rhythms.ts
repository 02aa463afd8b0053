/** How often, in one word: a unit (`week`), an adverb (`quarterly`) or a group of days (`weekdays`). */
import { WEEKDAY_CODES } from './names.ts';
import type { Recurrence } from './recurrence.ts';
import { frequencyOf } from './rule-keys.ts';

export const WORK_WEEK: readonly string[] = WEEKDAY_CODES.slice(0, 5);
export const WEEKEND: readonly string[] = WEEKDAY_CODES.slice(5);

const WORK_DAYS: Recurrence = { freq: 'weekly', by_weekday: WORK_WEEK };
const FORTNIGHT: Recurrence = { freq: 'weekly', interval: 2 };
const QUARTER: Recurrence = { freq: 'monthly', interval: 3 };

/** Beside the words that name a frequency. */
const RHYTHMS = new Map<string, Recurrence>([
  ['min', { freq: 'minutely' }],
  ['h', { freq: 'hourly' }],
  ['hr', { freq: 'hourly' }],
  ['everyday', { freq: 'daily' }],
  ['weekday', WORK_DAYS],
  ['workday', WORK_DAYS],
  ['businessday', WORK_DAYS],
  ['weekend', { freq: 'weekly', by_weekday: WEEKEND }],
  ['fortnight', FORTNIGHT],
  ['fortnightly', FORTNIGHT],
  ['quarter', QUARTER],
  ['quarterly', QUARTER],
  ['halfyearly', { freq: 'monthly', interval: 6 }],
]);

/** Without case, spaces and hyphens, in the singular or plural. Not `biweekly`, which has two meanings. */
export function rhythmOf(words: string): Recurrence | undefined {
  const word = words.toLowerCase().replaceAll(/[\s_-]+/g, '');
  const freq = frequencyOf(word);
  return freq ? { freq } : (RHYTHMS.get(word) ?? RHYTHMS.get(word.replace(/s$/, '')));
}

/** Every so many of a unit. */
export function everySoMany(unit: string, count: number): Recurrence {
  const { interval = 1, ...rule } = rhythmOf(unit) ?? { freq: 'daily' };
  return count * interval > 1 ? { ...rule, interval: count * interval } : rule;
}
