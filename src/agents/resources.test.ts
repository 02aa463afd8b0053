import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeAgent, fakeTask, TASK_ID, taskIdEnding } from '../../test/support/fake-agent.ts';
import { readToday } from './resources.ts';

const [LATER, SNOOZED, CLOSED] = [taskIdEnding('0001'), taskIdEnding('0002'), taskIdEnding('0003')];

test('today has what is due once, what is still to come, and what was done apart from what was skipped', async () => {
  const at = '2026-03-05T15:00:00.000Z';
  const entry = (kind: string, task_id: string, status = 'open') => ({ kind, task_id, status, title: kind, at });
  const outcome = (title: string, kind: string) => ({ task_id: CLOSED, title, outcome: kind, recorded_at: at });
  const { agent } = fakeAgent(({ path, query }) => {
    if (query.status === 'open') return { data: [fakeTask()], headers: { 'x-next-cursor': 'more' } };
    if (path === '/v1/outcomes') return { data: [outcome('Dishes', 'done'), outcome('Run', 'skipped')] };
    if (path !== '/v1/agenda') return { data: [] };
    const entries = [
      entry('due', TASK_ID),
      entry('snoozed', TASK_ID),
      entry('snoozed', SNOOZED),
      entry('occurrence', LATER, 'missed'),
      entry('occurrence', LATER),
    ];
    return { data: entries };
  });
  const today = JSON.parse(await readToday(agent));
  const titles = (rows: { title: string }[]) => rows.map(({ title }) => title);
  assert.deepEqual([titles(today.done), titles(today.skipped)], [['Dishes'], ['Run']]);
  assert.deepEqual(
    today.also.map(({ id, kind }: { id: string; kind: string }) => [id, kind]),
    [
      [SNOOZED, 'snoozed'],
      [LATER, 'occurrence'],
    ],
  );
  assert.match(today.note, /^Only the first 30 due tasks are here/);
});
