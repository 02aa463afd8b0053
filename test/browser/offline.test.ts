import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import {
  browserTests,
  dueToday,
  goToSettings,
  openList,
  openToday,
  openTodayAs,
  openTodayWith,
  quickAdd,
  type WebTestApp,
  waitForAddedTask,
} from '../support/browser.ts';
import { signIn } from '../support/people.ts';
import { waitUntilAppIsCached } from '../support/service-worker.ts';
import { testInFull } from '../support/size.ts';
import { findStoredTask, waitForStoredTask } from '../support/stored-task.ts';
import { waitUntil } from '../support/wait-until.ts';

/** Waits until the service worker has cached the app and the page has saved its queries. */
async function waitUntilCached(page: Page, title: string): Promise<void> {
  await waitUntilAppIsCached(page);
  const readCache = `new Promise((resolve) => {
    indexedDB.open('crescendo').onsuccess = ({ target }) => {
      const asked = target.result.transaction('cache').objectStore('cache').get('queries');
      asked.onsuccess = () => { target.result.close(); resolve(JSON.stringify(asked.result ?? '')); };
    };
  })`;
  await waitUntil(async () => (await page.evaluate<string>(readCache)).includes(title));
}

/** Keeps the result of the next read of the queue until `heldRead()`. */
const HOLD_NEXT_READ = `
  var heldRead;
  {
    const { prototype } = IDBTransaction;
    const original = Object.getOwnPropertyDescriptor(prototype, 'oncomplete');
    Object.defineProperty(prototype, 'oncomplete', {
      ...original,
      set(listener) {
        if (this.mode !== 'readonly' || !this.objectStoreNames.contains('deeds')) return original.set.call(this, listener);
        Object.defineProperty(prototype, 'oncomplete', original);
        original.set.call(this, () => { heldRead = listener; });
      },
    });
  }`;

/** Counts in `puts` how often the page saves its queries. */
const COUNT_SAVES = `
  globalThis.puts = 0;
  {
    const original = IDBObjectStore.prototype.put;
    IDBObjectStore.prototype.put = function (value, key) {
      if (key === 'queries') puts += 1;
      return original.call(this, value, key);
    };
  }`;

