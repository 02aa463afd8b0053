import assert from 'node:assert/strict';
import { test } from 'node:test';
import { importOwner } from '../../test/support/import-owner.ts';
import { InvalidInput } from '../lib/errors.ts';

import { type MoveInContents, readMoveIn } from './read-move-in.ts';

const NOW = new Date('2026-03-02T09:00:00Z');
function read(document: object, name = 'x.json') {
  const bytes = new TextEncoder().encode(JSON.stringify(document));
  const reading = readMoveIn({ name, bytes }, { owner: importOwner(), canAdoptZone: false, now: NOW });
  const pages: { readonly list: number | null; readonly task: Record<string, unknown> }[][] = [];
  const origins: string[] = [];
  let step = reading.next();
  for (; !step.done; step = reading.next()) {
    pages.push(JSON.parse(step.value.tasks));
    origins.push(...step.value.origins);
  }
  const contents: MoveInContents = step.value;
  return { pages, origins, contents };
}

const google = (...lists: readonly { readonly title: string; readonly items: readonly object[] }[]) => ({
  kind: 'tasks#taskLists',
  items: lists,
});
const own = (...tasks: readonly object[]) => ({ schema_version: 1, tasks });
const numbered = (count: number, fields: object = {}) =>
  Array.from({ length: count }, (_, index) => ({ id: `g${index}`, title: `task ${index}`, ...fields }));

test('a preview counts what is open, done and overdue, in each list and in all', () => {
  const { contents, pages } = read(
    google(
      {
        title: 'Errands',
        items: [
          { id: '1', title: 'late', due: '2026-01-05T00:00:00.000Z' },
          { id: '2', title: 'later', due: '2027-01-05T00:00:00.000Z' },
          { id: '3', title: 'over', status: 'completed', due: '2026-01-05T00:00:00.000Z' },
        ],
      },
      { title: 'Home', items: [{ id: '4', title: 'some day' }] },
    ),
  );
  assert.deepEqual([contents.tasks, contents.open, contents.closed, contents.overdue], [4, 3, 1, 1]);
  assert.deepEqual(contents.lists, [
    { name: 'Errands', open: 2, closed: 1 },
    { name: 'Home', open: 1, closed: 0 },
  ]);
  assert.deepEqual(
    contents.examples.map(({ title, list, overdue }) => [title, list, overdue]),
    [
      ['late', 'Errands', true],
      ['later', 'Errands', false],
      ['some day', 'Home', false],
    ],
  );
  assert.deepEqual(
    pages.flat().map(({ list }) => list),
    [0, 0, 0, 1],
  );
});

test('the rules that a preview shows are those of open tasks, each with its next dates', () => {
  const weekly = { due_at: '2026-03-05T08:00:00Z', has_time: true, recurrence: { freq: 'weekly' } };
  const { contents } = read(own({ title: 'goes on', ...weekly }, { title: 'over', status: 'done', ...weekly }));
  assert.equal(contents.repeating, 1);
  assert.deepEqual(
    contents.rules.map(({ title, dates }) => [title, dates.map((date) => date.toISOString().slice(0, 10))]),
    [['goes on', ['2026-03-05', '2026-03-12', '2026-03-19']]],
  );
});

test('a heads-up of another app whose moment has passed does not come; our own export keeps what it says', () => {
  const foreign = read(google({ title: 'x', items: [{ id: '1', title: 'a', due: '2027-01-05T00:00:00.000Z' }] }));
  assert.equal(foreign.pages[0]?.[0]?.task.heads_up_at, NOW.toISOString());
  const ours = read(own({ title: 'a', due_at: '2027-01-05T00:00:00Z' }));
  assert.equal(ours.pages[0]?.[0]?.task.heads_up_at, undefined);
});

test('a page has 25 tasks, or fewer that are long, and the pages after a long one are full again', () => {
  const long = { notes: 'n'.repeat(9_990) };
  const items = [...numbered(11, long), ...numbered(60)].map((task, index) => ({ ...task, id: `g${index}` }));
  const { pages, origins, contents } = read(google({ title: 'x', items }));
  assert.deepEqual(
    pages.map((page) => page.length),
    [11, 25, 25, 10],
  );
  assert.deepEqual([new Set(origins).size, contents.tasks], [71, 71]);
});

test('what stands in a file twice comes once, with a remark, and remarks beyond what is shown are counted', () => {
  const id = '00000000-0000-7000-8000-000000000009';
  const empty = Array.from({ length: 205 }, () => ({ title: '' }));
  const { contents, pages } = read(own({ id, title: 'once' }, { id, title: 'twice' }, ...empty));
  assert.deepEqual(
    pages.flat().map(({ task }) => task.title),
    ['once'],
  );
  assert.deepEqual(contents.not_understood[0], {
    at: 'task 2',
    title: 'twice',
    says: 'It stands in the file twice, and comes once.',
  });
  assert.deepEqual([contents.not_understood.length, contents.not_understood_count], [200, 206]);
  assert.equal(read(own({ title: '' })).contents.tasks, 0);
  assert.throws(
    () => read(own()),
    (error) => error instanceof InvalidInput && error.problems[0]?.msg === 'There are no tasks in this file',
  );
});

test('notes that had to be cut are counted, and lists beyond the two hundredth have no label', () => {
  const lists = Array.from({ length: 201 }, (_, index) => ({
    title: `list ${index}`,
    items: [{ id: `g${index}`, title: 'a', ...(index === 0 && { notes: 'n'.repeat(12_000) }) }],
  }));
  const { contents, pages } = read(google(...lists));
  assert.equal(contents.lists.length, 200);
  assert.deepEqual(
    pages
      .flat()
      .map(({ list }) => list)
      .slice(-2),
    [199, null],
  );
  assert.deepEqual(contents.left_out, [{ what: 'long_notes', count: 1 }]);
});
