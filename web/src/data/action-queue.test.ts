import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { database, settle, testInBrowser } from '../../../test/support/fake-browser.ts';
import { listActions } from './stored-actions.ts';

let pages = 0;

/** The queue of a page that was just opened. */
function openPage(): Promise<typeof import('./action-queue.ts')> {
  pages += 1;
  return import(`./action-queue.ts?page=${pages}`);
}

const LISTENERS = {
  addEventListener: () => undefined,
  document: { addEventListener: () => undefined },
};

async function openAsAda() {
  const page = await openPage();
  await page.startActionQueue({ userId: () => 'ada', onTaskChanged: () => undefined, onReplayed: () => undefined });
  return page;
}

const done = (id: string) => ({ kind: 'complete', task: { id, title: id }, userId: 'ada' }) as const;

/** Holds the first step of this kind until the returned function is called. */
function holdBack(wanted: string): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  database.before = (store, verb) => (`${verb} ${store}` === wanted ? promise : undefined);
  return resolve;
}

testInBrowser('an action is on the screen only once it is stored, so that none is lost with the page', async () => {
  const page = await openPage();
  const release = holdBack('put deeds');
  const enqueued = page.enqueueAction(done('bins'));
  await settle();
  assert.equal(page.countQueuedActions('ada'), 0);
  release();
  await enqueued;
  assert.equal(page.countQueuedActions('ada'), 1);
});

testInBrowser(
  'actions stay in the order they were made, within a millisecond and after a clock was set back',
  async () => {
    const page = await openPage();
    const times = [2_000, 2_000, 1_000];
    for (const [index, time] of times.entries()) {
      mock.method(Date, 'now', () => time);
      await page.enqueueAction(done(`task ${index}`));
    }
    mock.restoreAll();
    const made = (await listActions()).map(({ at, taskId }) => [taskId, at]);
    assert.deepEqual(made, [
      ['task 0', 2_000],
      ['task 1', 2_001],
      ['task 2', 2_002],
    ]);
  },
);

testInBrowser('an action that is made while the queue is read stays on the screen', async () => {
  const page = await openPage();
  const release = holdBack('list refused');
  const read = page.cancelActions([]);
  await settle();
  await page.enqueueAction(done('bins'));
  release();
  await read;
  assert.equal(page.countQueuedActions('ada'), 1);
});

testInBrowser(
  'an action that is being sent cannot be taken back without the service, one that waits can',
  async (browser) => {
    const page = await openAsAda();
    const { promise, resolve } = Promise.withResolvers<{ data: object }>();
    browser.respond = () => promise;
    const sent = await page.enqueueAction(done('bins'));
    const waiting = await page.enqueueAction({
      ...done('cat'),
      kind: 'snooze',
      body: { until: '2026-03-02T10:00:00Z' },
    });
    await settle();
    assert.deepEqual(browser.asked, ['POST /v1/tasks/bins/complete']);
    assert.deepEqual(await page.cancelActions([sent, waiting]), [sent]);
    resolve({ data: { id: 'bins' } });
    for (let turn = 0; turn < 5; turn += 1) await settle();
    assert.deepEqual(browser.asked, ['POST /v1/tasks/bins/complete']);
    assert.deepEqual(await listActions(), []);
  },
  LISTENERS,
);

testInBrowser(
  'a snooze waits for as long as Undo is shown, and Done does not',
  async (browser) => {
    const page = await openAsAda();
    const snooze = { ...done('cat'), kind: 'snooze', body: { until: '2026-03-02T10:00:00Z' } } as const;
    const { at, notBefore } = await page.enqueueAction(snooze);
    assert.equal(notBefore - at, 7_500);
    await page.enqueueAction(done('bins'));
    for (let turn = 0; turn < 5; turn += 1) await settle();
    assert.deepEqual(browser.asked, ['POST /v1/tasks/bins/complete']);
    assert.equal(page.countQueuedActions('ada'), 1);
  },
  LISTENERS,
);
