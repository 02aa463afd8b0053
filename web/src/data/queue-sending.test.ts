/** When the queue sends, and what it tells its page. */
import assert from 'node:assert/strict';
import { database, settleAll, testInBrowser } from '../../../test/support/fake-browser.ts';
import { fakeListeners } from '../../../test/support/fake-page.ts';
import type { ActionKind, QueuedAction } from './queued-action.ts';
import { readHook } from './read-hook.ts';
import { listActions, storeAction } from './stored-actions.ts';

/** What pages and the worker tell each other. */
class Channel {
  static newest: Channel | undefined;
  static told = 0;
  onmessage: (() => void) | undefined;
  constructor() {
    Channel.newest = this;
  }
  postMessage(): void {
    Channel.told += 1;
  }
}

const { tell, ...events } = fakeListeners();
const document = { addEventListener: events.addEventListener, visibilityState: 'visible' };
/** Without locks, which a test that fails would keep. */
const PAGE = { ...events, document, BroadcastChannel: Channel, navigator: {} };

let pages = 0;

/** A page that was just opened, and what its queue tells it. */
async function openPage(userId: () => string | undefined = () => 'ada') {
  pages += 1;
  Channel.told = 0;
  document.visibilityState = 'visible';
  const queue: typeof import('./action-queue.ts') = await import(`./action-queue.ts?sending=${pages}`);
  const changed: object[] = [];
  const replayed: unknown[] = [];
  await queue.startActionQueue({
    userId,
    onTaskChanged: (task) => changed.push(task),
    onReplayed: (stoppedBy, anyAnswered) => replayed.push([stoppedBy?.code, anyAnswered]),
  });
  return { ...queue, changed, replayed, shown: () => readHook(() => queue.useQueuedActions()) };
}

const action = (kind: ActionKind, id: string, more: object = {}) =>
  ({ kind, task: { id, title: id }, userId: 'ada', ...more }) as const;
const LEFT_BY_BOB: QueuedAction = {
  ...{ key: 'left', kind: 'complete', userId: 'bob', taskId: 'bins', title: 'bins' },
  ...{ body: {}, at: 1, notBefore: 0 },
};
const snooze = (id: string) => action('snooze', id, { body: { until: '2026-03-02T10:00:00Z' } });

testInBrowser(
  'a snooze is sent by itself once Undo is gone, and so is an edit that only Undo takes back',
  async (browser) => {
    const page = await openPage();
    await page.enqueueActions([
      snooze('cat'),
      action('edit', 'dog', { body: { due_at: null }, waitsForUndo: true }),
      action('decline', 'ask'),
    ]);
    await browser.pass(7_400);
    assert.deepEqual(browser.asked, []);
    await browser.pass(200);
    assert.deepEqual(browser.asked, ['POST /v1/tasks/cat/snooze', 'PATCH /v1/tasks/dog', 'POST /v1/tasks/ask/decline']);
    assert.deepEqual(browser.requests[0]?.body, { until: '2026-03-02T10:00:00Z' });
  },
  PAGE,
);

testInBrowser(
  'other pages hear of an Undo',
  async () => {
    const page = await openPage();
    const snoozed = await page.enqueueAction(snooze('cat'));
    await settleAll();
    Channel.told = 0;
    assert.deepEqual(await page.cancelActions([snoozed]), []);
    assert.equal(Channel.told, 1);
  },
  PAGE,
);

