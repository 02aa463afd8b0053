import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { look } from '../support/accessibility.ts';
import { browserTests, openTodayAs, type Visitor } from '../support/browser.ts';
import { openSession, type Person, signIn } from '../support/people.ts';
import { waitUntil } from '../support/wait-until.ts';

/** The app polls by intervals, so a page with this script knows only what it is told. */
const NO_POLLING = `{
  const original = setInterval;
  setInterval = (callback, ms, ...rest) => ms >= 10_000 ? 0 : original(callback, ms, ...rest);
}`;

browserTests('postgres', {}, (web) => {
  /** Opens Today in a page that does not poll. Resolves when the page is being told of changes. */
  async function openListening(visitor: Visitor, token: string): Promise<void> {
    await visitor.context.addInitScript(NO_POLLING);
    const told = visitor.page.waitForResponse((response) => response.url().endsWith('/app/live'));
    await openTodayAs(visitor, token);
    await told;
  }

  const add = (person: Person, title: string) =>
    person.ask('POST', '/v1/tasks', { title, due_at: '2026-03-02T09:00:00Z', has_time: true });
  const seen = (page: Page, title: string) => page.getByRole('link', { name: title }).waitFor();

  test('a change made elsewhere is drawn without a reload and without a poll', async () => {
    const ada = await signIn(web.app);
    const [one, two] = [await web.open(), await web.open()];
    await openListening(one, ada.sessionToken);
    await openListening(two, await openSession(web.app, ada.userId));
    await one.page.getByLabel('Add a task in plain words').fill('buy bread today 23:00');
    await one.page.getByText('Understood as').waitFor();
    await one.page.getByRole('button', { name: 'Add task' }).click();
    await seen(two.page, 'buy bread');
    await two.page.getByRole('button', { name: 'Done: buy bread' }).click();
    await one.page.getByRole('link', { name: 'buy bread' }).waitFor({ state: 'detached' });
    // Many at once, as by an agent: all of them are drawn.
    await Promise.all(Array.from({ length: 12 }, (_, index) => add(ada, `errand ${index + 1}.`)));
    for (const { page } of [one, two])
      for (let number = 1; number <= 12; number += 1) await seen(page, `errand ${number}.`);
    assert.deepEqual([...one.errors, ...two.errors], []);
  });

  test('a browser has one stream, which another page takes over', async () => {
    const ada = await signIn(web.app);
    const visitor = await web.open();
    let streams = 0;
    visitor.context.on('request', (request) => {
      if (request.url().endsWith('/app/live')) streams += 1;
    });
    await openListening(visitor, ada.sessionToken);
    const second = await visitor.context.newPage();
    await second.goto('/app');
    await second.getByRole('heading', { name: 'Today', level: 1 }).waitFor();
    await add(ada, 'water the plants');
    await seen(visitor.page, 'water the plants');
    await seen(second, 'water the plants');
    assert.equal(streams, 1);
    await visitor.page.close();
    await waitUntil(() => streams > 1);
    await add(ada, 'feed the cat');
    await seen(second, 'feed the cat');
  });

  test('a page that opens asks for everything once; after an interruption it asks again, shows what it missed, and listens', async () => {
    const ada = await signIn(web.app);
    const visitor = await web.open();
    const [asked, answered]: string[][] = [[], []];
    const count = (paths: readonly string[] = [], path: string) => paths.filter((one) => one === path).length;
    visitor.page.on('request', (request) => asked?.push(new URL(request.url()).pathname));
    visitor.page.on('requestfinished', (request) => answered?.push(new URL(request.url()).pathname));
    // The slowest first answer there can be: it arrives after the stream is open, so it may be older than a change.
    const { promise: isOpen, resolve: open } = Promise.withResolvers<void>();
    await visitor.page.route('**/v1/sync', async (route) => {
      await isOpen;
      await route.continue();
    });
    await openListening(visitor, ada.sessionToken);
    open();
    // The second sync is what the open stream asks for. It asks for nothing else.
    await waitUntil(() => count(answered, '/v1/sync') >= 2);
    assert.equal(count(asked, '/v1/spaces'), 1);
    await waitUntil(() => count(answered, '/v1/spaces') === 1);
    web.proxy.cut();
    await add(ada, 'call the bank');
    web.proxy.restore();
    await seen(visitor.page, 'call the bank');
    await waitUntil(() => count(answered, '/v1/spaces') >= 2);
    await waitUntil(() => count(answered, '/v1/sync') >= 3);
    await add(ada, 'call again');
    await seen(visitor.page, 'call again');
  });

  /** Counts what sounds, and lets the test hide the page: no page of a headless browser is ever behind another. */
  const OBSERVED = `{
    const start = AudioScheduledSourceNode.prototype.start;
    AudioScheduledSourceNode.prototype.start = function (...given) { globalThis.tones = (globalThis.tones ?? 0) + 1; start.apply(this, given); };
    let state = 'visible';
    Object.defineProperty(document, 'visibilityState', { get: () => state });
    globalThis.setVisibility = (next) => { state = next; document.dispatchEvent(new Event('visibilitychange')); };
  }`;
  /** As a browser treats a page that nobody has clicked in: the promise stays open. */
  const MUTED = `{
    AudioContext.prototype.resume = () => new Promise(() => {});
    Object.defineProperty(BaseAudioContext.prototype, 'state', { get: () => 'suspended' });
  }`;
  const banner = (page: Page) => page.getByRole('region', { name: 'Nudges' });
  const tones = (page: Page) => page.evaluate<number>('globalThis.tones ?? 0');
  const titled = (page: Page, title: string) => waitUntil(async () => (await page.title()) === title);
  const dueAt = (clock: string) => ({ due_at: `2026-03-02T${clock}:00Z`, has_time: true });

  test('a nudge is announced in every open tab, hidden or not: by a count, one banner, and one sound if it is allowed; it ends when the task is dealt with anywhere', async () => {
    const ada = await signIn(web.app);
    await ada.ask('PATCH', '/v1/me', { timezone: 'UTC' });
    const visitor = await web.open();
    await visitor.context.addInitScript(OBSERVED);
    await visitor.page.addInitScript(MUTED);
    await openListening(visitor, ada.sessionToken);
    const { page: one } = visitor;
    const two = await visitor.context.newPage();
    await two.goto('/app/settings/channels');
    await two.getByRole('switch', { name: 'Sound in this browser' }).click();
    await waitUntil(async () => (await tones(two)) === 2);
    await one.evaluate("setVisibility('hidden')");

    const ids: string[] = [];
    for (const [title, at] of [
      ['take the pills', '09:30'],
      ['feed the cat', '09:30'],
      ['ring the bell', '09:30'],
      ['lock the door', '09:30'],
    ] as const) {
      const { body } = await ada.ask('POST', '/v1/tasks', { title, ...dueAt(at), recurrence: { freq: 'daily' } });
      ids.push(body.data.id);
    }
    // The service alone: in a browser that is put forward, a sound that is about to start counts as refused.
    await web.app.clock.advance('30m');
    await titled(one, '(4) Today · Crescendo');
    await titled(two, '(4) What reaches you · Crescendo');
    await banner(two).getByText('3 more').waitFor();
    await waitUntil(async () => (await tones(two)) === 4);
    assert.equal(await tones(one), 0, 'one page sounds for all');
    assert.match((await two.locator('link[rel="icon"]').getAttribute('href')) ?? '', /^data:image\/svg/);

    await two.setViewportSize({ width: 390, height: 844 });
    await two.emulateMedia({ colorScheme: 'dark' });
    await look(two, 'nudged-phone-dark');
    await two.emulateMedia({ colorScheme: 'light' });
    await two.setViewportSize({ width: 1280, height: 900 });
    await look(two, 'nudged-desktop-light');

    // Dealt with elsewhere, then here, then closed: in both pages it ends.
    await ada.ask('POST', `/v1/tasks/${ids[2]}/complete`, {});
    await titled(one, '(3) Today · Crescendo');
    await banner(two).getByRole('link', { name: 'Show the task' }).focus();
    await two.keyboard.press('Tab');
    await two.keyboard.press('Enter');
    await titled(two, '(2) What reaches you · Crescendo');
    const acknowledged = new Set<string>();
    two.on('request', (request) => {
      if (request.url().endsWith('/v1/deliveries/ack')) acknowledged.add(request.postDataJSON().task_id);
    });
    await banner(two).getByRole('button', { name: 'Seen, close' }).click();
    await banner(two).waitFor({ state: 'detached' });
    await titled(two, 'What reaches you · Crescendo');
    await titled(one, 'Today · Crescendo');
    await waitUntil(() => acknowledged.size === 2);
    assert.equal(await tones(two), 4, 'nothing new came, so nothing sounds');
    assert.deepEqual(visitor.errors, []);
  });

  test('over plain http, where pages cannot share a stream, changes are drawn too; a session that is ended elsewhere shows the sign-in screen at once', async () => {
    const ada = await signIn(web.app);
    const visitor = await web.open({ baseURL: web.origin.replace('127.0.0.1', 'crescendo.test') });
    const token = await openSession(web.app, ada.userId);
    await openListening(visitor, token);
    assert.equal(await visitor.page.evaluate('isSecureContext'), false);
    await add(ada, 'post the letter');
    await seen(visitor.page, 'post the letter');
    await ada.ask('DELETE', '/v1/auth/session', undefined, token);
    await visitor.page.getByLabel('Email address').waitFor();
  });
});
