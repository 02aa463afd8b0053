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

test('of a year that is left out the past one counts too, and a day that no month has is no date', () => {
  const spring = new TodoistDates({ ...CONTEXT, now: new Date('2026-03-02T09:00:00Z') });
  const found = (date: string) =>
    spring.read({ date, language: 'en', zone: '', deadline: '', deadlineLanguage: '' }).due?.text;
  assert.equal(found('Dec 20'), '2025-12-20T00:00:00');
  assert.deepEqual([found('2027-02-30'), found('30 Feb 2027')], [undefined, undefined]);
});

test('hours of two halves, and the ordinals of days, are those of English', () => {
  for (const [words, text] of [
    ['Oct 5 2027 12:30 am', '2027-10-05T00:30:00'],
    ['Oct 5 2027 12:30 pm', '2027-10-05T12:30:00'],
    ['Oct 5 2027 1:30pm', '2027-10-05T13:30:00'],
  ] as const)
    assert.equal(read(words).due?.text, text);
  for (const day of [1, 2, 3, 4, 11, 12, 13, 21, 22, 23, 31])
    assert.deepEqual(read(`every ${day}`).recurrence, { freq: 'monthly', by_month_day: [day] }, `every ${day}`);
});

test('a day is the same in every zone, and a series in another zone says that it follows the clock here', () => {
  const text = (...words: Parameters<typeof read>) => read(...words).due?.text;
  assert.equal(text('2027-04-20', 'en', 'America/New_York'), '2027-04-20T00:00:00');
  assert.equal(text('2027-04-20 14:30', 'en', 'Europe/Berlin'), '2027-04-20T14:30:00');
  assert.equal(text('2027-04-20 14:30', 'en', 'Nowhere'), '2027-04-20T14:30:00');
  const there = read('every day at 14:30', 'en', 'America/New_York');
  assert.match(there.due?.text ?? '', /T14:30:00$/);
  assert.match(there.remarks[0] ?? '', /on the clock of America\/New_York/);
  assert.deepEqual(read('every day at 14:30', 'en', 'Europe/Berlin').remarks, []);
});

test('a deadline is read in its own language, and noted where there is a date as well', () => {
  const dates = new TodoistDates(CONTEXT);
  const both = { zone: '', language: 'de', deadlineLanguage: 'en' };
  assert.equal(dates.read({ ...both, date: '', deadline: 'tomorrow' }).due?.text, '2026-11-19T00:00:00');
  const german = dates.read({ ...both, language: 'en', deadlineLanguage: 'de', date: '', deadline: 'morgen' });
  assert.deepEqual([german.due, german.notes], [undefined, ['Date in Todoist: morgen']]);
  const noted = dates.read({ ...both, language: '', date: 'tomorrow', deadline: '2027-05-01' });
  assert.deepEqual([noted.due?.text, noted.notes], ['2026-11-19T00:00:00', ['Deadline: 2027-05-01']]);
  assert.deepEqual(dates.read({ ...both, date: '', deadline: '' }), { notes: [], remarks: [] });
});
