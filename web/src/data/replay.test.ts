import assert from 'node:assert/strict';
import { database, settle, testInBrowser } from '../../../test/support/fake-browser.ts';
import type { ActionKind, QueuedAction } from './queued-action.ts';
import { replay } from './replay.ts';
import { listActions, listRefusals, storeAction } from './stored-actions.ts';

const NOW = Date.parse('2026-03-02T09:00:00Z');

let stored = 0;

/** Stores an action of Ada that was made after those before it. */
async function queue(kind: ActionKind, taskId: string, more: Partial<QueuedAction> = {}): Promise<QueuedAction> {
  stored += 1;
  const at = NOW + stored;
  const action: QueuedAction = {
    key: `key ${stored}`,
    kind,
    userId: 'ada',
    taskId,
    title: taskId,
    body: {},
    at,
    notBefore: 0,
    ...more,
  };
  await storeAction(action);
  return action;
}

const replayAsAda = (now = NOW) => replay({ now, userId: 'ada' });

testInBrowser('only the actions of the account whose session it is are sent', async (browser) => {
  await queue('complete', 'of-bob', { userId: 'bob' });
  await queue('complete', 'of-ada');
  await replayAsAda();
  assert.deepEqual(browser.asked, ['POST /v1/tasks/of-ada/complete']);
  assert.deepEqual(
    (await listActions()).map(({ taskId }) => taskId),
    ['of-bob'],
  );
});

testInBrowser('an action that can still be undone holds later ones on its task, and no others', async (browser) => {
  await queue('snooze', 'bins', { notBefore: NOW + 7_500 });
  await queue('complete', 'bins');
  await queue('complete', 'cat');
  await replayAsAda();
  assert.deepEqual(browser.asked, ['POST /v1/tasks/cat/complete']);
  await replayAsAda(Number.POSITIVE_INFINITY);
  assert.deepEqual(browser.asked.slice(1), ['POST /v1/tasks/bins/snooze', 'POST /v1/tasks/bins/complete']);
});

testInBrowser(
  'what was done to a new task reaches it, also if the page ends while the id of the task is stored',
  async (browser) => {
    const created = await queue('create', 'local-1');
    await queue('complete', 'local-1');
    browser.respond = () => ({ data: { id: 'of-service' } });
    database.before = (store, verb) => (store === 'ids' && verb === 'put' ? new Promise(() => undefined) : undefined);
    void replayAsAda();
    await settle();
    database.before = () => undefined;
    await replayAsAda();
    assert.deepEqual(browser.asked, ['POST /v1/tasks', 'POST /v1/tasks', 'POST /v1/tasks/of-service/complete']);
    assert.deepEqual(
      browser.requests.slice(0, 2).map(({ key }) => key),
      [created.key, created.key],
    );
    assert.deepEqual(await listActions(), []);
  },
  // The lock of a page ends with it.
  { navigator: {} },
);

testInBrowser(
  'without a session, a network or a service that works, nothing is refused and everything stays',
  async (browser) => {
    const action = await queue('complete', 'bins');
    for (const answer of [{ status: 401, error: 'unauthenticated: Sign in.' }, { status: 503 }, 'offline'] as const) {
      browser.respond = () => answer;
      const { refused, stoppedBy } = await replayAsAda();
      assert.deepEqual([refused, stoppedBy?.status], [[], answer === 'offline' ? 0 : answer.status]);
    }
    assert.deepEqual(await listActions(), [action]);
    assert.deepEqual(await listRefusals(), []);
  },
);

testInBrowser('a refused task takes what was done to it along, and stops nothing behind it', async (browser) => {
  await queue('create', 'local-1');
  await queue('complete', 'local-1');
  await queue('complete', 'cat');
  browser.respond = ({ path }) =>
    path === '/v1/tasks' ? { status: 409, error: 'too_many_open_tasks: Close some first.' } : { data: { id: 'cat' } };
  const { refused } = await replayAsAda();
  assert.deepEqual(
    refused.map(({ action }) => action.kind),
    ['create'],
  );
  assert.deepEqual(browser.asked, ['POST /v1/tasks', 'POST /v1/tasks/cat/complete']);
  assert.deepEqual(await listActions(), []);
});

