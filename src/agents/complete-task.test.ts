import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeAgent, fakeTask, TASK_ID } from '../../test/support/fake-agent.ts';
import type { ApiTask } from './api-task.ts';
import { reopenTask } from './complete-task.ts';

const DUE = '2026-03-05T11:00:00.000Z';

test('what was undone is told, and that nothing was, by what the task was before', async () => {
  const reopen = async (before: Partial<ApiTask>) => {
    const after = fakeTask({ due_at: DUE });
    const { agent } = fakeAgent(({ path, query }) => {
      if (path.endsWith('/ladder'))
        return { data: { rungs: [], name: null, preset: 'default', from: 'account', label: null, fitted: [] } };
      return { data: query.ids === undefined ? after : [{ ...after, ...before }] };
    });
    return (await reopenTask.run(agent, { task_id: TASK_ID })).text;
  };
  assert.match(await reopen({}), /^Nothing to undo, it is unchanged: /);
  assert.match(await reopen({ status: 'done' }), /^Reopened: /);
  // Done with a repeating task leaves it open, at its next date.
  assert.match(await reopen({ due_at: '2026-03-06T11:00:00.000Z' }), /^Reopened: /);
  assert.match(await reopen({ completed_at: DUE }), /^Reopened: /);
  assert.match(await reopen({ skipped_at: DUE }), /^Reopened: /);
});

const entry = (id: string, before: object | null) => ({ id, fields: ['title'], before });

test('the last change that can be put back is put back, however many nudges came since', async () => {
  const { agent, calls } = fakeAgent(({ path, query }) => {
    if (!path.endsWith('/timeline')) return { data: query.ids === undefined ? fakeTask() : [fakeTask()] };
    if (query.cursor === 'older') return { data: [entry('2', null), entry('3', { title: 'x' }), entry('4', {})] };
    return { data: [entry('1', null)], headers: { 'x-next-cursor': 'older' } };
  });
  const { text } = await reopenTask.run(agent, { task_id: TASK_ID, last_change: true });
  assert.match(text, /^Put back title: /);
  assert.equal(calls.find(({ method }) => method === 'POST')?.path, `/v1/tasks/${TASK_ID}/timeline/3/restore`);
});

test('a timeline without a change to put back is read to its end, or for a bounded time', async () => {
  for (const [last, most] of [
    [3, 3],
    [1_000, 10],
  ] as const) {
    const { agent, calls } = fakeAgent(({ query }) => {
      const page = Number(query.cursor ?? 1);
      return { data: [entry('1', null)], ...(page < last && { headers: { 'x-next-cursor': String(page + 1) } }) };
    });
    await assert.rejects(reopenTask.run(agent, { task_id: TASK_ID, last_change: true }), {
      code: 'nothing_to_restore',
    });
    assert.equal(calls.length, most);
  }
});