testInBrowser(
  'what could not be sent is sent again, and not before the service wants it; a lost session waits for a sign-in',
  async (browser) => {
    const page = await openPage();
    browser.respond = () => ({ status: 429, error: 'too_many_requests: Wait.', headers: { 'retry-after': '30' } });
    await page.enqueueAction(action('complete', 'bins'));
    await settleAll();
    await browser.pass(29_000);
    assert.equal(browser.requests.length, 1);
    browser.respond = () => 'offline';
    await browser.pass(1_000);
    assert.equal(browser.requests.length, 2);
    browser.respond = () => ({ status: 401, error: 'unauthenticated: Sign in.' });
    await browser.pass(10_000);
    assert.equal(browser.requests.length, 3);
    await browser.pass(120_000);
    assert.equal(browser.requests.length, 3, 'a session that has ended is not asked again and again');
    assert.deepEqual(page.replayed, [
      ['too_many_requests', false],
      ['offline', false],
      ['unauthenticated', false],
    ]);
    browser.respond = () => ({ data: { id: 'bins' } });
    page.sendQueuedActions();
    await settleAll();
    assert.deepEqual(await listActions(), []);
  },
  PAGE,
);

for (const [name, leave] of [
  ['hidden', () => tell('visibilitychange')],
  ['left', () => tell('pagehide')],
] as const)
  testInBrowser(
    `a page that is ${name} sends at once what waits for Undo, also while it is sending; one that is shown does not`,
    async (browser) => {
      const page = await openPage();
      await page.enqueueAction(snooze('cat'));
      tell('visibilitychange');
      tell('online');
      await settleAll();
      assert.deepEqual(browser.asked, []);
      const { promise, resolve } = Promise.withResolvers<{ data: object }>();
      browser.respond = ({ path }) => (path.includes('bins') ? promise : { data: { id: 'cat' } });
      await page.enqueueAction(action('complete', 'bins'));
      await settleAll();
      document.visibilityState = 'hidden';
      leave();
      // Somebody asks for less before the first answer has come.
      tell('online');
      resolve({ data: { id: 'bins' } });
      await settleAll();
      assert.deepEqual(browser.asked, ['POST /v1/tasks/bins/complete', 'POST /v1/tasks/cat/snooze']);
    },
    PAGE,
  );

testInBrowser(
  'what an earlier page left is sent when a page opens, and what could not be sent when the network is back',
  async (browser) => {
    const left: QueuedAction = {
      ...{ key: 'left', kind: 'complete', userId: 'ada', taskId: 'bins', title: 'bins' },
      ...{ body: {}, at: 1, notBefore: 0 },
    };
    await storeAction(left);
    browser.respond = () => 'offline';
    const page = await openPage();
    await settleAll();
    assert.deepEqual([browser.requests.length, page.countQueuedActions('ada')], [1, 1]);
    browser.respond = () => ({ data: { id: 'bins' } });
    tell('online');
    await settleAll();
    assert.deepEqual([browser.requests.length, page.countQueuedActions('ada')], [2, 0]);
    assert.equal(Channel.told, 1, 'other pages read their queues again once something was sent');
  },
  PAGE,
);

testInBrowser(
  'a page shows what another page queued, and tells its lists when that was sent',
  async () => {
    const page = await openPage();
    const action: QueuedAction = {
      ...{ key: 'other', kind: 'complete', userId: 'ada', taskId: 'bins', title: 'bins' },
      ...{ body: {}, at: 1, notBefore: Number.POSITIVE_INFINITY },
    };
    await storeAction(action);
    Channel.newest?.onmessage?.();
    await settleAll();
    assert.deepEqual(page.shown(), [action]);
    assert.deepEqual(page.replayed, [[undefined, true]]);
  },
  PAGE,
);

testInBrowser(
  'a refusal is told until it is dismissed, and the lists are read again because of it',
  async (browser) => {
    const page = await openPage();
    browser.respond = () => ({ status: 409, error: 'task_closed: It is closed.' });
    await page.enqueueAction(action('edit', 'bins', { body: { title: 'Bins' } }));
    await settleAll();
    const refusals = readHook(() => page.useRefusedActions());
    assert.deepEqual(
      refusals.map(({ action, reason }) => [action.taskId, reason]),
      [['bins', 'The task was already closed.']],
    );
    assert.deepEqual(page.replayed, [[undefined, true]]);
    for (const refusal of refusals) await page.dismissRefused(refusal);
    assert.deepEqual(
      readHook(() => page.useRefusedActions()),
      [],
    );
    assert.deepEqual([...database.rows('refused')], []);
  },
  PAGE,
);

