import assert from 'node:assert/strict';
import { database, testInBrowser } from '../../../test/support/fake-browser.ts';
import { fakeListeners } from '../../../test/support/fake-page.ts';
import { listActions } from '../data/stored-actions.ts';

const DUE = '2026-03-02T09:00:00.000Z';

/** What the worker shows and asks of its browser. */
function fakeRegistration() {
  const shown: string[] = [];
  const syncs: string[] = [];
  const registration = {
    showNotification: async (title: string, { body = '' }: NotificationOptions) => void shown.push(`${title}: ${body}`),
    sync: { register: async (tag: string) => void syncs.push(tag) },
  };
  return { shown, syncs, self: { registration } };
}

const nudge = (task_id: string) =>
  ({ title: task_id, data: { task_id, occurrence_due_at: DUE } }) as unknown as Notification;

{
  const { shown, syncs, self } = fakeRegistration();
  testInBrowser(
    'a button that is pressed without a network is kept, names its occurrence, and is sent once there is one',
    async (browser) => {
      const { handleClick } = await import('./nudges.ts');
      const { replayQueue } = await import('./background-sync.ts');
      database.rows('cache').set('user', 'ada');
      browser.respond = () => 'offline';
      await handleClick(nudge('bins'), 'done');
      const [kept] = await listActions();
      assert.deepEqual([kept?.kind, kept?.userId, kept?.body], ['complete', 'ada', { occurrence_due_at: DUE }]);
      assert.deepEqual([shown.length, syncs], [1, ['actions']]);
      browser.respond = () => ({ data: { id: 'bins' } });
      browser.told.length = 0;
      await replayQueue();
      assert.deepEqual(await listActions(), []);
      assert.equal(browser.told.length, 1, 'open pages read their queues again');
      const keys = browser.requests.map(({ key }) => key);
      assert.deepEqual(keys, [kept?.key, kept?.key]);
    },
    { self },
  );
}

{
  const { self } = fakeRegistration();
  testInBrowser(
    'while nobody is signed in, the worker sends nothing',
    async (browser) => {
      const { replayQueue } = await import('./background-sync.ts');
      database
        .rows('deeds')
        .set('key', { key: 'key', userId: 'ada', kind: 'complete', taskId: 'bins', at: 1, notBefore: 0 });
      await replayQueue();
      assert.deepEqual(browser.asked, []);
    },
    { self },
  );
}

const page = { url: 'https://crescendo.test/app/tasks', method: 'GET', mode: 'navigate' } as Request;

/** A cache that holds the page of the app. */
const caches = { match: async (wanted: unknown) => (wanted === '/app' ? new Response('cached') : undefined) };
const BUILD = { __BUILD__: 'newest', __SHELL__: [] };

for (const [fault, answer] of [
  ['fails', async () => new Response('failing', { status: 502 })],
  ['cannot be reached', () => Promise.reject(new TypeError('Failed to fetch'))],
] as const)
  testInBrowser(
    `the app opens while the service ${fault}`,
    async () => {
      const { respondFromCache } = await import('./shell-cache.ts');
      assert.equal(await (await respondFromCache(page))?.text(), 'cached');
    },
    { ...BUILD, caches, fetch: answer },
  );

{
  const names = ['shell-oldest', 'shell-older', 'other', 'shell-newest'];
  const deleted: string[] = [];
  testInBrowser(
    'a new app deletes old ones, except the one before it, of which a page may be open',
    async () => {
      const { deleteOldShells } = await import('./shell-cache.ts');
      await deleteOldShells();
      assert.deepEqual(deleted, ['shell-oldest']);
    },
    { ...BUILD, caches: { keys: async () => names, delete: async (name: string) => void deleted.push(name) } },
  );
}

const request = (path: string, more: object = {}) =>
  ({ url: new URL(path, 'https://crescendo.test').href, method: 'GET', mode: 'cors', ...more }) as Request;

