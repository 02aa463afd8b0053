import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeAgent, fakeTask, TASK_ID, taskIdEnding } from '../../test/support/fake-agent.ts';
import type { Agent } from './define-tool.ts';
import { listTasks } from './list-tasks.ts';

const OTHER = taskIdEnding('c3d4');
const REACH = { reason: 'nothing_set_up', unreached_stages: [] };

interface Account {
  readonly tasks?: readonly object[];
  readonly entries?: readonly object[];
  readonly next?: string;
  readonly isMore?: boolean;
  readonly fields?: Partial<Agent>;
}

/** The answer of this call, and what the search was asked. */
async function list(input: object, { tasks = [fakeTask()], entries = [], next, isMore = false, fields = {} }: Account) {
  const { agent, calls } = fakeAgent(({ path, query }) => {
    if (path === '/v1/channels') return { data: REACH };
    if (path === '/v1/agenda') return { data: entries, ...(isMore && { headers: { 'x-next-cursor': 'more' } }) };
    const found = tasks.slice(0, Number(query.limit));
    return { data: found, ...(next !== undefined && { headers: { 'x-next-cursor': next } }) };
  }, fields);
  const answer = JSON.parse((await listTasks.run(agent, input)).text);
  const askedAt = (url: string) => calls.filter(({ path }) => path === url).map(({ query }) => query);
  return { answer, searched: askedAt('/v1/tasks/search'), agenda: askedAt('/v1/agenda') };
}

const entry = (kind: string, task_id: string, status = 'open') => ({ kind, task_id, status });

test('a page begins at its cursor, and one that would be too long ends earlier, with one task at least', async () => {
  assert.equal((await list({ cursor: 'page 2' }, {})).searched[0]?.cursor, 'page 2');
  const long = fakeTask({ title: 'x'.repeat(99), kind: 'y'.repeat(40), due_at: '2026-03-06T08:00:00.000Z' });
  const { answer, searched } = await list({ limit: 100 }, { tasks: Array(100).fill(long) });
  assert.equal(searched.length, 2);
  assert.equal(answer.tasks.length, Number(searched[1]?.limit));
  const bytesOfRow = JSON.stringify(answer.tasks[0]).length + 2;
  assert.equal(answer.tasks.length, Math.floor(18_000 / bytesOfRow));
});

test('tasks are listed with why no reminder reaches the user, and an empty list says where it looked', async () => {
  assert.equal((await list({}, {})).answer.unreachable, 'nothing_set_up');
  const none = async (input: object) => (await list(input, { tasks: [] })).answer.note;
  assert.match(await none({ text: 'pills' }), /^Nothing found. Searched: tasks with status open, their titles/);
  assert.match(await none({ space: 'home' }), /no such task in a space of this name, or no such space/);
  assert.equal(await none({ cursor: 'page 2' }), 'There are no more.');
  assert.match(await none({ due_from: '2026-03-06', due_until: '2026-03-05' }), /due_from is after due_until/);
  const oneDay = { due_from: '2026-03-06', due_until: '2026-03-06' };
  assert.match(await none(oneDay), /Searched: tasks with status open, due from 2026-03-06 until 2026-03-06/);
});

test('what else falls into the days is told: further occurrences, and what is snoozed into them and not listed', async () => {
  const entries = [
    entry('occurrence', TASK_ID),
    entry('occurrence', OTHER, 'missed'),
    entry('snoozed', TASK_ID),
    entry('snoozed', OTHER),
  ];
  const days = { due_from: '2026-03-05', due_until: '2026-03-08' };
  const note = async (input: object, account: Account = {}) =>
    (await list({ ...days, ...input }, { entries, ...account })).answer.note;
  const both = 'Not listed: 1 repeating task has further occurrences in this span, 1 task is snoozed into it';
  assert.ok((await note({})).startsWith(both));
  assert.match(await note({}, { isMore: true }), /at least 1 repeating task has .*, at least 1 task is snoozed/);
  // Only the tasks that all of the words find, whenever they are due.
  const [, meant] = (await list({ ...days, text: 'my pills' }, { entries })).searched;
  assert.deepEqual(meant, { status: 'open', q: 'my pills', limit: '100' });
  assert.doesNotMatch(await note({ text: 'pills' }), /snoozed into it/);
  assert.equal(await note({ status: 'done' }), undefined);
  assert.equal(await note({}, { next: 'page 2' }), undefined);
  assert.equal((await list({}, { entries })).answer.note, undefined);
});

test('what else falls into the days is looked for from today on, and for 400 days at most', async () => {
  const span = async (input: object) => {
    const [asked] = (await list(input, {})).agenda;
    return asked && [asked.from, asked.until];
  };
  assert.deepEqual(await span({ due_until: '2026-03-08' }), ['2026-03-05', '2026-03-08']);
  assert.deepEqual(await span({ due_from: '2026-03-06T09:00' }), ['2026-03-06', '2027-04-09']);
  assert.deepEqual(await span({ due_from: '2026-03-06', due_until: '2030-01-01' }), ['2026-03-06', '2027-04-09']);
  assert.equal(await span({ due_until: '2026-03-04' }), undefined);
});
