import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readRule } from './read-rule.ts';
import type { Recurrence } from './recurrence.ts';

const WORK_WEEK = ['mo', 'tu', 'we', 'th', 'fr'];
/** Undefined: refused, because a part is not understood or has two meanings. */
const RULES: readonly [text: string, rule: Recurrence | undefined][] = [
  ['Every  other week', { freq: 'weekly', interval: 2 }],
  ['every-day', { freq: 'daily' }],
  ['business days', { freq: 'weekly', by_weekday: WORK_WEEK }],
  ['every quarter', { freq: 'monthly', interval: 3 }],
  ['half-yearly on the last day', { freq: 'monthly', interval: 6, by_month_day: [-1] }],
  ['Mondays, tues and TH', { freq: 'weekly', by_weekday: ['mo', 'tu', 'th'] }],
  ['every second Monday', { freq: 'weekly', interval: 2, by_weekday: ['mo'] }],
  ['monthly on the 1st, and the second to last Fri', { freq: 'monthly', by_weekday: ['-2fr'], by_month_day: [1] }],
  ['every year on day 1 in May and june', { freq: 'yearly', by_month_day: [1], by_month: [5, 6] }],
  ['weekdays at 9am, 9:30 pm', { freq: 'weekly', by_weekday: WORK_WEEK, by_time: ['09:00', '21:30'] }],
  ['daily, until 2027-02-28', { freq: 'daily', until: '2027-02-28' }],
  // The service refuses the time: which half of the day is meant is not for us to guess.
  ['daily at 9', { freq: 'daily', by_time: ['9'] }],
  ['each week', { freq: 'weekly' }],
  ['every third day', { freq: 'daily', interval: 3 }],
  ['every fourth day', { freq: 'daily', interval: 4 }],
  ['every 1 week', { freq: 'weekly' }],
  ['EVERY 1000 DAYS', { freq: 'daily', interval: 1_000 }],
  ['daily, 12345 times', { freq: 'daily', count: 12_345 }],
  ['hourly between 08:00 and 22:00', { freq: 'hourly', between: ['08:00', '22:00'] }],
  ['hourly, at most 12 per day', { freq: 'hourly', per_day: 12 }],
  ['daily until 2027-02-28T08:00:00Z', { freq: 'daily', until: '2027-02-28T08:00:00Z' }],
  ['weekly on Monday to Friday', { freq: 'weekly', by_weekday: WORK_WEEK }],
  ['weekly on mon to fri', { freq: 'weekly', by_weekday: WORK_WEEK }],
  ['monthly on 12th', { freq: 'monthly', by_month_day: [12] }],
  ['monthly on day 7', { freq: 'monthly', by_month_day: [7] }],
  ['monthly on the first day', { freq: 'monthly', by_month_day: [1] }],
  ['monthly on the 2nd to last day', { freq: 'monthly', by_month_day: [-2] }],
  ['monthly on the 3rd Wed, Fri', { freq: 'monthly', by_weekday: ['3we', 'fr'] }],
  ['yearly in March', { freq: 'yearly', by_month: [3] }],
  ['daily at 8:00 and 20:00', { freq: 'daily', by_time: ['08:00', '20:00'] }],
  ['daily, counted from when it is done, 3 times', undefined],
  ['weekly on Mon to Fri and Sat', undefined],
  ['weekly on someday', undefined],
  ['monthly on the blue Mon', undefined],
  ['monthly on day 123', undefined],
  ['monthly (only the best of these)', undefined],
  ['yearly in Spring', undefined],
  ['every 12345 days', undefined],
  ['weekly on Mon, until 2027-02-28 or so', undefined],
  ['biweekly', undefined],
  ['every biweekly', undefined],
  ['every first Monday', undefined],
  ['every 2 quarters', undefined],
  ['every Monday on Friday', undefined],
  ['every week on first', undefined],
  ['every March', undefined],
  ['every morning', undefined],
  ['twice a day', undefined],
  ['daily 5 times', undefined],
  ['call Bo every day', undefined],
  ['every day until spring', undefined],
];

for (const [text, rule] of RULES) {
  test(`nothing but a rule: “${text}” is ${rule ? 'read' : 'refused'}`, () => assert.deepEqual(readRule(text), rule));
}
