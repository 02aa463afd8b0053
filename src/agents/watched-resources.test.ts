import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeAgent, fakeTask, TASK_ID, taskIdEnding } from '../../test/support/fake-agent.ts';
import { TODAY_URI, taskUri } from './resources.ts';
import { WatchedResources } from './watched-resources.ts';

const OTHER = taskIdEnding('c3d4');

interface Changes {
  readonly tasks?: readonly object[];
  readonly removed?: readonly string[];
  readonly reset?: boolean;
}

/** Watches these addresses. `look` says what sync answers next, and returns what is told. */
async function watch(...uris: string[]) {
  let changes: Changes = {};
  let due: object[] = [];
  let now = new Date('2026-03-05T09:00:00Z');
  const { agent, calls } = fakeAgent(({ path, query }) => {
    if (path !== '/v1/sync') return { data: query.status === 'open' ? due : [] };
    const server_time = `moment ${calls.filter((call) => call.path === path).length}`;
    return { data: { tasks: [], removed: [], reset: false, server_time, ...changes } };
  });
  const watched = new WatchedResources(uris, async () => ({ ...agent, now }));
  await watched.start();
  return {
    sinces: () => calls.filter(({ path }) => path === '/v1/sync').map(({ query }) => query.since),
    look: (next: Changes, then: { due?: object[]; now?: string } = {}) => {
      changes = next;
      due = then.due ?? due;
      now = new Date(then.now ?? now);
      return watched.findChanged();
    },
  };
}

test('a task that changed or was removed is told once, and the next look goes on where this one ended', async () => {
  const { look, sinces } = await watch(taskUri(TASK_ID), taskUri(OTHER));
  assert.deepEqual(await look({ tasks: [fakeTask()] }), [taskUri(TASK_ID)]);
  // Sync may show a change twice.
  assert.deepEqual(await look({ tasks: [fakeTask()] }), []);
  assert.deepEqual(await look({ tasks: [fakeTask({ title: 'Tablets' })] }), [taskUri(TASK_ID)]);
  assert.deepEqual(await look({ removed: [OTHER] }), [taskUri(OTHER)]);
  assert.deepEqual(sinces().slice(1), ['moment 1', 'moment 2', 'moment 3', 'moment 4']);
});

test('where sync begins anew everything may be another, and nothing is told that nobody watches', async () => {
  const { look } = await watch(taskUri(TASK_ID), taskUri(OTHER));
  assert.deepEqual(await look({ reset: true }), [taskUri(TASK_ID), taskUri(OTHER)]);
  const one = await watch(taskUri(TASK_ID));
  assert.deepEqual(await one.look({ tasks: [fakeTask({ id: OTHER })] }), []);
});

test('today is told if it reads otherwise, also because another day has begun', async () => {
  const { look } = await watch(TODAY_URI);
  assert.deepEqual(await look({ tasks: [fakeTask()] }), []);
  assert.deepEqual(await look({ tasks: [fakeTask({ title: 'Tablets' })] }, { due: [fakeTask()] }), [TODAY_URI]);
  assert.deepEqual(await look({}, { now: '2026-03-05T22:59:00Z' }), []);
  assert.deepEqual(await look({}, { now: '2026-03-05T23:00:00Z' }), [TODAY_URI]);
  assert.deepEqual(await look({}), []);
});
