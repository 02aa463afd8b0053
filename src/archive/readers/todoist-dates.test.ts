import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { TodoistDates } from './todoist-dates.ts';

const CONTEXT = { zone: 'Europe/Vienna', now: new Date('2026-11-18T09:00:00Z') };
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const read = (date: string, language = 'en', zone = '') =>
  new TodoistDates(CONTEXT).read({ date, language, zone, deadline: '', deadlineLanguage: '' });

test('every plain date is read as the day and time that it says', () => {
  const day = fc.date({ min: new Date('2001-01-01'), max: new Date('2099-12-31'), noInvalidDate: true });
  fc.assert(
    fc.property(day, fc.constantFrom('iso', 'month', 'day'), fc.boolean(), (at, order, hasTime) => {
      const iso = at.toISOString();
      const [year, month, date] = [iso.slice(0, 4), MONTHS[at.getUTCMonth()], at.getUTCDate()];
      const dates = { iso: iso.slice(0, 10), month: `${month} ${date} ${year}`, day: `${date} ${month} ${year}` };
      const { due, recurrence, remarks } = read(dates[order] + (hasTime ? ` ${iso.slice(11, 16)}` : ''));
      const time = hasTime ? `${iso.slice(11, 16)}:00` : '00:00:00';
      assert.deepEqual([due, recurrence, remarks], [{ text: `${iso.slice(0, 10)}T${time}`, hasTime }, undefined, []]);
    }),
  );
});

test('rules are read in English, counted from completion where Todoist does, and kept in the notes otherwise', () => {
  for (const [words, rule] of [
    ['every thursday at 7pm', { freq: 'weekly', by_weekday: ['th'] }],
    ['ev thu', { freq: 'weekly', by_weekday: ['th'] }],
    ['every! 3 days', { freq: 'daily', interval: 3, from: 'completion' }],
    ['after 3 days', { freq: 'daily', interval: 3, from: 'completion' }],
    ['every 15', { freq: 'monthly', by_month_day: [15] }],
    ['every other week', { freq: 'weekly', interval: 2 }],
    ['every last day', { freq: 'monthly', by_month_day: [-1] }],
  ] as const)
    assert.deepEqual(read(words).recurrence, rule, words);
  const odd = read('every moonrise');
  assert.deepEqual([odd.due, odd.notes], [undefined, ['Date in Todoist: every moonrise']]);
  const german = read('jeden Tag', 'de');
  assert.deepEqual([german.due, german.notes], [undefined, ['Date in Todoist: jeden Tag']]);
  assert.match(german.remarks[0] ?? '', /another language \(German, de\)/);
});

test('a date without a year is the nearest one, and a moment in another zone keeps its instant', () => {
  assert.equal(read('Oct 5').due?.text, '2026-10-05T00:00:00');
  assert.equal(read('Jan 5').due?.text, '2027-01-05T00:00:00');
  assert.equal(read('2027-01-05 09:00', 'en', 'America/New_York').due?.text, '2027-01-05T14:00:00Z');
});
