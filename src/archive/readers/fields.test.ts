/** What all readers share: fields of a task, texts, rules and moments. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entriesOf } from '../../../test/support/read-entries.ts';
import { type ForeignFields, headsUpFields, labelFields, Repetitions, toArchived } from './foreign-task.ts';
import { htmlToText } from './html-text.ts';
import { instantOf, textOf } from './json-fields.ts';
import { readOwn } from './own.ts';
import { readRrule } from './rrule.ts';

const NOW = new Date('2026-03-02T09:00:00Z');
const archived = (fields: Partial<ForeignFields> = {}) => toArchived(['key'], { title: 'x', ...fields }, NOW);

test('a task that is done was done when it says, repeats no more, and was made by then', () => {
  const due = { text: '2026-03-09T09:00:00', hasTime: true };
  const recurrence = { freq: 'daily' };
  const completedAt = '2026-02-01T08:00:00Z';
  const done = archived({ isDone: true, completedAt, due, recurrence });
  assert.deepEqual([done.status, done.recurrence], ['done', null]);
  for (const name of ['completed_at', 'closed_at', 'created_at', 'updated_at'])
    assert.equal(done[name], completedAt, name);
  assert.deepEqual(done.outcomes, [{ outcome: 'done', recorded_at: completedAt }]);
  assert.equal(archived({ isDone: true }).completed_at, NOW.toISOString());
  const open = archived({ due, recurrence });
  assert.deepEqual([open.status, open.recurrence, open.created_at], [undefined, recurrence, undefined]);
  assert.equal(archived({ recurrence }).recurrence, null);
});

test('the texts of a task have no zero bytes and no half characters', () => {
  const task = archived({ title: 'a\0b\n c\ud800', notes: ['n\0', null, '\ud800'] });
  assert.deepEqual([task.title, task.notes], ['ab c\ufffd', 'n\n\n\ufffd']);
  assert.deepEqual(labelFields([' ', 'a b', 'c']), { kind: 'a b', note: 'Labels: a b, c' });
  assert.deepEqual(labelFields(['a']), { kind: 'a', note: '' });
  assert.equal(labelFields(['ä'.repeat(101)]).kind, 'ä'.repeat(100));
});

test('of heads-ups the earliest day is the lead time, and the first five that are shorter are kept once each', () => {
  const short = (...minutes: number[]) => headsUpFields(minutes).heads_ups?.map((one) => one.minutes);
  assert.deepEqual(short(5, 100, 20, 5, 0, -3), [100, 20, 5]);
  assert.deepEqual(short(1, 2, 3, 4, 5, 6), [6, 5, 4, 3, 2]);
  assert.deepEqual(headsUpFields([1_440, 4_400]), { lead_time_days: 3 });
  assert.deepEqual(headsUpFields([100_000]), { lead_time_days: 30 });
  assert.deepEqual(headsUpFields([]), {});
});

test('each repetition of the same words has a number of its own', () => {
  const repetitions = new Repetitions();
  const keys = ['a', 'a', 'b', 'a'].map((word) => repetitions.keyOf('x', word));
  assert.deepEqual(keys, [
    ['x', 'a'],
    ['x', 'a', '2'],
    ['x', 'b'],
    ['x', 'a', '3'],
  ]);
});

test('HTML becomes lines, with the address of each link once', () => {
  for (const [html, text] of [
    ['a < b', 'a < b'],
    ['<p>a</p><p>b<br>c</p>', 'a\nb\nc'],
    ['<ul><li>a</li><li>b</li></ul>', '- a\n- b'],
    [
      '<a href="https://x.example">x</a> <a href="https://y.example">https://y.example</a>',
      'x (https://x.example) https://y.example',
    ],
    ['<a href="https://x.example">x</a> <a>y</a>', 'x (https://x.example) y'],
    ['<p>a</p>b < c', 'a\nb < c'],
    ['<p>a</p>1 < 2 and 4 > 3 <b>c</b>', 'a\n1 < 2 and 4 > 3 c'],
    ['x <!-- y --> z<br/>', 'x  z'],
    ['<p>&amp;&#65;&#x42;&nope;&#0;&#9999999;</p>', '&AB&nope;&#0;&#9999999;'],
  ] as const)
    assert.equal(htmlToText(html), text, html);
});

test('a moment before the first year that programs know is none, and a number is a text', () => {
  for (const text of ['', '0001-01-01T00:00:00Z', '1960-01-01T00:00:00Z', 'soon'])
    assert.equal(instantOf({ at: text }, 'at'), undefined, text);
  assert.equal(instantOf({ at: '2026-03-02T10:00:00+01:00' }, 'at'), '2026-03-02T09:00:00Z');
  assert.deepEqual([textOf({ id: 7 }, 'id'), textOf({ id: ' a ' }, 'id'), textOf({ id: [] }, 'id')], ['7', 'a', '']);
});

test('a rule is read without the marks of other apps, or noted as it is', () => {
  assert.deepEqual(readRrule(''), {});
  assert.deepEqual(readRrule('RRULE:FREQ=DAILY;TT_SKIP=WEEKEND;X-A=1').recurrence, { rrule: 'FREQ=DAILY' });
  assert.deepEqual(readRrule('FREQ=DAILY', true).recurrence, { rrule: 'FREQ=DAILY', from: 'completion' });
  const odd = readRrule('FREQ=SOMETIMES', true);
  assert.deepEqual([odd.recurrence, odd.note], [undefined, 'Repeats: FREQ=SOMETIMES']);
  const long = `FREQ=DAILY${';X-A=1'.repeat(100)}`;
  assert.deepEqual([readRrule(long).recurrence, readRrule(long).note?.length], [undefined, 509]);
});

test('of our own export tasks come without what an import ignores, and what is of the account is counted', () => {
  const task = { title: 'a', notes: 'n', timeline: [1], task_changes: [1], text_writers: [1] };
  const document = { schema_version: 1, channels: [1, 2], devices: [3], passkeys: 'x', tasks: [task, [], null] };
  const { tasks, leftOut, remarks } = entriesOf(readOwn(document));
  assert.deepEqual(
    tasks.map((one) => one.task),
    [{ title: 'a', notes: 'n' }],
  );
  assert.deepEqual(leftOut, ['account', 'account', 'account']);
  assert.equal(remarks.length, 2);
});
