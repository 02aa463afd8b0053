import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import type { Page } from 'playwright-core';
import { openToday, quickAdd, startWebBed, type WebBed } from '../support/browser.ts';
import { onEveryEngine } from '../support/engines.ts';
import { findStored, untilStored } from '../support/told.ts';

/** The service worker keeps the app once it is in charge; the page keeps what it has read. */
async function untilKept(page: Page, title: string): Promise<void> {
  await page.waitForFunction("navigator.serviceWorker.controller && caches.match('/app').then(Boolean)");
  await page.waitForFunction(`new Promise((resolve) => {
    indexedDB.open('crescendo').onsuccess = ({ target }) => {
      const asked = target.result.transaction('cache').objectStore('cache').get('queries');
      asked.onsuccess = () => resolve(JSON.stringify(asked.result ?? '').includes('${title}'));
    };
  })`);
}

onEveryEngine((engine) => {
  let web: WebBed;
  before(async () => {
    web = await startWebBed(engine);
  });
  after(() => web[Symbol.asyncDispose]());
  beforeEach(() => web.line.mend());

  test('without a network the last state is there, deeds are kept, and each is told once when it is back', async () => {
    const visitor = await web.open();
    await openToday(visitor, web.bed, 'train@example.org');
    const { page } = visitor;
    await quickAdd(page, 'buy bread at 23:00');
    await quickAdd(page, 'post the letter at 23:15');
    await untilStored(web.bed, 'post the letter');
    await untilKept(page, 'post the letter');

    web.line.cut();
    await page.reload();
    await page.getByRole('link', { name: 'buy bread' }).waitFor();
    await page.getByText('Offline. This is the last known state').waitFor();
    await page.getByRole('button', { name: 'Done: buy bread' }).click();
    await page.getByRole('link', { name: 'buy bread' }).waitFor({ state: 'detached' });
    await quickAdd(page, 'ring the plumber tomorrow 9:00');
    await page.getByText('not sent yet').waitFor();
    await page.getByRole('button', { name: 'Done: ring the plumber' }).click();
    await page.getByText('3 changes wait').waitFor();
    // A page that is closed meanwhile loses nothing.
    await page.reload();
    await page.getByText('3 changes wait').waitFor();
    assert.equal((await findStored(web.bed, 'buy bread'))?.status, 'open');
    assert.equal(await findStored(web.bed, 'ring the plumber'), undefined);

    web.line.mend();
    await web.advance('1m');
    await untilStored(web.bed, 'buy bread', ({ status }) => status === 'done');
    await untilStored(web.bed, 'ring the plumber', ({ status }) => status === 'done');
    await page.getByText('Offline.').waitFor({ state: 'detached' });
    const { count } = await web.bed.db
      .selectFrom('outcomes')
      .select((eb) => eb.fn.countAll<number | string>().as('count'))
      .executeTakeFirstOrThrow();
    assert.equal(Number(count), 2);
  });

  test('a deed that came too late is told, and changes nothing', async () => {
    const visitor = await web.open();
    await openToday(visitor, web.bed, 'late@example.org');
    const { page } = visitor;
    await quickAdd(page, 'take the medication daily at 23:30');
    const task = await untilStored(web.bed, 'take the medication');
    web.line.cut();
    await page.getByRole('button', { name: 'Done: take the medication' }).click();
    // Meanwhile another device did the same.
    await completeElsewhere(web, task.id, task.owner_id);
    const moved = await findStored(web.bed, 'take the medication');
    web.line.mend();
    await web.advance('1m');
    await page.getByRole('alert').getByText('The task had already moved on to its next occurrence').waitFor();
    assert.equal((await findStored(web.bed, 'take the medication'))?.due_at, moved?.due_at);
    await page.getByRole('button', { name: 'Got it' }).click();
    await page.getByRole('alert').waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'take the medication' }).waitFor();
  });
});

async function completeElsewhere({ bed }: WebBed, taskId: string, ownerId: string): Promise<void> {
  const { email } = await bed.db
    .selectFrom('users')
    .select('email')
    .where('id', '=', ownerId)
    .executeTakeFirstOrThrow();
  const { signIn } = await import('../support/people.ts');
  const person = await signIn(bed, email ?? '');
  const { status } = await person.ask('POST', `/v1/tasks/${taskId}/complete`);
  assert.equal(status, 200);
}
