import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { openToday, startWebBed, type WebBed } from '../support/browser.ts';
import { onEveryEngine } from '../support/engines.ts';
import { signIn } from '../support/people.ts';

const FIRST_LOAD_BYTES = 150 * 1024;
const TASKS = 1_000;
const AT_ONCE = 20;

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

onEveryEngine((engine) => {
  let web: WebBed;
  before(async () => {
    web = await startWebBed(engine);
  });
  after(() => web[Symbol.asyncDispose]());

  test('the first load is at most 150 KB, without an error and without anybody else being asked', async (t) => {
    const visitor = await web.open({ time: 'real' });
    const signInBytes = await countBytes(visitor.page);
    await visitor.page.goto('/app');
    await visitor.page.getByLabel('Email address').waitFor();
    assert.ok(signInBytes() > 20_000, 'nothing was counted');
    assert.ok(signInBytes() <= FIRST_LOAD_BYTES, `${signInBytes()} bytes`);
    await openToday(visitor, web.bed, 'light@example.org');

    const returning = await web.open({ time: 'real', storageState: await visitor.context.storageState() });
    const { page } = returning;
    const todayBytes = await countBytes(page);
    await page.goto('/app');
    await page.getByText('Nothing waits for you').waitFor();
    await page.waitForLoadState('networkidle');
    assert.ok(todayBytes() > 20_000, 'nothing was counted');
    assert.ok(todayBytes() <= FIRST_LOAD_BYTES, `${todayBytes()} bytes`);
    const paint = await page.evaluate<number>("performance.getEntriesByName('first-contentful-paint')[0].startTime");
    t.diagnostic(
      `sign-in ${signInBytes()} bytes, Today ${todayBytes()} bytes, first contentful paint ${Math.round(paint)} ms`,
    );
    assert.deepEqual([...visitor.complaints, ...returning.complaints], []);
    assert.deepEqual([...visitor.strangers, ...returning.strangers], []);
  });

  test('a thousand tasks are drawn as far as they are seen', async (t) => {
    const { bed } = web;
    const person = await signIn(bed, 'busy@example.org');
    const create = (number: number) => {
      const due_at = new Date(bed.clock.now().getTime() + (number + 1) * 3_600_000).toISOString();
      return person.ask('POST', '/v1/tasks', { title: `Task ${number}`, due_at, has_time: true });
    };
    for (let number = 0; number < TASKS; number += AT_ONCE) {
      await Promise.all(Array.from({ length: AT_ONCE }, (_, offset) => create(number + offset)));
    }
    const visitor = await web.open({ time: 'real' });
    await openToday(visitor, bed, 'busy@example.org');
    const { page } = visitor;
    await page.getByRole('link', { name: 'Task 0', exact: true }).waitFor();
    await page.evaluate(
      `new PerformanceObserver((list) => { (globalThis.slow ??= []).push(...list.getEntries().map((e) => Math.round(e.duration))); })
        .observe({ type: 'longtask' })`,
    );
    await page.mouse.move(640, 500);
    for (let scroll = 0; scroll < 60; scroll += 1) await page.mouse.wheel(0, 1_500);
    await page.getByRole('link', { name: `Task ${TASKS - 1}`, exact: true }).waitFor();
    const rows = await page.locator('main li').count();
    assert.ok(rows < 100, `${rows} rows are drawn`);
    const slow = await page.evaluate<number[]>('globalThis.slow ?? []');
    t.diagnostic(
      `scrolled through ${TASKS} tasks with ${rows} rows drawn; tasks over 50 ms: ${slow.length} (${slow.join(', ')})`,
    );
    assert.deepEqual(visitor.complaints, []);
  });
});