testInBrowser(
  'of a bulk change, what the answer does not name is sent alone, and what it refuses is told',
  async (browser) => {
    for (const taskId of ['bins', 'cat', 'gone']) await queue('complete', taskId, { batch: 'batch' });
    browser.respond = ({ path }) => {
      if (path !== '/v1/batches') return { data: { id: 'cat' } };
      const result = (task_id: string, error: string | null) => ({ task_id, task: null, error });
      return { data: { batch_id: 'b', results: [result('bins', null), result('gone', 'not_found: It is gone.')] } };
    };
    const { refused } = await replayAsAda();
    assert.deepEqual(browser.asked, ['POST /v1/batches', 'POST /v1/tasks/cat/complete']);
    assert.deepEqual(
      refused.map(({ action }) => action.taskId),
      ['gone'],
    );
    assert.deepEqual(await listActions(), []);
  },
);

testInBrowser('a bulk change sends nothing of another account', async (browser) => {
  await queue('complete', 'of-bob', { userId: 'bob', batch: 'batch' });
  await queue('complete', 'of-ada', { batch: 'batch' });
  browser.respond = () => ({
    data: { batch_id: 'b', results: [{ task_id: 'of-ada', task: null, error: null }] },
  });
  await replayAsAda();
  assert.deepEqual(
    browser.requests.map(({ body }) => body),
    [{ as: 'done', tasks: [{ id: 'of-ada' }] }],
  );
});

testInBrowser('what was carried out and whose answer the service lost is not sent again', async (browser) => {
  await queue('complete', 'bins');
  await queue('create', 'local-1');
  browser.respond = () => ({ status: 409, error: 'idempotency_key_spent: It was carried out.' });
  await replayAsAda();
  assert.deepEqual(await listActions(), []);
  // Only of a new task the answer is needed, for its id.
  assert.deepEqual(
    (await listRefusals()).map(({ action, reason }) => [action.kind, reason]),
    [['create', 'It was done, but the answer got lost. Look in your list.']],
  );
});

testInBrowser(
  'an answer that the browser cannot store refuses nothing, and is asked for again by its key',
  async (browser) => {
    const action = await queue('complete', 'bins');
    for (const step of ['remove deeds', 'list deeds']) {
      database.before = (store, verb) => (`${verb} ${store}` === step ? Promise.reject() : undefined);
      const { refused, stoppedBy } = await replayAsAda();
      assert.deepEqual([refused, stoppedBy?.code, stoppedBy?.isTemporary], [[], 'browser_failed', true], step);
    }
    database.before = () => undefined;
    assert.deepEqual([await listActions(), await listRefusals()], [[action], []]);
    await replayAsAda();
    assert.deepEqual(await listActions(), []);
    assert.deepEqual(
      browser.requests.map(({ key }) => key),
      [action.key, action.key],
    );
  },
);

testInBrowser('a refusal that the browser cannot store is told once it can', async (browser) => {
  await queue('complete', 'bins');
  browser.respond = () => ({ status: 404, error: 'not_found: It is gone.' });
  database.before = (store, verb) => (`${verb} ${store}` === 'put refused' ? Promise.reject() : undefined);
  assert.equal((await replayAsAda()).stoppedBy?.code, 'browser_failed');
  database.before = () => undefined;
  assert.equal((await replayAsAda()).refused.length, 1);
  assert.equal((await listRefusals()).length, 1);
});

testInBrowser('two pages that send at the same time send each action once', async (browser) => {
  await queue('complete', 'bins');
  await Promise.all([replayAsAda(), replayAsAda()]);
  assert.deepEqual(browser.asked, ['POST /v1/tasks/bins/complete']);
});

testInBrowser(
  'an action is sent with what it is about; the answer to another ladder is not the task',
  async (browser) => {
    await queue('ladder', 'bins', { body: { preset: 'gentle' } });
    browser.respond = () => ({ data: { id: 'of-the-ladder', rungs: [] } });
    const sent: object[] = [];
    await replay({ now: NOW, userId: 'ada', onSent: ({ task }) => sent.push(task) });
    assert.deepEqual(browser.requests[0]?.body, { preset: 'gentle' });
    assert.deepEqual(sent, [{ id: 'bins' }]);
  },
);

testInBrowser('actions are sent in the order they were made, however the browser lists them', async (browser) => {
  await queue('complete', 'bins', { at: NOW + 3_000 });
  await queue('snooze', 'bins', { at: NOW + 1_000 });
  await queue('edit', 'bins', { at: NOW + 2_000 });
  await replayAsAda();
  assert.deepEqual(browser.asked, [
    'POST /v1/tasks/bins/snooze',
    'PATCH /v1/tasks/bins',
    'POST /v1/tasks/bins/complete',
  ]);
});