browserTests('sqlite', { serviceWorkers: 'allow' }, (web) => {
  test('offline, the app shows its last state and queues actions; once online, each action is sent exactly once', async () => {
    const { page } = await openTodayWith(web, 'train@example.org', [
      { title: 'buy bread', ...dueToday('23:00') },
      { title: 'post the letter', ...dueToday('23:15') },
    ]);
    await waitUntilCached(page, 'post the letter');

    web.proxy.cut();
    await page.reload();
    await page.getByRole('link', { name: 'buy bread' }).waitFor();
    await page.getByText("You're offline. Changes are saved here").waitFor();
    await page.getByRole('button', { name: 'Done: buy bread' }).click();
    await page.getByRole('link', { name: 'buy bread' }).waitFor({ state: 'detached' });
    await quickAdd(page, 'ring the plumber tomorrow 9:00 nag every 10 minutes');
    await openList(page, 'Upcoming');
    await page.getByText('waiting to sync').waitFor();
    await page.getByRole('button', { name: 'Done: ring the plumber' }).click();
    await page.getByText('4 changes not synced yet').waitFor();
    // Closing the page loses no queued action.
    await page.reload();
    await page.getByText('4 changes not synced yet').waitFor();
    assert.equal((await findStoredTask(web.app, 'buy bread'))?.status, 'open');
    assert.equal(await findStoredTask(web.app, 'ring the plumber'), undefined);

    web.proxy.restore();
    await web.advance('1m');
    await waitForStoredTask(web.app, 'buy bread', ({ status }) => status === 'done');
    const { ladder } = await waitForStoredTask(web.app, 'ring the plumber', ({ status }) => status === 'done');
    assert.equal(JSON.parse(ladder ?? 'null')?.rungs[1].after, 10);
    await page.getByText('Offline.').waitFor({ state: 'detached' });
    const { count } = await web.app.db
      .selectFrom('outcomes')
      .select((eb) => eb.fn.countAll<number | string>().as('count'))
      .executeTakeFirstOrThrow();
    assert.equal(Number(count), 2);
  });

  testInFull('what a poll did not change is not stored again, and a change is', async () => {
    const visitor = await web.open();
    const { page } = visitor;
    await visitor.context.addInitScript(COUNT_SAVES);
    const person = await signIn(web.app, 'unchanged@example.org');
    await openTodayAs(visitor, person.sessionToken);
    const poll = async () => {
      const answered = page.waitForResponse((response) => response.url().includes('/v1/sync'));
      await web.advance('1m');
      await answered;
    };
    // The first polls bring what the page asked for while it opened, and the saves that follow.
    let saves = 0;
    await waitUntil(async () => {
      const before = saves;
      await poll();
      saves = await page.evaluate<number>('puts');
      return saves > 0 && saves === before;
    });
    for (let count = 0; count < 3; count += 1) await poll();
    assert.equal(await page.evaluate('puts'), saves);
    await person.ask('POST', '/v1/tasks', { title: 'call the bank' });
    await waitUntilCached(page, 'call the bank');
    assert.ok((await page.evaluate<number>('puts')) > saves);
  });

  test('an action on a passed occurrence is reported to the user, changes nothing, and is not shown to the next account in the same browser', async () => {
    const daily = { ...dueToday('23:30'), recurrence: { freq: 'daily' } };
    const tasks = ['take the medication', 'see the doctor'].map((title) => ({ title, ...daily }));
    // Without the service worker, since the page is not loaded again while it is offline.
    const visitor = await openTodayWith(web, 'late@example.org', tasks, { serviceWorkers: 'block' });
    const { page } = visitor;
    const task = await waitForAddedTask(page, web.app, 'take the medication');
    web.proxy.cut();
    await page.getByRole('button', { name: 'Done: take the medication' }).click();
    await page.getByText('1 change not synced yet').waitFor();
    // Another device completes the same occurrence first.
    await completeElsewhere(web, task.id, task.owner_id);
    const moved = await findStoredTask(web.app, 'take the medication');
    web.proxy.restore();
    await web.advance('1m');
    await page.getByRole('alert').getByText('The task had already moved on to its next occurrence').waitFor();
    assert.equal((await findStoredTask(web.app, 'take the medication'))?.due_at, moved?.due_at);
    await page.getByRole('button', { name: 'Got it' }).click();
    await page.getByRole('alert').waitFor({ state: 'detached' });
    await openList(page, 'Upcoming');
    await page.getByRole('link', { name: 'take the medication' }).first().waitFor();

    await openList(page, 'Today');
    const doctor = await waitForAddedTask(page, web.app, 'see the doctor');
    web.proxy.cut();
    await page.getByRole('button', { name: 'Done: see the doctor' }).click();
    await page.getByText('1 change not synced yet').waitFor();
    await completeElsewhere(web, doctor.id, doctor.owner_id);
    web.proxy.restore();
    await web.advance('1m');
    await page.getByRole('alert').getByText('see the doctor').waitFor();
    await goToSettings(page, 'Sign-in and security');
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await page.getByLabel('Email address').waitFor();
    await openToday(visitor, web.app, 'next@example.org');
    await quickAdd(page, 'buy milk at 23:00');
    await waitForStoredTask(web.app, 'buy milk');
    assert.equal(await page.getByText('see the doctor').count(), 0);
  });

  testInFull(
    'a late answer to an action does not bring back what sync has replaced since; an action made while the page reads its queue again stays in the queue',
    async () => {
      const visitor = await web.open({ serviceWorkers: 'block' });
      await openToday(visitor, web.app, 'tunnel@example.org');
      const { page } = visitor;
      let isLost = true;
      await page.route('**/v1/tasks', async (route) => {
        if (!isLost) return route.continue();
        await route.fetch();
        await route.abort();
      });
      await quickAdd(page, 'water the herbs daily at 23:30');
      const task = await waitForStoredTask(web.app, 'water the herbs');
      // The page syncs twice, and after the second time asks only for what is newer than the next occurrence.
      const person = await signIn(web.app, 'tunnel@example.org');
      const sow = { title: 'sow the beans', due_at: '2026-03-04T09:00:00Z', has_time: true };
      await web.app.clock.advance('1s');
      await person.ask('POST', `/v1/tasks/${task.id}/complete`);
      await openList(page, 'Upcoming');
      await page.locator(`a[href$="/${task.id}"]`).first().waitFor();
      await web.app.clock.advance('1s');
      await person.ask('POST', '/v1/tasks', sow);
      await page.getByRole('link', { name: sow.title }).waitFor();
      const answered = page.waitForResponse((response) => response.request().method() === 'POST');
      isLost = false;
      await web.advance('1m');
      await answered;
      await openList(page, 'Today');
      await page.getByText("You're all caught up").waitFor();
      await openList(page, 'Upcoming');
      await page.getByRole('link', { name: 'water the herbs' }).first().waitFor();

      await openList(page, 'Today');
      // Loads what adding a task needs while the network is there.
      await page.getByLabel('Add a task in plain words').fill('feed the cat at 22:00');
      await page.getByText('Understood as').waitFor();
      await page.evaluate(HOLD_NEXT_READ);
      await page.evaluate("new BroadcastChannel('crescendo').postMessage('sent')");
      await waitUntil(() => page.evaluate('heldRead !== undefined'));
      web.proxy.cut();
      const notSent = page.waitForEvent('requestfailed', (request) => request.method() === 'POST');
      await quickAdd(page, 'water the plants at 23:00');
      await notSent;
      await page.getByText('waiting to sync').waitFor();
      await page.evaluate('heldRead()');
      web.proxy.restore();
      await web.advance('1m');
      await waitForStoredTask(web.app, 'water the plants');
    },
  );
});

async function completeElsewhere({ app }: WebTestApp, taskId: string, ownerId: string): Promise<void> {
  const { email } = await app.db
    .selectFrom('users')
    .select('email')
    .where('id', '=', ownerId)
    .executeTakeFirstOrThrow();
  const person = await signIn(app, email ?? '');
  const { status } = await person.ask('POST', `/v1/tasks/${taskId}/complete`);
  assert.equal(status, 200);
}