testInBrowser(
  'the worker answers with files of the app, and with nothing that the service has to answer',
  async () => {
    const { respondFromCache } = await import('./shell-cache.ts');
    const answer = async (path: string, more?: object) => (await respondFromCache(request(path, more)))?.text();
    assert.equal(await answer('/app/assets/index.js'), 'a file');
    assert.equal(await answer('/app/assets/of-a-newer-app.js'), 'fetched');
    const navigate = { mode: 'navigate' };
    assert.equal(await answer('/app/tasks', navigate), 'fetched');
    for (const [path, more] of [
      ['/v1/tasks', {}],
      ['/app/live', {}],
      ['/app/session', { method: 'POST' }],
      ['/app/assets/index.js', { method: 'POST' }],
      ['/app/sw.js', {}],
      ['/apps/index.js', {}],
      ['/app/connect', navigate],
      ['https://elsewhere.test/app/index.js', {}],
    ] as const)
      assert.equal(await answer(path, more), undefined, path);
  },
  {
    ...BUILD,
    caches: {
      match: async ({ url }: Request) => (url?.endsWith('/index.js') ? new Response('a file') : undefined),
    },
    fetch: async () => new Response('fetched'),
  },
);

testInBrowser(
  'the app opens after three seconds though the service is slow, and without a copy of it when the service answers',
  async (browser) => {
    const { respondFromCache } = await import('./shell-cache.ts');
    const slow = Promise.withResolvers<Response>();
    Object.assign(globalThis, { fetch: () => slow.promise });
    const answered = respondFromCache(page);
    await browser.pass(3_000);
    assert.equal(await (await answered)?.text(), 'cached');
    Object.assign(globalThis, { caches: { match: async () => undefined } });
    const failing = async () => new Response('failing', { status: 502 });
    Object.assign(globalThis, { fetch: failing });
    assert.equal(await (await respondFromCache(page))?.text(), 'failing');
    Object.assign(globalThis, { fetch: () => slow.promise });
    const late = respondFromCache(page);
    await browser.pass(3_000);
    slow.resolve(new Response('late'));
    assert.equal(await (await late)?.text(), 'late');
  },
  { ...BUILD, caches },
);

{
  const { addEventListener, tell } = fakeListeners();
  const { self } = fakeRegistration();
  const done: string[] = [];
  const note = (what: string) => async () => void done.push(what);
  const pushManager = { subscribe: async () => ({ toJSON: () => ({ endpoint: 'new' }) }) };
  const worker = {
    ...self,
    addEventListener,
    registration: { ...self.registration, pushManager, showNotification: note('shown') },
    skipWaiting: note('takes over'),
    clients: { claim: note('claims pages') },
  };
  const caches = {
    open: async () => ({ addAll: async (files: string[]) => void done.push(`keeps ${files.join(' ')}`) }),
    keys: async () => ['shell-oldest', 'shell-older'],
    delete: async (name: string) => void done.push(`deletes ${name}`),
  };
  testInBrowser(
    'the browser keeps the worker until what an event began has ended',
    async (browser) => {
      await import('./worker.ts');
      database.rows('cache').set('user', 'ada').set('own-device', { id: 'this' });
      const nothing = { notBefore: 0, title: '', body: {} };
      browser.respond = async ({ method, path }) => {
        await Promise.resolve();
        done.push(`${method} ${path}`);
        return { data: { id: 'this', public_key: 'key' } };
      };
      /** What is done when the browser may stop the worker. */
      const during = async (type: string, more: object = {}) => {
        done.length = 0;
        const waits: Promise<unknown>[] = [];
        tell(type, { ...more, waitUntil: (promise: Promise<unknown>) => void waits.push(promise) });
        await Promise.all(waits);
        return [...done];
      };
      assert.deepEqual(await during('install'), ['keeps /app /app/index.js', 'takes over']);
      assert.deepEqual(await during('activate'), ['deletes shell-oldest', 'claims pages']);
      assert.deepEqual(await during('push', { data: { text: () => '{}' } }), ['shown']);
      const pressed = { action: 'done', notification: { ...nudge('bins'), close: () => done.push('closed') } };
      assert.deepEqual(await during('notificationclick', pressed), ['closed', 'POST /v1/tasks/bins/complete']);
      const kept = { key: 'kept', userId: 'ada', kind: 'complete', taskId: 'cat', at: 1, ...nothing };
      database.rows('deeds').set('kept', kept);
      assert.deepEqual(await during('sync'), ['POST /v1/tasks/cat/complete']);
      assert.deepEqual(await during('pushsubscriptionchange'), ['GET /v1/devices/vapid-key', 'POST /v1/devices']);
    },
    { ...BUILD, __SHELL__: ['/app/index.js'], caches, self: worker },
  );
}
