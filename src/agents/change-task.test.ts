import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeAgent, fakeTask, TASK_ID } from '../../test/support/fake-agent.ts';
import type { ApiTask } from './api-task.ts';
import { changeTask } from './change-task.ts';

/** Changes the task into this one, which replaces `before`. */
async function change(old: ApiTask, changed: ApiTask, before: object, payload: object) {
  let stored = old;
  const { agent } = fakeAgent(({ path, query }) => {
    if (path.endsWith('/ladder'))
      return { data: { rungs: [], name: null, preset: 'default', from: 'account', label: null, fitted: [] } };
    if (!path.endsWith('/edit')) return { data: query.ids === undefined ? [] : [stored] };
    stored = changed;
    return { data: { task: changed, before } };
  });
  return (await changeTask(agent, TASK_ID, payload, () => 'Changed: ')).text;
}

test('whose text was replaced is told', async () => {
  const ofBob = fakeTask({ written_by: { kind: 'person', name: 'Bob' } });
  const text = await change(ofBob, fakeTask({ title: 'Tablets' }), { title: 'Pills' }, { title: 'Tablets' });
  assert.match(text, / Before: title "Pills" by person "Bob"\.$/);
});

test('a date that the rule does not name is told, also where the date alone was changed', async () => {
  const weekly = { recurrence: { freq: 'weekly', by_weekday: ['mo'] } };
  const old = fakeTask({ ...weekly, due_at: '2026-03-09T08:00:00.000Z' });
  const changed = { ...old, due_at: '2026-03-12T08:00:00.000Z' };
  const text = await change(old, changed, { due_at: old.due_at }, { due_at: '2026-03-12T09:00:00' });
  assert.match(text, /Tell the user: the first date is off the rule, which begins on Monday, 16 March 2026/);
});
