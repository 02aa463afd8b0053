import assert from 'node:assert/strict';
import { database, testInBrowser } from '../../../test/support/fake-browser.ts';
import type { ActionKind, QueuedAction } from './queued-action.ts';
import { replay } from './replay.ts';
import { listActions, listRefusals, type SentAction, storeAction } from './stored-actions.ts';

const NOW = Date.parse('2026-03-02T09:00:00Z');

/** Stores the actions of one bulk change, and others, in this order. */
async function queue(...actions: readonly (Partial<QueuedAction> & { kind: ActionKind; taskId: string })[]) {
  for (const [index, action] of actions.entries()) {
    const { kind, taskId } = action;
    const key = `${kind} ${taskId}`;
    const stored = { key, userId: 'ada', title: taskId, body: {}, at: NOW + index, notBefore: 0, batch: 'batch' };
    await storeAction({ ...stored, ...action });
  }
}

async function replayAsAda(sent: SentAction[] = []) {
  return replay({ now: NOW, userId: 'ada', onSent: (one) => sent.push(one) });
}

const answer = (...taskIds: readonly string[]) => ({
  data: {
    batch_id: 'of-service',
    results: taskIds.map((task_id) => ({ task_id, task: { status: 'done' }, error: null })),
  },
});

testInBrowser(
  'a bulk change names the occurrences that were on the screen, and tasks by the ids of the service',
  async (browser) => {
    database.rows('ids').set('local-1', 'stored-1');
    const body = { occurrence_due_at: '2026-03-02T08:00:00.000Z' };
    await queue({ kind: 'skip', taskId: 'bins', body }, { kind: 'skip', taskId: 'local-1' });
    browser.respond = () => answer('bins', 'stored-1');
    const sent: SentAction[] = [];
    await replayAsAda(sent);
    assert.deepEqual(browser.requests[0]?.body, {
      as: 'skipped',
      tasks: [{ ...body, id: 'bins' }, { id: 'stored-1' }],
    });
    assert.deepEqual(
      sent.map(({ task }) => task),
      [
        { status: 'done', id: 'bins' },
        { status: 'done', id: 'stored-1' },
      ],
    );
    assert.deepEqual(await listActions(), []);
  },
);

testInBrowser('Undo of a bulk change takes it back as one, after it was made', async (browser) => {
  await queue(
    { kind: 'drop', taskId: 'bins' },
    { kind: 'drop', taskId: 'cat' },
    { kind: 'reopen', taskId: 'bins' },
    { kind: 'reopen', taskId: 'cat' },
  );
  browser.respond = () => answer('bins', 'cat');
  await replayAsAda();
  assert.deepEqual(browser.asked, ['POST /v1/batches', 'POST /v1/batches/of-service/undo']);
  assert.deepEqual(browser.requests[0]?.body, { as: 'dropped', tasks: [{ id: 'bins' }, { id: 'cat' }] });
  assert.deepEqual(await listActions(), []);
});

testInBrowser('what is snoozed after a bulk change goes with that change, which is sent once', async (browser) => {
  const snooze = { kind: 'snooze', taskId: 'bins', notBefore: NOW + 7_000, batch: undefined } as const;
  await queue({ kind: 'complete', taskId: 'bins' }, { kind: 'complete', taskId: 'cat' }, snooze);
  browser.respond = () => answer('bins', 'cat');
  await replayAsAda();
  assert.deepEqual(browser.asked, ['POST /v1/batches']);
  assert.deepEqual(browser.requests[0]?.body, { as: 'done', tasks: [{ id: 'bins' }, { id: 'cat' }] });
});

testInBrowser('what waits for Undo before a bulk change keeps its task out of it', async (browser) => {
  const snooze = { kind: 'snooze', taskId: 'bins', notBefore: NOW + 7_000, batch: undefined } as const;
  await queue(snooze, { kind: 'complete', taskId: 'bins' }, { kind: 'complete', taskId: 'cat' });
  browser.respond = () => answer('cat');
  await replayAsAda();
  assert.deepEqual(browser.asked, ['POST /v1/batches']);
  assert.deepEqual(browser.requests[0]?.body, { as: 'done', tasks: [{ id: 'cat' }] });
});

testInBrowser('tasks whose bulk change was sent alone are taken back alone', async (browser) => {
  await queue({ kind: 'reopen', taskId: 'bins' }, { kind: 'reopen', taskId: 'cat' });
  await replayAsAda();
  assert.deepEqual(browser.asked, ['POST /v1/tasks/bins/reopen', 'POST /v1/tasks/cat/reopen']);
});

testInBrowser('a bulk change that the service does not take is sent task by task', async (browser) => {
  await queue({ kind: 'complete', taskId: 'bins' }, { kind: 'complete', taskId: 'cat' });
  browser.respond = ({ path }) =>
    path === '/v1/batches' ? { status: 404, error: 'not_found: No such path.' } : { data: { id: 'x' } };
  assert.deepEqual((await replayAsAda()).refused, []);
  assert.deepEqual(browser.asked.slice(1), ['POST /v1/tasks/bins/complete', 'POST /v1/tasks/cat/complete']);
  assert.deepEqual(await listActions(), []);
});

testInBrowser(
  'a bulk change without an answer stays one, and is sent again by another key once one of it was taken back',
  async (browser) => {
    await queue({ kind: 'complete', taskId: 'bins' }, { kind: 'complete', taskId: 'cat' });
    browser.respond = () => ({ status: 503 });
    assert.equal((await replayAsAda()).stoppedBy?.status, 503);
    await replayAsAda();
    database.rows('deeds').delete('complete cat');
    browser.respond = () => answer('bins');
    await replayAsAda();
    const keys = browser.requests.map(({ key }) => key);
    assert.deepEqual(browser.asked, ['POST /v1/batches', 'POST /v1/batches', 'POST /v1/batches']);
    assert.equal(keys[0], keys[1]);
    assert.notEqual(keys[2], keys[1]);
    assert.deepEqual(await listActions(), []);
  },
);

testInBrowser(
  'a task on which an earlier action can still be undone is left out of a bulk change, and a refusal is told in words',
  async (browser) => {
    await queue(
      { kind: 'snooze', taskId: 'cat', notBefore: NOW + 7_500, batch: undefined },
      { kind: 'complete', taskId: 'bins' },
      { kind: 'complete', taskId: 'cat' },
    );
    browser.respond = () => ({
      data: { batch_id: 'b', results: [{ task_id: 'bins', task: null, error: 'task_closed: It is closed.' }] },
    });
    await replayAsAda();
    assert.deepEqual(
      browser.requests.map(({ body }) => body),
      [{ as: 'done', tasks: [{ id: 'bins' }] }],
    );
    assert.deepEqual(
      (await listActions()).map(({ key }) => key),
      ['snooze cat', 'complete cat'],
    );
    assert.deepEqual(
      (await listRefusals()).map(({ action, reason }) => [action.taskId, reason]),
      [['bins', 'It is closed.']],
    );
  },
);

testInBrowser('a bulk change that finds no session stays one until somebody signs in', async (browser) => {
  await queue({ kind: 'complete', taskId: 'bins' }, { kind: 'complete', taskId: 'cat' });
  browser.respond = () => ({ status: 401, error: 'unauthenticated: Sign in.' });
  assert.equal((await replayAsAda()).stoppedBy?.status, 401);
  browser.respond = () => answer('bins', 'cat');
  await replayAsAda();
  assert.deepEqual(browser.asked, ['POST /v1/batches', 'POST /v1/batches']);
});
