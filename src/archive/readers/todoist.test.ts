import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entriesOf, READER } from '../../../test/support/read-entries.ts';
import { projectOf, readTodoist } from './todoist.ts';

const COLUMNS = [
  'TYPE',
  'CONTENT',
  'DESCRIPTION',
  'PRIORITY',
  'INDENT',
  'DATE',
  'DATE_LANG',
  'DEADLINE',
  'DEADLINE_LANG',
];

type Row = Readonly<
  Partial<Record<'type' | 'content' | 'description' | 'priority' | 'indent' | 'date' | 'deadline', string>>
>;

const fileOf = (...rows: readonly Row[]) =>
  [
    COLUMNS.join(','),
    ...rows.map(
      ({ type = 'task', content = '', description = '', priority = '', indent = '1', date = '', deadline = '' }) =>
        [type, content, description, priority, indent, date, 'en', deadline, 'en'].join(','),
    ),
  ].join('\n');

const read = (...rows: readonly Row[]) => entriesOf(readTodoist([{ project: 'Home', text: fileOf(...rows) }], READER));

test('a subtask without a date is a line of the task above it, and one with a date a task of its own', () => {
  const { titles, field, leftOut } = read(
    { content: 'party', description: 'in May' },
    { content: 'guests', indent: '2', description: 'ask all' },
    { content: 'Bob', indent: '3' },
    { content: 'cake', indent: '2', date: '2027-04-20' },
    { content: 'candles', indent: '3' },
    { content: 'licence', indent: '2', deadline: '2027-04-01' },
    { content: 'bins' },
  );
  assert.deepEqual(titles.toSorted(), ['bins', 'cake', 'licence', 'party']);
  assert.equal(field('party', 'notes'), 'in May\n\n- guests\n  ask all\n  - Bob');
  assert.equal(field('cake', 'notes'), 'Part of: party\n- candles');
  assert.deepEqual([field('licence', 'notes'), field('licence', 'due_at')], ['Part of: party', '2027-04-01T00:00:00']);
  assert.equal(field('bins', 'notes'), null);
  assert.deepEqual(leftOut, ['subtasks', 'subtasks', 'subtasks']);
});

test('a note belongs to the task or the line above it, and after a section to none', () => {
  const { field, remarks, leftOut } = read(
    { type: 'note', content: 'lost' },
    { content: 'party' },
    { type: 'note', content: 'first' },
    { content: 'guests', indent: '2' },
    { type: 'note', content: 'of the guests' },
    { content: 'bins' },
    { type: 'note', content: 'of the bins' },
    { type: 'section', content: 'Kitchen' },
    { type: 'note', content: 'of the section' },
    { content: 'sink', indent: '2' },
    { type: 'poem' },
    { type: 'meta', content: 'view_style=list' },
  );
  assert.equal(field('party', 'notes'), 'first\n- guests\n  of the guests');
  assert.equal(field('bins', 'notes'), 'of the bins');
  assert.equal(field('sink', 'notes'), null);
  assert.deepEqual(remarks, [
    'row 2: This note belongs to no task, so it is left out.',
    'row 10: This note belongs to no task, so it is left out.',
    'row 12: This kind of row is not known, so it is left out.',
  ]);
  assert.deepEqual(leftOut, ['sections', 'subtasks']);
});

test('the same words are another task in another project, and the second time in the same one', () => {
  const text = fileOf({ content: 'water' }, { content: 'water' });
  const files = ['Home', 'Work'].map((project) => ({ project, text }));
  const { tasks } = entriesOf(readTodoist(files, READER));
  const ids = tasks.map(({ task }) => task.id);
  assert.equal(new Set(ids).size, 4);
  assert.deepEqual(
    tasks.map(({ list, at }) => [list, at]),
    [
      ['Home', 'Home, row 2'],
      ['Home', 'Home, row 3'],
      ['Work', 'Work, row 2'],
      ['Work', 'Work, row 3'],
    ],
  );
  const again = entriesOf(readTodoist([...files].reverse(), READER)).tasks.map(({ task }) => task.id);
  assert.deepEqual(again.toSorted(), ids.toSorted());
});

test('labels, priorities and deadlines are told apart from what only looks like them', () => {
  const { titles, field, leftOut } = read(
    { content: 'write to ada@example.org @mail @work', priority: '1' },
    { content: 'usual', priority: '4' },
    { content: 'none' },
    { content: '@only' },
    { content: 'both', date: '2027-04-20', deadline: '2027-05-01' },
  );
  assert.deepEqual(titles, ['write to ada@example.org', 'usual', 'none', '@only', 'both']);
  const mail = 'write to ada@example.org';
  assert.deepEqual([field(mail, 'kind'), field(mail, 'notes')], ['mail', 'Labels: mail, work']);
  assert.deepEqual([field('both', 'due_at'), field('both', 'notes')], ['2027-04-20T00:00:00', 'Deadline: 2027-05-01']);
  assert.deepEqual(leftOut, ['priorities']);
});

test('a project has the name of its file, without the numbers of Todoist and of the browser', () => {
  for (const [name, project] of [
    ['Inbox [220330].csv', 'Inbox'],
    ['Inbox [220330] (1).CSV', 'Inbox'],
    ['Plan [B].csv', 'Plan [B]'],
    ['[1].csv', 'Todoist'],
  ] as const)
    assert.equal(projectOf(name), project);
});
