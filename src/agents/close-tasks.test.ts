import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type FakeCall, fakeAgent, fakeTask, TASK_ID, taskIdEnding } from '../../test/support/fake-agent.ts';
import type { ApiTask } from './api-task.ts';
import { closeTasks } from './close-tasks.ts';
import type { Agent } from './define-tool.ts';

const SECOND = taskIdEnding('c3d4');
const DUE = '2026-03-05T11:00:00.000Z';

/** An account with these tasks, each of which can be closed. */
function withTasks(tasks: ApiTask[], fields: Partial<Agent> = {}) {
  return fakeAgent(({ path, payload }) => {
    if (path !== '/v1/batches') return { data: tasks };
    const results = payload.tasks.map(({ id }: { id: string }) => ({ task_id: id, task: fakeTask(), error: null }));
    return { data: { batch_id: SECOND, results } };
  }, fields);
}

const sentIn = (calls: readonly FakeCall[]) => calls.filter(({ path }) => path === '/v1/batches');

test('each task is closed at the occurrence that the answer before showed, and one that is named twice is closed once', async () => {
  const { agent, calls } = withTasks([fakeTask({ due_at: DUE })]);
  await closeTasks.run(agent, { task_ids: [TASK_ID, TASK_ID], as: 'done' });
  assert.deepEqual(sentIn(calls)[0]?.payload, { as: 'done', tasks: [{ id: TASK_ID, occurrence_due_at: DUE }] });
});

test('a task with another title, date or status than in the dry run, or that became a request, is left out', async () => {
  const stays = fakeTask({ id: SECOND });
  const changes: Partial<ApiTask>[] = [
    { title: 'Tablets' },
    { due_at: '2026-03-06T11:00:00.000Z' },
    { status: 'done' },
    { accepted_by_owner: false },
  ];
  for (const change of changes) {
    const tasks = [fakeTask({ due_at: DUE }), stays];
    const { agent, calls } = withTasks(tasks);
    const call = { task_ids: [TASK_ID, SECOND], as: 'dropped' };
    const { code } = JSON.parse((await closeTasks.run(agent, call)).text);
    tasks[0] = { ...fakeTask({ due_at: DUE }), ...change };
    const answer = JSON.parse((await closeTasks.run(agent, { ...call, code })).text);
    assert.deepEqual([answer.closed, answer.left_out[0].id], [1, TASK_ID], JSON.stringify(change));
    assert.deepEqual(sentIn(calls)[0]?.payload.tasks, [{ id: SECOND }]);
  }
});

test('a user who says no, or was asked about other tasks, closes nothing', async () => {
  const call = { task_ids: [TASK_ID, SECOND], as: 'dropped' };
  const tasks = [fakeTask(), fakeTask({ id: SECOND })];
  const asked = withTasks(tasks, { ask: { answer: 'unasked', code: undefined } });
  const { question } = await closeTasks.run(asked.agent, call);
  assert.match(question?.words ?? '', /^Mark 2 tasks as dropped/);
  const no = withTasks(tasks, { ask: { answer: 'no', code: question?.code } });
  assert.match((await closeTasks.run(no.agent, call)).text, /did not agree. Nothing changed/);
  const other = withTasks(tasks, { ask: { answer: 'yes', code: question?.code } });
  assert.ok((await closeTasks.run(other.agent, { ...call, task_ids: [TASK_ID] })).question);
  assert.deepEqual([...sentIn(no.calls), ...sentIn(other.calls)], []);
  const yes = withTasks(tasks, { ask: { answer: 'yes', code: question?.code } });
  assert.equal(JSON.parse((await closeTasks.run(yes.agent, call)).text).closed, 2);
});

test('a call fails only if no task could be closed, and each that could not is explained', async () => {
  const closeAll = async (errors: (string | null)[]) => {
    const ids = [TASK_ID, SECOND];
    const results = errors.map((error, index) => ({ task_id: ids[index], task: error ? null : fakeTask(), error }));
    const { agent } = fakeAgent(({ path }) => ({
      data: path === '/v1/batches' ? { batch_id: SECOND, results } : ids.map((id) => fakeTask({ id })),
    }));
    const { code } = JSON.parse((await closeTasks.run(agent, { task_ids: ids, as: 'done' })).text);
    const { text, isError } = await closeTasks.run(agent, { task_ids: ids, as: 'done', code });
    const { closed, failed, undo } = JSON.parse(text);
    return [isError, closed, failed, undo !== undefined];
  };
  assert.deepEqual(await closeAll([null, 'task_closed: It is closed.']), [false, 1, 1, true]);
  assert.deepEqual(await closeAll(['not_found: No.', 'task_closed: It is closed.']), [true, 0, 2, false]);
});
