import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseTask, readSchedule } from '../../../src/words/parse-task.ts';
import { formatIsoDate } from '../../../src/words/wall-time.ts';
import { COMBINED } from '../../../test/words/combined-phrases.ts';
import { EVERYDAY } from '../../../test/words/everyday-phrases.ts';
import { GUESSED } from '../../../test/words/guessed-phrases.ts';
import { PHRASES, textsWithRule } from '../../../test/words/phrases.ts';
import { formatRecurrence } from '../recurrence/format-recurrence.ts';
import { choose, is24Hour } from '../time/date-customs.ts';
import { applyEdits, isRule, movedAhead } from './edited-task.ts';
import { linesOf, oneWithNotes } from './lines.ts';

// Whatever the language of the machine.
choose('clock', '24');
choose('order', 'day');

/** Monday, 2 March 2026, 10:00 in Amsterdam. */
const OPTIONS = { now: Date.parse('2026-03-02T09:00:00Z'), zone: 'Europe/Amsterdam', dayFirst: true };

test('only a language that writes 18:30 for the evening makes 6:30 the morning', () => {
  assert.deepEqual(
    ['de-DE', 'fr-FR', 'nl-NL', 'en-GB', 'en-DE', 'en-US'].map((one) => is24Hour(one)),
    [true, true, true, false, false, false],
  );
});

test('the words in which a rule is shown are read as the same rule', () => {
  const texts = textsWithRule(PHRASES, GUESSED, COMBINED, EVERYDAY);
  assert.ok(texts.length > 200, `${texts.length}`);
  for (const text of texts) {
    const recurrence = parseTask(text, OPTIONS).recurrence ?? assert.fail(`“${text}” has no rule`);
    const shown = formatRecurrence(recurrence);
    assert.deepEqual(readSchedule(shown, OPTIONS)?.recurrence, recurrence, `“${text}” is shown as “${shown}”`);
  }
});

test('a changed rule keeps a moment that fits, and a changed moment keeps the rule', () => {
  const task = parseTask('gym every monday 18:00', OPTIONS);
  const other = applyEdits(task, { recurrence: 'every tuesday' }, OPTIONS);
  assert.deepEqual(
    [other.recurrence?.by_weekday, other.due && formatIsoDate(other.due), other.due?.hour],
    [['tu'], '2026-03-03', 18],
  );
  const same = applyEdits(task, { recurrence: 'every mon and thu' }, OPTIONS);
  assert.deepEqual([same.recurrence?.by_weekday, same.due], [['mo', 'th'], task.due]);
  const moved = applyEdits(task, { due: { date: '2026-03-09', time: '' } }, OPTIONS);
  assert.deepEqual([moved.recurrence, moved.hasTime, moved.isPast], [task.recurrence, false, false]);
  const past = applyEdits(task, { due: { date: '2026-03-01', time: '18:00' } }, OPTIONS);
  assert.deepEqual([past.isPast, movedAhead(past, OPTIONS)?.day], [true, 2]);
});

test('lines lose the marks of their list, and together they are one task with notes', () => {
  assert.deepEqual(linesOf('- milk\n\n* [ ] eggs\n  • bread 5pm '), ['milk', 'eggs', 'bread 5pm']);
  assert.deepEqual(linesOf('1. milk\n2) eggs'), ['milk', 'eggs']);
  assert.deepEqual(linesOf('1. march dentist\nmilk'), ['1. march dentist', 'milk']);
  assert.deepEqual(linesOf('only one\n'), ['only one']);
  const { title, due, notes } = oneWithNotes('pack tomorrow // soon\n- socks\n- pass friday', OPTIONS);
  assert.deepEqual([title, due?.day, notes], ['pack', 3, 'soon\n\n- socks\n- pass friday']);
});

test('a moment that was set by hand is no guess any more, and the other guesses stay', () => {
  const task = parseTask('wendsday at 4 haircut nag every 2 minutes', OPTIONS);
  const parts = (one: typeof task) => new Set(one.guesses.map(({ part }) => part));
  assert.deepEqual(parts(task), new Set(['due', 'ladder']));
  const set = applyEdits(task, { due: { date: '2026-03-05', time: '16:00' } }, OPTIONS);
  assert.deepEqual(parts(set), new Set(['ladder']));
  assert.deepEqual([set.due?.day, set.due?.hour, set.hasTime], [5, 16, true]);
});

test('today without a time has not passed, and moves nowhere; a date that is none changes nothing', () => {
  const task = parseTask('bins', OPTIONS);
  const today = applyEdits(task, { due: { date: '2026-03-02', time: '' } }, OPTIONS);
  assert.deepEqual([today.isPast, today.hasTime, today.due?.hour], [false, false, 12]);
  assert.deepEqual([movedAhead(today, OPTIONS)?.day, movedAhead(task, OPTIONS)], [2, null]);
  const yesterday = applyEdits(task, { due: { date: '2026-03-01', time: '' } }, OPTIONS);
  assert.deepEqual([yesterday.isPast, movedAhead(yesterday, OPTIONS)?.day], [true, 2]);
  const morning = applyEdits(task, { due: { date: '2026-03-01', time: '09:30' } }, OPTIONS);
  assert.equal(movedAhead(morning, OPTIONS)?.day, 3, 'half past nine is over today, too');
  assert.equal(applyEdits(task, { due: { date: '', time: '09:30' } }, OPTIONS), task);
});

test('words that are no rule leave the task as it was', () => {
  const task = parseTask('gym every monday 18:00', OPTIONS);
  for (const words of ['tomorrow', 'whenever', ''])
    assert.deepEqual(applyEdits(task, { recurrence: words }, OPTIONS), task);
  assert.deepEqual([isRule('tomorrow', OPTIONS), isRule('every tuesday', OPTIONS)], [false, true]);
});
