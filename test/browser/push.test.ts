import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { makeVapidKeys } from '../../src/keys/vapid-keys.ts';
import {
  browserTests,
  dueToday,
  goTo,
  goToSettings,
  openToday,
  openTodayAs,
  openTodayWith,
  quickAdd,
  signInToToday,
  startWebTestApp,
  type Visitor,
  type WebTestAppOptions,
  waitForAddedTask,
} from '../support/browser.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { signIn } from '../support/people.ts';
import { press, shownIn, startWorker } from '../support/service-worker.ts';
import { testInFull } from '../support/size.ts';
import { createSpace } from '../support/spaces.ts';
import { findStoredTask, waitForStoredTask } from '../support/stored-task.ts';
import { waitUntil } from '../support/wait-until.ts';
import { FakeWebPush } from '../support/web-push-service.ts';

/** The payload as the Web Push gateway makes it. */
const payloadOf = (task: { id: string; title: string; due_at: string | null }, origin: string) => ({
  web_push: 8030,
  notification: {
    title: task.title,
    body: 'Due now',
    navigate: `${origin}/app/tasks/${task.id}`,
    tag: task.id,
    renotify: true,
    silent: false,
    requireInteraction: false,
    actions: ['done', 'snooze'].map((action) => ({ action, title: action })),
    data: { task_id: task.id, stage: 0, occurrence_due_at: task.due_at },
  },
});

let service: FakeWebPush;

async function startPushService(parts: AsyncDisposableStack): Promise<WebTestAppOptions> {
  const clock = new FakeClock();
  service = parts.use(await FakeWebPush.start(clock));
  const { publicKey, privateKey } = makeVapidKeys();
  const settings = { ...service.settings, VAPID_PUBLIC_KEY: publicKey, VAPID_PRIVATE_KEY: privateKey };
  return { clock, settings, push: 'as configured', serviceWorkers: 'allow' };
}

