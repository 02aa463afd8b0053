import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeAgent, fakeTask, TASK_ID } from '../../test/support/fake-agent.ts';
import type { Agent } from './define-tool.ts';
import { snoozeTask } from './snooze-task.ts';

/** Snoozes a task that was snoozed until `before`. */
async function snooze(input: object, before: string | null = null, fields: Partial<Agent> = {}) {
  const { agent, calls } = fakeAgent(({ path, query }) => {
    if (path.endsWith('/ladder'))
      return { data: { rungs: [], name: null, preset: 'default', from: 'account', label: null, fitted: [] } };
    return { data: query.ids === undefined ? fakeTask() : [fakeTask({ deferred_until: before })] };
  }, fields);
  const failing = snoozeTask.run(agent, { task_id: TASK_ID, ...input }).catch((error: Error) => error);
  const answer = await failing;
  const sent = calls.find(({ method }) => method === 'POST')?.payload;
  return { text: answer instanceof Error ? answer.message : answer.text, sent };
}

test('a snooze names its occurrence and ends at the moment, or so long after now', async () => {
  const ends = async (input: object) => (await snooze(input)).sent;
  assert.deepEqual(await ends({ until: '2026-03-05 18:00' }), { until: '2026-03-05T18:00' });
  assert.deepEqual(await ends({ minutes: 90 }), { until: '2026-03-05T10:30:00Z' });
  assert.deepEqual(await ends({ duration: '2 hours', occurrence_due_at: '2026-03-05' }), {
    until: '2026-03-05T11:00:00Z',
    occurrence_due_at: '2026-03-05T00:00',
  });
  // A day is as long as the user's clock makes it.
  assert.deepEqual(await ends({ duration: 'P25D' }), { until: '2026-03-30T08:00:00Z' });
});

test('a snooze that ends at once, in the past or at no time of day is refused, and so are two ends', async () => {
  for (const input of [{ duration: 'PT0S' }, { duration: '-PT1H' }, { duration: 'soon' }, { until: '2026-03-06' }, {}])
    assert.equal((await snooze(input)).sent, undefined, JSON.stringify(input));
  assert.match((await snooze({ minutes: 5, duration: 'PT5M' })).text, /exactly one of until, minutes and duration/);
});

test('the snooze that is replaced is told while it runs', async () => {
  assert.match((await snooze({ minutes: 5 }, '2026-03-05T10:00:00Z')).text, / Before: snoozed until .* at 11:00\.$/);
  assert.doesNotMatch((await snooze({ minutes: 5 }, '2026-03-05T08:00:00Z')).text, /Before:/);
});

test('a token that may not break quiet hours snoozes nothing that should', async () => {
  const { text, sent } = await snooze({ minutes: 5, ring_anyway: true }, null, { ceiling: 1 });
  assert.deepEqual([/may not break quiet hours/.test(text), sent], [true, undefined]);
});
