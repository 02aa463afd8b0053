import assert from 'node:assert/strict';
import { database, testInBrowser } from '../../../test/support/fake-browser.ts';
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
      await replayQueue();
      assert.deepEqual(await listActions(), []);
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