testInBrowser(
  'once a new task is stored, its row stays the same and what is done to it names the id of the service',
  async (browser) => {
    const page = await openPage();
    const promise = new Promise<{ data: object }>(() => undefined);
    browser.respond = ({ method }) => (method === 'PATCH' ? promise : { data: { id: 'of-service' } });
    await page.enqueueActions([
      action('create', 'local-1', { body: { title: 'bins' } }),
      action('edit', 'local-1', { body: { notes: 'both' } }),
      snooze('local-1'),
    ]);
    await settleAll();
    const ids = () => page.shown().map(({ kind, taskId }) => [kind, taskId]);
    const waiting = [
      ['edit', 'of-service'],
      ['snooze', 'of-service'],
    ];
    assert.deepEqual(ids(), waiting, 'while the rest is sent');
    assert.equal(page.stableTaskKey('of-service'), 'local-1');
    Channel.newest?.onmessage?.();
    await settleAll();
    assert.deepEqual(ids(), waiting, 'after the queue was read again');
    const later = await page.enqueueAction(action('complete', 'local-1'));
    assert.equal(later.taskId, 'of-service');
  },
  PAGE,
);

testInBrowser(
  'what is shown of an action is what the service answered; a closed task is no longer snoozed',
  async (browser) => {
    const page = await openPage();
    browser.respond = ({ path }) => ({ data: { id: path.includes('bins') ? 'bins' : 'cat', title: 'as stored' } });
    await page.enqueueActions([action('edit', 'cat', { body: { title: ' as typed' } }), action('complete', 'bins')]);
    await settleAll();
    assert.deepEqual(page.changed, [
      { id: 'cat', title: 'as stored' },
      { id: 'bins', title: 'as stored', deferred_until: null },
    ]);
  },
  PAGE,
);

testInBrowser(
  'Undo takes all of it back at once, and nothing of it is shown or sent any more',
  async (browser) => {
    const page = await openPage();
    const added = await page.enqueueActions([snooze('cat'), snooze('dog')]);
    await settleAll();
    assert.deepEqual(await page.cancelActions(added), []);
    assert.equal(page.countQueuedActions('ada'), 0);
    await browser.pass(60_000);
    assert.deepEqual(browser.asked, []);
  },
  PAGE,
);

testInBrowser(
  'a page that cannot read its queue after sending tells its lists, and goes on sending',
  async (browser) => {
    const page = await openPage();
    await page.enqueueAction(action('complete', 'bins'));
    database.before = (store, verb) => (`${verb} ${store}` === 'list refused' ? Promise.reject() : undefined);
    await settleAll();
    assert.deepEqual(page.replayed, [[undefined, true]]);
    database.before = () => undefined;
    await page.enqueueAction(action('complete', 'cat'));
    await settleAll();
    assert.deepEqual(browser.asked, ['POST /v1/tasks/bins/complete', 'POST /v1/tasks/cat/complete']);
    assert.equal(page.countQueuedActions('ada'), 0);
  },
  PAGE,
);

testInBrowser(
  'an action whose answer comes while the queue is read does not come back',
  async (browser) => {
    const page = await openPage();
    const { promise: answer, resolve: respond } = Promise.withResolvers<{ data: object }>();
    const { promise: read, resolve: goOn } = Promise.withResolvers<void>();
    browser.respond = () => answer;
    await page.enqueueAction(action('complete', 'bins'));
    await settleAll();
    let reads = 0;
    database.before = (store, verb) => {
      if (`${verb} ${store}` !== 'list refused') return undefined;
      reads += 1;
      return reads === 1 ? read : undefined;
    };
    Channel.newest?.onmessage?.();
    await settleAll();
    respond({ data: { id: 'bins' } });
    await settleAll();
    goOn();
    await settleAll();
    assert.deepEqual(page.shown(), []);
  },
  PAGE,
);

