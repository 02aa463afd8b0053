import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { browserTests, openToday, signInToToday } from '../support/browser.ts';
import { signIn } from '../support/people.ts';
import { sized } from '../support/size.ts';
import { waitUntil } from '../support/wait-until.ts';

const FIRST_LOAD_BYTES = 150 * 1024;
const TASKS = sized(300, 1_000);

/** What came over the wire since this was called, compressed as it came. */
async function countBytes(page: Page): Promise<() => number> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Network.enable');
  let bytes = 0;
  cdp.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  return () => bytes;
}

/** Resolves once half a second has passed without a byte. The stream of changes stays open, so `networkidle` never comes. */
async function settled(bytes: () => number): Promise<void> {
  let seen = bytes();
  let since = Date.now();
  await waitUntil(() => {
    if (bytes() !== seen) {
      seen = bytes();
      since = Date.now();
    }
    return Date.now() - since >= 500;
  });
}

// Passkeys, and the button for them on the sign-in screen, need the host name.
browserTests('sqlite', { serviceWorkers: 'allow', isLocalhost: true }, (web) => {
  test('the first load is at most 150 KB, without an error and without anybody else being asked', async (t) => {
    const visitor = await web.open({ time: 'real' });
    const signInBytes = await countBytes(visitor.page);
    await visitor.page.goto('/app');
    await visitor.page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor();
    await settled(signInBytes);
    // Signing in loads more, and is counted too.
    const firstBytes = signInBytes();
    assert.ok(firstBytes > 20_000, 'nothing was counted');
    assert.ok(firstBytes <= FIRST_LOAD_BYTES, `${firstBytes} bytes`);
    await signInToToday(visitor, web.app, 'light@example.org');

    const returning = await web.open({ time: 'real', storageState: await visitor.context.storageState() });
    const { page } = returning;
    const todayBytes = await countBytes(page);
    await page.goto('/app');
    await page.getByText("You're all caught up").waitFor();
    await settled(todayBytes);
    assert.ok(todayBytes() > 20_000, 'nothing was counted');
    assert.ok(todayBytes() <= FIRST_LOAD_BYTES, `${todayBytes()} bytes`);
    const paint = await page.evaluate<number>("performance.getEntriesByName('first-contentful-paint')[0].startTime");
    t.diagnostic(
      `sign-in ${firstBytes} bytes, Today ${todayBytes()} bytes, first contentful paint ${Math.round(paint)} ms`,
    );
    assert.deepEqual([...visitor.errors, ...returning.errors], []);
    assert.deepEqual([...visitor.foreignRequests, ...returning.foreignRequests], []);
  });

  test('of a long list as much is drawn as is seen', async (t) => {
    const { app } = web;
    const person = await signIn(app, 'busy@example.org');
    const dueAt = (number: number) => new Date(app.clock.now().getTime() + (number + 1) * 3_600_000).toISOString();
    const tasks = Array.from({ length: TASKS }, (_, number) => ({
      title: `Task ${number}`,
      due_at: dueAt(number),
      has_time: true,
    }));
    const { body } = await person.ask('POST', '/v1/me/import', { tasks });
    assert.equal(body.data.imported, TASKS);
    const visitor = await web.open({ time: 'real', serviceWorkers: 'block' });
    await openToday(visitor, app, 'busy@example.org');
    const { page } = visitor;
    await page.getByRole('link', { name: 'Task 0', exact: true }).waitFor();
    await page.evaluate(
      `new PerformanceObserver((list) => { (globalThis.slow ??= []).push(...list.getEntries().map((e) => Math.round(e.duration))); })
        .observe({ type: 'longtask' })`,
    );
    await page.mouse.move(640, 500);
    const last = page.getByRole('link', { name: `Task ${TASKS - 1}`, exact: true });
    await waitUntil(async () => {
      await page.mouse.wheel(0, 5_000);
      return last.isVisible();
    });
    const rows = await page.locator('main li').count();
    assert.ok(rows < 100, `${rows} rows are drawn`);
    const slow = await page.evaluate<number[]>('globalThis.slow ?? []');
    t.diagnostic(
      `scrolled through ${TASKS} tasks with ${rows} rows drawn; tasks over 50 ms: ${slow.length} (${slow.join(', ')})`,
    );
    assert.deepEqual(visitor.errors, []);
  });
});
