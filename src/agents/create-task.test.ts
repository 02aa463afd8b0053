import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type FakeCall, fakeAgent, fakeTask } from '../../test/support/fake-agent.ts';
import { createTask, createTasksTool } from './create-task.ts';
import { ToolFailure } from './tool-failure.ts';

const made = (calls: readonly FakeCall[]) => calls.filter(({ path }) => path === '/v1/tasks');

test('a series that would be over before it begins is refused, with a time and without one', async () => {
  const { agent, calls } = fakeAgent(({ payload }) => ({ data: fakeTask(payload) }));
  const recurrence = { freq: 'daily', until: '2026-03-10' };
  for (const due_at of ['2026-03-11T09:00', '2026-03-11'])
    await assert.rejects(createTask.run(agent, { title: 'Pills', due_at, recurrence }), /is before the first date/);
  assert.deepEqual(made(calls), []);
});

test('a token that may not break quiet hours makes no task that should', async () => {
  const { agent, calls } = fakeAgent(({ payload }) => ({ data: fakeTask(payload) }), { ceiling: 1 });
  const call = { title: 'Pills', due_at: '2026-03-05T23:30', ring_anyway: true };
  await assert.rejects(createTask.run(agent, call), /may not break quiet hours/);
  assert.deepEqual(made(calls), []);
});

test('of several tasks each is made that can be, whatever is wrong with the others', async () => {
  const refusals: Record<string, ToolFailure> = {
    full: new ToolFailure('too_many_open_tasks', 'No more.', 60),
    wrong: new ToolFailure('invalid_input', 'title: it is wrong'),
  };
  const { agent } = fakeAgent(({ path, payload }) => {
    const refusal = refusals[payload?.title];
    if (refusal) throw refusal;
    if (path === '/v1/channels') return { data: { reason: null, unreached_stages: [] } };
    return { data: payload ? fakeTask(payload) : [] };
  });
  const tool = createTasksTool((input) => input);
  const tasks = ['full', 'Pills', 'wrong', 'Walk'].map((title) => ({ title }));
  const { text, isError } = await tool.run(agent, { tasks });
  const { created, failed, results } = JSON.parse(text);
  assert.deepEqual([created, failed, isError], [2, 2, false]);
  assert.deepEqual(
    results.map((result: object) => 'task' in result),
    [false, true, false, true],
  );
  assert.equal((await tool.run(agent, { tasks: [{ title: 'full' }] })).isError, true);
});
