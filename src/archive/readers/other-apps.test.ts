/** What the files of the fixtures do not have: the less usual fields of each app. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entriesOf, READER } from '../../../test/support/read-entries.ts';
import { readGoogleTasks } from './google-tasks.ts';
import { readRememberTheMilk } from './remember-the-milk.ts';
import { readTasksOrg } from './tasks-org.ts';
import { readTickTick } from './ticktick.ts';
import { readVikunja } from './vikunja.ts';

const PAST = '2026-02-01T08:00:00Z';
const DUE = '2027-03-09T09:00:00Z';

const COLUMNS = [
  ...['List Name', 'Title', 'Due Date', 'Status', 'Start Date', 'Timezone', 'Is All Day', 'Is Floating', 'Reminder'],
  ...['Created Time', 'taskId', 'parentId', 'Content'],
];
const ticktick = (...rows: readonly Readonly<Record<string, string>>[]) =>
  entriesOf(
    readTickTick(
      [COLUMNS, ...rows.map((row) => COLUMNS.map((name) => row[name] ?? ''))].map((one) => one.join(',')).join('\n'),
      READER,
    ),
  );

test('TickTick: dates are read in the zone of the task, and reminders before them', () => {
  const at = { 'Due Date': '2027-03-09T23:00:00+0000', Timezone: 'America/New_York' };
  const { field, remarks } = ticktick(
    { Title: 'moment', ...at, Reminder: '-P1W -PT1H30M PT5M P1D' },
    { Title: 'floating', ...at, 'Is Floating': 'true' },
    { Title: 'day', ...at, 'Is All Day': 'true' },
    { Title: 'start', 'Start Date': '2027-03-09 23:00:00' },
    { Title: 'undated', Reminder: '-PT5M' },
    { Title: 'odd', 'Due Date': 'soon' },
  );
  assert.equal(field('moment', 'due_at'), '2027-03-09T23:00:00Z');
  assert.deepEqual([field('moment', 'lead_time_days'), field('moment', 'heads_ups')], [7, [{ minutes: 90 }]]);
  assert.deepEqual([field('floating', 'due_at'), field('floating', 'has_time')], ['2027-03-09T18:00:00', true]);
  assert.deepEqual([field('day', 'due_at'), field('day', 'has_time')], ['2027-03-09T00:00:00', false]);
  assert.equal(field('start', 'due_at'), '2027-03-09T23:00:00Z');
  assert.equal(field('undated', 'heads_ups'), undefined);
  assert.deepEqual(remarks, ['row 7: Its date is not in the form of TickTick, so it comes without one.']);
});

test('TickTick: what is done or dropped is closed, and a family of tasks loses nobody', () => {
  const created = { 'Created Time': '2026-01-01T00:00:00+0000' };
  const { titles, field, tasks } = ticktick(
    { Title: 'open', Status: '0' },
    { Title: 'dropped', Status: '-1' },
    { Title: 'child', taskId: '3', parentId: '2' },
    { Title: 'parent', taskId: '2', parentId: '1' },
    { Title: 'grandparent', taskId: '1' },
    { Title: 'itself', taskId: '9', parentId: '9' },
    { Title: 'twin', ...created },
    { Title: 'twin', ...created },
    { Content: 'from its notes' },
  );
  assert.deepEqual([field('open', 'status'), field('dropped', 'status')], [undefined, 'done']);
  for (const title of ['child', 'parent', 'grandparent']) {
    const isLine = tasks.some(({ task }) => String(task.notes ?? '').includes(`- ${title}`));
    assert.ok(titles.includes(title) || isLine, title);
  }
  assert.deepEqual([titles.includes('itself'), field('itself', 'notes')], [true, null]);
  assert.equal(new Set(tasks.map(({ task }) => task.id)).size, tasks.length);
  assert.equal(titles.filter((title) => title === 'twin').length, 2);
  assert.ok(titles.includes('from its notes'));
});

const google = (...items: readonly object[]) =>
  entriesOf(readGoogleTasks({ kind: 'tasks#taskLists', items: [{ title: 'Home', items }] }, READER));

test('Google Tasks: a subtask with a date is a task, deleted ones are left out, hidden ones are not', () => {
  const { titles, field, leftOut, remarks, tasks } = google(
    { id: 'p', title: 'party', due: DUE },
    { id: 'c', title: 'cake', parent: 'p', due: DUE },
    { id: 'd', title: 'done', parent: 'p', status: 'completed' },
    { id: 'o', title: 'orphan', parent: 'gone' },
    { id: 'x', title: 'deleted', deleted: true },
    { id: 'h', title: 'hidden', hidden: true },
    { id: 'n', notes: 'from notes\nmore' },
    { title: 'no id' },
    { title: 'no id either' },
    { id: 'w', title: 'odd', due: 'soon' },
    { id: 'e' },
  );
  assert.deepEqual(titles, ['party', 'cake', 'orphan', 'hidden', 'from notes', 'no id', 'no id either', 'odd']);
  assert.equal(field('party', 'notes'), '- (done) done');
  assert.deepEqual([field('cake', 'notes'), field('cake', 'due_at')], ['Part of: party', '2027-03-09T00:00:00']);
  assert.deepEqual(leftOut, ['deleted', 'subtasks']);
  assert.equal(remarks.length, 2);
  assert.equal(new Set(tasks.map(({ task }) => task.id)).size, tasks.length);
});

const vikunja = (...tasks: readonly object[]) => entriesOf(readVikunja([{ id: 1, title: 'Home', tasks }], READER));

test('Vikunja: rules, priorities and the date of a task', () => {
  const day = 86_400;
  const { field, leftOut, remarks, tasks } = vikunja(
    { id: 1, title: 'monthly', due_date: DUE, repeat_mode: 1 },
    { id: 2, title: 'after', due_date: DUE, repeat_after: 3 * day, repeat_mode: 2 },
    { id: 3, title: 'weekly', due_date: DUE, repeat_after: 14 * day },
    { id: 4, title: 'odd', due_date: DUE, repeat_after: 61 },
    { id: 5, title: 'ends', end_date: DUE, start_date: PAST, repeat_mode: 1 },
    { id: 6, title: 'low', priority: 1 },
    { id: 7, title: 'high', priority: 2 },
    { id: 8, title: 'reminded', reminders: [{ reminder: DUE }] },
    { id: 9, title: 'undated', repeat_after: day },
    { id: 10, title: 'year one', due_date: '0001-01-01T00:00:00Z' },
    { id: 11, title: 'odd and undated', repeat_after: 61 },
    { title: 'no id' },
    { title: 'no id either' },
  );
  const ruleOf = (title: string) => field(title, 'recurrence');
  assert.deepEqual(ruleOf('monthly'), { freq: 'monthly' });
  assert.deepEqual(ruleOf('after'), { freq: 'daily', interval: 3, from: 'completion' });
  assert.deepEqual(ruleOf('weekly'), { freq: 'weekly', interval: 2 });
  assert.deepEqual([ruleOf('odd'), ruleOf('undated')], [null, null]);
  // A series is written on the clock of the account.
  assert.deepEqual(
    [field('weekly', 'due_at'), field('ends', 'due_at')],
    ['2027-03-09T10:00:00', '2027-03-09T10:00:00'],
  );
  assert.deepEqual(
    ['low', 'high', 'odd'].map((title) => field(title, 'mode')),
    ['notify_once', 'escalate', 'escalate'],
  );
  assert.equal(field('year one', 'due_at'), null);
  assert.deepEqual(leftOut, ['priorities', 'reminders']);
  assert.deepEqual(
    remarks.map((text) => text.split(': ')[0]),
    ['Home, task 4', 'Home, task 9', 'Home, task 11'],
  );
  assert.equal(new Set(tasks.map(({ task }) => task.id)).size, tasks.length);
});

test('Vikunja: of a family no task is lost', () => {
  const { titles, field } = vikunja(
    { id: 1, title: 'top', related_tasks: { subtask: [{ id: 2, title: 'middle' }] } },
    { id: 2, title: 'middle', related_tasks: { subtask: [{ id: 3, title: 'leaf', done: true }] } },
    { id: 3, title: 'leaf', done: true },
  );
  assert.deepEqual(titles, ['top', 'middle']);
  assert.match(String(field('middle', 'notes')), /- \(done\) leaf/);
});

const org = (...entries: readonly object[]) =>
  entriesOf(readTasksOrg({ version: 1, data: { tasks: entries } }, READER));

test('Tasks.org: what is left out has its default, and what is deleted does not come', () => {
  const due = Date.parse(DUE);
  const { titles, field, leftOut, tasks } = org(
    { task: { title: 'usual', dueDate: due } },
    { task: { title: 'timed', dueDate: due + 1_000, priority: 2, recurrence: 'RRULE:FREQ=DAILY', repeatFrom: 1 } },
    { task: { title: 'none', priority: 3 } },
    { task: { title: 'deleted', deletionDate: 1 } },
    { task: { title: 'done', completionDate: due - 1_000, dueDate: due, recurrence: 'FREQ=DAILY' } },
    { task: { title: 'twin', creationDate: 1_000 } },
    { task: { title: 'twin', creationDate: 2_000 } },
    {
      task: { title: 'alarms', dueDate: due, hideUntil: due - 3_600_000, priority: 3 },
      alarms: [
        { type: 2, time: -600_000 },
        { type: 1, time: -600_000 },
        { type: 2, time: 600_000 },
        { type: 2 },
        { type: 0, time: due },
      ],
    },
    { task: { title: 'own', remoteId: 'own', priority: 3 } },
    { task: { title: 'no start', dueDate: due, priority: 3 }, alarms: [{ type: 1, time: -600_000 }] },
  );
  assert.deepEqual(titles, ['usual', 'timed', 'none', 'done', 'twin', 'twin', 'alarms', 'own', 'no start']);
  assert.deepEqual([field('usual', 'has_time'), field('usual', 'due_at')], [false, '2027-03-09T00:00:00']);
  assert.deepEqual([field('timed', 'has_time'), field('timed', 'due_at')], [true, '2027-03-09T10:00:00']);
  assert.deepEqual([field('usual', 'mode'), field('timed', 'mode')], ['escalate', 'notify_once']);
  assert.deepEqual(field('timed', 'recurrence'), { rrule: 'FREQ=DAILY', from: 'completion' });
  assert.deepEqual([field('done', 'status'), field('done', 'recurrence')], ['done', null]);
  assert.deepEqual(field('alarms', 'heads_ups'), [{ minutes: 70 }, { minutes: 10 }]);
  assert.equal(field('no start', 'heads_ups'), undefined);
  // A task without an id is nobody's parent.
  for (const title of ['usual', 'none', 'own']) assert.equal(field(title, 'notes'), null, title);
  // Without a priority it is high, which has no place here.
  assert.deepEqual(leftOut, ['deleted', ...Array(4).fill('priorities'), 'reminders', 'reminders', 'reminders']);
  assert.equal(new Set(tasks.map(({ task }) => task.id)).size, tasks.length);
});

test('Tasks.org: of a family no task is lost', () => {
  const child = (title: string, remoteId: string, remoteParent: string) => ({
    task: { title, remoteId },
    caldavTasks: [{ remoteParent }],
  });
  const { titles, field } = org(
    { task: { title: 'top', remoteId: 'a' } },
    child('middle', 'b', 'a'),
    child('leaf', 'c', 'b'),
  );
  assert.deepEqual(titles, ['top', 'middle']);
  assert.match(String(field('middle', 'notes')), /^Part of: top\n\n- leaf$/);
  assert.equal(field('top', 'notes'), null);
});

const milk = (tasks: readonly object[], notes: readonly object[] = []) =>
  entriesOf(readRememberTheMilk({ tasks, notes, lists: [{ id: '1', name: 'Home' }] }, READER));

test('Remember The Milk: days are midnights of the person, and notes go to their series', () => {
  const midnight = Date.parse('2027-03-08T23:00:00Z');
  const { titles, field, leftOut, remarks, tasks, list } = milk(
    [
      { series_id: 's', id: '1', list_id: '1', name: 'day', date_due: midnight, priority: 'P3' },
      { series_id: 't', id: '2', name: 'timed', date_due: midnight, date_due_has_time: true, priority: 'P1' },
      { series_id: 'u', id: '3', name: 'open', date_completed: 0, priority: 'PN' },
      { series_id: 'u', id: '4', name: 'done', date_completed: Date.parse(PAST) },
      { series_id: 'v', id: '5', name: 'trashed', date_trashed: 1 },
      { series_id: 'w', id: '6', name: 'repeats', repeat_every: true },
      { series_id: 'x', id: '7', name: 'ruled', date_due: midnight, repeat: 'FREQ=DAILY' },
      { series_id: 'y', name: 'no id' },
      { series_id: 'y', name: 'no id either' },
    ],
    [
      { series_id: 's', title: 'head', content: 'text' },
      { series_id: '1', content: 'of another' },
    ],
  );
  assert.deepEqual(titles, ['day', 'timed', 'open', 'done', 'repeats', 'ruled', 'no id', 'no id either']);
  assert.deepEqual([field('day', 'due_at'), field('day', 'notes')], ['2027-03-09T00:00:00', 'head\ntext']);
  assert.equal(field('timed', 'due_at'), '2027-03-08T23:00:00.000Z');
  assert.deepEqual(
    ['day', 'timed', 'open'].map((title) => field(title, 'mode')),
    ['notify_once', 'escalate', 'escalate'],
  );
  assert.deepEqual([field('open', 'status'), field('done', 'status')], [undefined, 'done']);
  assert.deepEqual(
    [field('done', 'completed_at'), field('done', 'created_at')],
    ['2026-02-01T08:00:00.000Z', '2026-02-01T08:00:00.000Z'],
  );
  assert.deepEqual(field('ruled', 'recurrence'), { rrule: 'FREQ=DAILY' });
  assert.deepEqual([list('day'), list('timed')], ['Home', null]);
  assert.deepEqual(leftOut, ['deleted', 'priorities']);
  assert.deepEqual(remarks, [
    'task 6: It repeats, but the file does not say how. It comes once: give it a rule afterwards.',
  ]);
  assert.equal(new Set(tasks.map(({ task }) => task.id)).size, tasks.length);
});