browserTests('sqlite', startPushService, (web, engine) => {
  test('a push becomes a nudge on the screen even if it cannot be read, and Done finishes its own occurrence, never the next', async () => {
    const daily = { title: 'take the medication', ...dueToday('23:00'), recurrence: { freq: 'daily' } };
    const visitor = await openTodayWith(web, 'push@example.org', [daily]);
    await visitor.context.grantPermissions(['notifications'], { origin: web.origin });
    const task = await waitForStoredTask(web.app, 'take the medication');
    const { worker, deliver } = await startWorker(visitor, web.origin);

    await deliver(JSON.stringify(payloadOf(task, web.origin)), task.title);
    assert.deepEqual(await shownIn(worker), [
      { title: 'take the medication', body: 'Due now', actions: 'done,snooze' },
    ]);
    await press(worker, 'done');
    const moved = await waitForStoredTask(web.app, 'take the medication', ({ due_at }) => due_at !== task.due_at);
    assert.equal(moved.due_at, '2026-03-03T22:00:00.000Z');

    // The same button again, as of a nudge that was left lying: it belongs to an occurrence that is over.
    await deliver(JSON.stringify(payloadOf(task, web.origin)), task.title);
    await press(worker, 'done');
    await visitor.page.getByRole('alert').getByText('already moved on').waitFor();
    assert.equal((await findStoredTask(web.app, 'take the medication'))?.due_at, moved.due_at);

    await deliver(JSON.stringify(payloadOf(moved, web.origin)), task.title);
    await press(worker, 'snooze');
    const snoozed = await waitForStoredTask(
      web.app,
      'take the medication',
      ({ deferred_until }) => deferred_until !== null,
    );
    assert.equal(snoozed.due_at, moved.due_at);

    // A silent push costs the subscription.
    await deliver('{ not json', 'Crescendo');
    assert.deepEqual(
      (await shownIn(worker)).map(({ title }) => title),
      ['Crescendo'],
    );
  });

  test('a button of a nudge never sends what another account queued in the same browser', async () => {
    const visitor = await web.open();
    const { context, page } = visitor;
    await context.grantPermissions(['notifications'], { origin: web.origin });
    await openToday(visitor, web.app, 'before@example.org');
    await quickAdd(page, 'task of before daily at 23:00');
    await waitForAddedTask(page, web.app, 'task of before');
    await goTo(page, 'Settings');
    await goTo(page, 'Today');
    web.proxy.cut();
    await page.getByRole('button', { name: 'Done: task of before' }).click();
    await page.getByText('1 change not synced yet').waitFor();
    await goToSettings(page, 'Sign-in and security');
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await page.getByLabel('Email address').waitFor();
    web.proxy.restore();

    await signInToToday(visitor, web.app, 'afterwards@example.org');
    await quickAdd(page, 'task of afterwards at 23:00');
    const task = await waitForStoredTask(web.app, 'task of afterwards');
    const { worker, deliver } = await startWorker(visitor, web.origin);
    await deliver(JSON.stringify(payloadOf(task, web.origin)), task.title);
    await press(worker, 'done');
    await waitForStoredTask(web.app, 'task of afterwards', ({ status }) => status === 'done');
    const { due_at } = (await findStoredTask(web.app, 'task of before')) ?? {};
    assert.equal(due_at, '2026-03-02T22:00:00.000Z');

    await openToday(visitor, web.app, 'before@example.org');
    await waitForStoredTask(web.app, 'task of before', (moved) => moved.due_at !== due_at);
  });

  testInFull(
    'the buttons of a stand-in’s messages agree, finish the occurrence for its owner, and stay when the service is out of reach',
    async () => {
      const [ada, grace] = [await signIn(web.app, 'owner@example.org'), await signIn(web.app, 'stands-in@example.org')];
      const space_id = await createSpace(ada, grace);
      const due_at = new Date(web.app.clock.now().getTime() + 60_000).toISOString();
      const task = (await ada.ask('POST', '/v1/tasks', { title: 'feed the cat', due_at, has_time: true })).body.data;
      const asked = { person_id: grace.userId, space_id, task_id: task.id, from_rung: 0 };
      const stand_in_id = (await ada.ask('POST', '/v1/stand-ins', asked)).body.data.id;
      const visitor = await web.open();
      await visitor.context.grantPermissions(['notifications'], { origin: web.origin });
      await openTodayAs(visitor, grace.sessionToken);
      const { worker, deliver } = await startWorker(visitor, web.origin);
      const send = (title: string, actions: readonly string[], data: object) => {
        const navigate = `${web.origin}/app/stand-ins`;
        const buttons = actions.map((action) => ({ action, title: action }));
        const notification = { title, body: 'A message', navigate, tag: title, actions: buttons, data };
        return deliver(JSON.stringify({ web_push: 8030, notification }), title);
      };
      const agreed = async () => (await grace.ask('GET', '/v1/stand-ins')).body.data[0]?.state;
      await send('Will you stand in?', ['accept', 'decline'], { stand_in_id, request: 'stand_in_asked' });
      await press(worker, 'accept');
      await waitUntil(async () => (await agreed()) === 'agreed');

      await web.advance('2m');
      const nudge = { task_id: task.id, stage: 0, occurrence_due_at: due_at, stand_in: true };
      await send('feed the cat', ['done', 'snooze'], nudge);
      web.proxy.cut();
      await press(worker, 'done');
      await waitUntil(async () => (await shownIn(worker))[0]?.body.startsWith('Not marked as done: ') === true);
      assert.equal((await shownIn(worker))[0]?.actions, 'done,snooze');
      web.proxy.restore();
      // A message of another occurrence finishes nothing.
      await send('yesterday', ['done', 'snooze'], { ...nudge, occurrence_due_at: '2026-03-01T09:01:00.000Z' });
      await press(worker, 'done');
      const refused = 'Not marked as done: The task had already moved on to its next occurrence.';
      await waitUntil(async () => (await shownIn(worker)).some(({ body }) => body === refused));
      const reached = async () => (await grace.ask('GET', `/v1/stand-in/tasks/${task.id}`)).body.data;
      assert.equal((await reached()).settled, null);
      await send('feed the cat', ['done', 'snooze'], nudge);
      await press(worker, 'snooze');
      await waitUntil(async () => (await reached()).snoozed_until !== null);
      await send('feed the cat', ['done', 'snooze'], nudge);
      await press(worker, 'done');
      await waitUntil(async () => (await reached()).settled?.is_own === true);
      assert.equal((await ada.ask('GET', '/v1/outcomes')).body.data.length, 1);
    },
  );

  testInFull(
    'turning on push says what it waits for, and gives up in words where the push service is silent',
    async () => {
      const visitor = await web.open();
      const { context, page } = visitor;
      await context.grantPermissions(['notifications'], { origin: web.origin });
      await page.addInitScript(`{
      Object.defineProperty(Notification, 'permission', { get: () => 'granted' });
      Notification.requestPermission = () => new Promise((resolve) => { globalThis.answerYes = () => resolve('granted'); });
      PushManager.prototype.subscribe = () => new Promise(() => {});
    }`);
      await openToday(visitor, web.app, 'silent@example.org');
      await openReach(page);
      await page.getByRole('button', { name: 'Send nudges to this browser' }).click();
      await page.getByRole('button', { name: 'Answer your browser’s question' }).waitFor();
      await page.evaluate('answerYes()');
      await page.getByRole('button', { name: 'Connecting to the push service' }).waitFor();
      await web.advance('1m');
      await page.getByText('The push service of this browser does not answer').waitFor();
      await page.getByRole('button', { name: 'Send nudges to this browser' }).waitFor();
    },
  );

  test('a browser that subscribes is nudged until Done is pressed there, has a new subscription when the app opens without one, says when it cannot, and has no device once removed or signed out of', async () => {
    const visitor = await web.open();
    const { page } = visitor;
    // Each page that is opened finds the browser without a subscription.
    await subscribeAt(visitor, service, web.origin);
    await openToday(visitor, web.app, 'nudged@example.org');
    const devices = async () => (await web.app.db.selectFrom('devices').select('id').execute()).map(({ id }) => id);
    await page.getByRole('button', { name: 'Turn on nudges in this browser' }).click();
    await page.getByText('No nudge can reach you yet.').waitFor({ state: 'detached' });
    const [before, ...others] = await devices();
    assert.deepEqual(others, []);
    await page.reload();
    await waitUntil(async () => {
      const after = await devices();
      return after.length === 1 && after[0] !== before;
    });
    await openReach(page);
    await page.getByText('This browser receives nudges.').waitFor();
    await page.getByText(/^Chrome on .+ · this browser/).waitFor();
    await page.getByRole('button', { name: 'Send a test push' }).click();
    await page.getByText('Sent to 1 of 1 device.').waitFor();
    assert.equal(service.pushes.length, 1);

    await goTo(page, 'Today');
    await quickAdd(page, 'water the roses at 11:00');
    await waitForStoredTask(web.app, 'water the roses');
    const { worker, deliver } = await startWorker(visitor, web.origin);
    for (const [wait, nudges] of [
      ['60m', 2],
      ['15m', 3],
    ] as const) {
      await web.advance(wait);
      await waitUntil(async () => service.pushes.length === nudges);
      await deliver(JSON.stringify(service.pushes.at(-1)?.payload), 'water the roses');
    }
    assert.equal((await shownIn(worker)).length, 1, 'a later nudge takes the place of the one before');
    await press(worker, 'done');
    await waitForStoredTask(web.app, 'water the roses', ({ status }) => status === 'done');
    await web.advance('5h');
    assert.equal(service.pushes.length, 3, 'nothing comes after it was dealt with');

    const enable = page.getByRole('button', { name: 'Send nudges to this browser' });
    await openReach(page);
    await page.getByRole('button', { name: /^Remove Chrome/ }).click();
    await enable.waitFor();
    assert.deepEqual(await devices(), []);
    await enable.click();
    await page.getByText('This browser receives nudges.').waitFor();
    assert.equal((await devices()).length, 1);
    await page.addInitScript("Object.defineProperty(Notification, 'permission', { get: () => 'denied' })");
    await page.goto('/app');
    await page.getByText('This browser no longer gets nudges: notifications are not allowed').waitFor();
    assert.deepEqual(visitor.errors, []);
    await goToSettings(page, 'Sign-in and security');
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await page.getByLabel('Email address').waitFor();
    await waitUntil(async () => (await devices()).length === 0);
  });

  testInFull(
    'a service that runs ahead of the browser tells the app its time, and Snooze of a nudge is an hour by it',
    async () => {
      const clock = new FakeClock('2036-03-03T09:00:00Z');
      const settings = { CLOCK_SPEED: '60' };
      await using fast = await startWebTestApp(engine, { clock, settings, serviceWorkers: 'allow' });
      const visitor = await fast.open();
      await visitor.context.grantPermissions(['notifications'], { origin: fast.origin });
      // The clock of the browser stays behind: at 10:00, while the service is at 15:00.
      await fast.app.clock.advance('5h');
      await openToday(visitor, fast.app, 'demo@example.org');
      await quickAdd(visitor.page, 'tea in 1 hour');
      const tea = await waitForStoredTask(fast.app, 'tea');
      const aheadMs = Date.parse(tea.due_at ?? '') - fast.app.clock.now().getTime();
      assert.ok(aheadMs > 50 * 60_000 && aheadMs < 4 * 3_600_000, tea.due_at ?? '');
      await fast.app.clock.advance('2h');
      await visitor.page.reload();
      await visitor.page.getByRole('heading', { name: 'Overdue' }).waitFor();

      await quickAdd(visitor.page, 'take the medication daily at 23:00');
      const task = await waitForStoredTask(fast.app, 'take the medication');
      const { worker, deliver } = await startWorker(visitor, fast.origin);
      await deliver(JSON.stringify(payloadOf(task, fast.origin)), task.title);
      await press(worker, 'snooze');
      const { deferred_until } = await waitForStoredTask(
        fast.app,
        'take the medication',
        ({ deferred_until: until }) => until !== null,
      );
      assert.match(String(deferred_until), /^2036-03-03T1\d:/);
      assert.deepEqual(await shownIn(worker), [], 'no refusal is shown');
    },
  );
});

async function openReach(page: Page): Promise<void> {
  await goToSettings(page, 'Reminders');
  await page.getByRole('link', { name: 'Choose what reaches you' }).click();
}

/** The browser's own push service cannot be reached here: another takes its place, as far as the page can see. */
async function subscribeAt({ context, page }: Visitor, service: FakeWebPush, origin: string): Promise<void> {
  await context.grantPermissions(['notifications'], { origin });
  await page.exposeFunction('subscribeAtService', (key: string) => service.subscribe(key));
  await page.addInitScript(`{
    let current = null;
    // The headless shell says "denied" whatever was granted.
    Object.defineProperty(Notification, 'permission', { get: () => 'granted' });
    PushManager.prototype.getSubscription = async () => current;
    PushManager.prototype.subscribe = async ({ applicationServerKey }) => {
      const told = await subscribeAtService(applicationServerKey);
      const unsubscribe = async () => { current = null; return true; };
      current = { toJSON: () => told, unsubscribe };
      return current;
    };
  }`);
}