testInBrowser(
  'what another account left keeps a page from nothing, and is asked about once it is signed in',
  async (browser) => {
    await storeAction(LEFT_BY_BOB);
    let userId = 'ada';
    const page = await openPage(() => userId);
    await settleAll();
    await browser.pass(60_000);
    assert.deepEqual([browser.asked, Channel.told, page.replayed], [[], 0, []]);
    userId = 'bob';
    page.sendQueuedActions();
    await settleAll();
    assert.deepEqual([browser.asked, Channel.told], [['POST /v1/tasks/bins/complete'], 1]);
  },
  PAGE,
);

testInBrowser(
  'an edit behind a snooze is told to other pages once, and rests with it until Undo is gone',
  async (browser) => {
    const page = await openPage();
    await page.enqueueAction(snooze('cat'));
    await settleAll();
    await page.enqueueAction(action('edit', 'cat', { body: { title: 'Cat' } }));
    await settleAll();
    for (let step = 0; step < 60; step += 1) await browser.pass(100);
    assert.deepEqual([browser.asked, Channel.told, page.replayed.length], [[], 2, 2]);
    await browser.pass(2_000);
    assert.deepEqual(browser.asked, ['POST /v1/tasks/cat/snooze', 'PATCH /v1/tasks/cat']);
    assert.deepEqual([Channel.told, page.replayed.length], [3, 3]);
  },
  PAGE,
);

testInBrowser(
  'beside what another account left, a snooze is told to other pages once, and rests until Undo is gone',
  async (browser) => {
    await storeAction(LEFT_BY_BOB);
    const page = await openPage();
    await page.enqueueAction(snooze('cat'));
    await settleAll();
    for (let step = 0; step < 60; step += 1) await browser.pass(100);
    assert.deepEqual([browser.asked, Channel.told, page.replayed.length], [[], 1, 1]);
    for (let step = 0; step < 60; step += 1) await browser.pass(100);
    assert.deepEqual([browser.asked, Channel.told, page.replayed.length], [['POST /v1/tasks/cat/snooze'], 2, 2]);
  },
  PAGE,
);

testInBrowser(
  'a page that cannot reach the service tells other pages of what it queued, and not of each try',
  async (browser) => {
    const page = await openPage();
    browser.respond = () => 'offline';
    await page.enqueueAction(action('complete', 'bins'));
    await settleAll();
    for (let round = 0; round < 3; round += 1) await browser.pass(10_000);
    assert.deepEqual([browser.requests.length, Channel.told], [4, 1]);
  },
  PAGE,
);

testInBrowser(
  'other pages are told of a refusal, also of what they have been told before that it waits',
  async (browser) => {
    const page = await openPage();
    await page.enqueueAction(snooze('cat'));
    await settleAll();
    browser.respond = () => ({ status: 409, error: 'task_closed: It is closed.' });
    await browser.pass(8_000);
    assert.deepEqual([browser.requests.length, Channel.told], [1, 2]);
  },
  PAGE,
);

testInBrowser(
  'an account is told how many of its own actions wait, and not of those of another one',
  async () => {
    await storeAction(LEFT_BY_BOB);
    const page = await openPage();
    await page.enqueueActions([snooze('cat'), snooze('dog')]);
    await settleAll();
    assert.deepEqual(['ada', 'bob', 'cleo', undefined].map(page.countQueuedActions), [2, 1, 0, 0]);
  },
  PAGE,
);

testInBrowser(
  'a service that is out of reach is asked once at a time, however much was queued meanwhile',
  async (browser) => {
    const page = await openPage();
    browser.respond = () => 'offline';
    for (const id of ['bins', 'cat', 'dog']) {
      await page.enqueueAction(action('complete', id));
      await settleAll();
    }
    const before = browser.requests.length;
    await browser.pass(10_000);
    assert.equal(browser.requests.length, before + 1);
  },
  PAGE,
);
