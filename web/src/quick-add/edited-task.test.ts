import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseTask, readSchedule } from '../../../src/words/parse-task.ts';
import { formatIsoDate } from '../../../src/words/wall-time.ts';
import { PHRASES } from '../../../test/words/phrases.ts';
import { formatRecurrence } from '../recurrence/format-recurrence.ts';
import { is24Hour } from './date-order.ts';
import { applyEdits, movedAhead } from './edited-task.ts';

/** Monday, 2 March 2026, 10:00 in Amsterdam. */
const OPTIONS = { now: Date.parse('2026-03-02T09:00:00Z'), zone: 'Europe/Amsterdam', dayFirst: true };

test('only a language that writes 18:30 for the evening makes 6:30 the morning', () => {
  assert.deepEqual(
    ['de-DE', 'fr-FR', 'nl-NL', 'en-GB', 'en-DE', 'en-US'].map((one) => is24Hour(one)),
    [true, true, true, false, false, false],
  );
});

test('the words in which a rule is shown are read as the same rule', () => {
  for (const [text] of Object.values(PHRASES).flat()) {
    const { recurrence } = parseTask(text, OPTIONS);
    if (!recurrence) continue;
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
