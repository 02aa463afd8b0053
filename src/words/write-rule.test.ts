import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readRule } from './read-rule.ts';
import { writeRule } from './write-rule.ts';

type WrittenRule = Parameters<typeof writeRule>[0];

const weekdays = (...days: (number | [nth: number, day: number])[]) =>
  days.map((one) => (typeof one === 'number' ? { day: one, nth: null } : { nth: one[0], day: one[1] }));

/** Each is written so, and read back as this; undefined where the words cannot be sent back. */
const RULES: readonly [rule: Partial<WrittenRule>, words: string, read: ReturnType<typeof readRule>][] = [
  [{}, 'every day', { freq: 'daily' }],
  [{ freq: 'minutely', interval: 15 }, 'every 15 minutes', { freq: 'minutely', interval: 15 }],
  [{ freq: 'hourly', interval: 2 }, 'every 2 hours', { freq: 'hourly', interval: 2 }],
  [{ freq: 'weekly' }, 'every week', { freq: 'weekly' }],
  [{ freq: 'monthly', interval: 3 }, 'every 3 months', { freq: 'monthly', interval: 3 }],
  [{ freq: 'yearly' }, 'every year', { freq: 'yearly' }],
  [
    { freq: 'weekly', interval: 2, byWeekday: weekdays(1, 4), byTime: ['08:00:00', '21:30:00'] },
    'every 2 weeks on Mon, Thu at 08:00, 21:30',
    { freq: 'weekly', interval: 2, by_weekday: ['mo', 'th'], by_time: ['08:00', '21:30'] },
  ],
  [
    { freq: 'weekly', byWeekday: weekdays(1, 2, 3, 4, 5) },
    'every week on Mon to Fri',
    { freq: 'weekly', by_weekday: ['mo', 'tu', 'we', 'th', 'fr'] },
  ],
  [
    { freq: 'weekly', byWeekday: weekdays(1, 2, 3, 4, 6) },
    'every week on Mon, Tue, Wed, Thu, Sat',
    { freq: 'weekly', by_weekday: ['mo', 'tu', 'we', 'th', 'sa'] },
  ],
  [
    { freq: 'weekly', byWeekday: weekdays(1, 2, 3, 4) },
    'every week on Mon, Tue, Wed, Thu',
    { freq: 'weekly', by_weekday: ['mo', 'tu', 'we', 'th'] },
  ],
  [
    { freq: 'monthly', byWeekday: weekdays([1, 1], [1, 2], [1, 3], [1, 4], [1, 5]) },
    'every month on the first Mon, the first Tue, the first Wed, the first Thu, the first Fri',
    { freq: 'monthly', by_weekday: ['1mo', '1tu', '1we', '1th', '1fr'] },
  ],
  [
    { freq: 'monthly', byWeekday: weekdays([2, 7], [-1, 5], [-2, 6]), byMonthDay: [1, 15, -1, -3] },
    'every month on the second Sun, the last Fri, the second to last Sat, day 1, day 15, the last day, the third to last day',
    { freq: 'monthly', by_weekday: ['2su', '-1fr', '-2sa'], by_month_day: [1, 15, -1, -3] },
  ],
  [
    { freq: 'monthly', byWeekday: weekdays(1, 2), bySetPos: [1, -1] },
    'every month on Mon, Tue (only the first, last of these)',
    { freq: 'monthly', by_weekday: ['mo', 'tu'], by_set_pos: [1, -1] },
  ],
  [
    { freq: 'yearly', byMonthDay: [24], byMonth: [1, 5, 12] },
    'every year on day 24 in Jan, May, Dec',
    { freq: 'yearly', by_month_day: [24], by_month: [1, 5, 12] },
  ],
  [{ until: '2027-02-28' }, 'every day, until 2027-02-28', { freq: 'daily', until: '2027-02-28' }],
  [{ count: 5 }, 'every day, 5 times', { freq: 'daily', count: 5 }],
  [{ from: 'completion' }, 'every day, counted from when it is done', { freq: 'daily', from: 'completion' }],
  [
    {
      freq: 'hourly',
      interval: 6,
      from: 'completion',
      count: 9,
      hours: { start: '08:00:00', end: '22:00:00', most: 3 },
    },
    'every 6 hours, 9 times, between 08:00 and 22:00, at most 3 a day, counted from when it is done',
    { freq: 'hourly', interval: 6, from: 'completion', count: 9, between: ['08:00', '22:00'], per_day: 3 },
  ],
  [
    { freq: 'hourly', from: 'completion', hours: { start: '08:00', end: '22:00', most: null } },
    'every hour, between 08:00 and 22:00, counted from when it is done',
    { freq: 'hourly', from: 'completion', between: ['08:00', '22:00'] },
  ],
  [
    { freq: 'yearly', bySetPos: [12, -25], byMonth: [3] },
    'every year (only the 12th, 25th to last of these) in Mar',
    { freq: 'yearly', by_set_pos: [12, -25], by_month: [3] },
  ],
];

for (const [changes, words, read] of RULES) {
  test(`a rule in words, written and read back: ${words}`, () => {
    const rule: WrittenRule = { freq: 'daily', interval: 1, until: null, count: null, from: 'due', ...changes };
    assert.equal(writeRule(rule), words);
    assert.deepEqual(readRule(words), read);
  });
}
