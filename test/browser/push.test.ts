import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { CDPSession, Worker } from 'playwright-core';
import { openToday, quickAdd, startWebBed, type Visitor, type WebBed } from '../support/browser.ts';
import { onEveryEngine } from '../support/engines.ts';
import { findStored, until, untilStored } from '../support/told.ts';

/** The payload as the Web Push gateway makes it. */
const payloadOf = (task: { id: string; title: string; due_at: string | null }, origin: string) => ({
  web_push: 8030,
  notification: {
    ...{ title: task.title, body: 'Due now', navigate: `${origin}/app/tasks/${task.id}`, tag: task.id },
    ...{ renotify: true, silent: false, requireInteraction: false },
    actions: ['done', 'snooze'].map((action) => ({ action, title: action })),
    data: { task_id: task.id, stage: 0, occurrence_due_at: task.due_at },
  },
});

onEveryEngine((engine) => {
  let web: WebBed;
  before(async () => {
    web = await startWebBed(engine);
  });
  after(() => web[Symbol.asyncDispose]());

  test('a push becomes a nudge on the screen, its Done finishes its own occurrence, and never the next one', async () => {
    const visitor = await web.open();
    await visitor.context.grantPermissions(['notifications'], { origin: web.origin });
    await openToday(visitor, web.bed, 'push@example.org');
    await quickAdd(visitor.page, 'take the medication daily at 23:00');
    const task = await untilStored(web.bed, 'take the medication');
    const { worker, deliver } = await startWorker(visitor, web.origin);

    await deliver(JSON.stringify(payloadOf(task, web.origin)), task.title);
    assert.deepEqual(await shownIn(worker), [
      { title: 'take the medication', body: 'Due now', actions: 'done,snooze' },
    ]);
    await press(worker, 'done');
    const moved = await untilStored(web.bed, 'take the medication', ({ due_at }) => due_at !== task.due_at);
    assert.equal(moved.due_at, '2026-03-03T22:00:00.000Z');

    // The same button again, as of a nudge that was left lying: it belongs to an occurrence that is over.
    await deliver(JSON.stringify(payloadOf(task, web.origin)), task.title);
    await press(worker, 'done');
    await visitor.page.getByRole('alert').getByText('already moved on').waitFor();
    assert.equal((await findStored(web.bed, 'take the medication'))?.due_at, moved.due_at);

    await deliver(JSON.stringify(payloadOf(moved, web.origin)), task.title);
    await press(worker, 'snooze');
    const snoozed = await untilStored(web.bed, 'take the medication', ({ deferred_until }) => deferred_until !== null);
    assert.equal(snoozed.due_at, moved.due_at);
  });

  test('what cannot be read is shown all the same, since a silent push costs the subscription', async () => {
    const visitor = await web.open();
    await visitor.context.grantPermissions(['notifications'], { origin: web.origin });
    await openToday(visitor, web.bed, 'garbled@example.org');
    const { worker, deliver } = await startWorker(visitor, web.origin);
    await deliver('{ not json', 'Crescendo');
    assert.equal((await shownIn(worker))[0]?.title, 'Crescendo');
  });
});

interface RunningWorker {
  readonly worker: Worker;
  /** Resolves once the nudge is on the screen. */
  readonly deliver: (data: string, title: string) => Promise<void>;
}

async function startWorker({ context, page }: Visitor, origin: string): Promise<RunningWorker> {
  await page.waitForFunction('navigator.serviceWorker.controller !== null');
  const worker = context.serviceWorkers().find((candidate) => candidate.url().startsWith(origin));
  assert.ok(worker, 'no service worker runs');
  await noteShown(worker);
  const cdp = await context.newCDPSession(page);
  const registrationId = await registrationOf(cdp);
  const deliver = async (data: string, title: string) => {
    await cdp.send('ServiceWorker.deliverPushMessage', { origin, registrationId, data });
    await until(async () => (await shownIn(worker)).some((shown) => shown.title === title));
  };
  return { worker, deliver };
}

function registrationOf(cdp: CDPSession): Promise<string> {
  return new Promise((resolve) => {
    cdp.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const [first] = registrations;
      if (first) resolve(first.registrationId);
    });
    void cdp.send('ServiceWorker.enable');
  });
}

/** Notes what the worker shows, beside showing it: not every Chromium that tests run in has a place for it. */
const noteShown = (worker: Worker) =>
  worker.evaluate(`{
    const show = registration.showNotification.bind(registration);
    self.shown = [];
    registration.showNotification = async (title, options) => {
      await show(title, options).catch(() => undefined);
      self.shown = [...self.shown.filter(({ tag }) => tag !== options.tag), { title, ...options }];
    };
  }`);

const shownIn = (worker: Worker) =>
  worker.evaluate<{ title: string; body: string; actions: string }[]>(
    'self.shown.map(({ title, body, actions = [] }) => ({ title, body, actions: actions.map(({ action }) => action).join() }))',
  );

/** No tool can press the button itself, so the event that the press would be is handed to the worker. */
async function press(worker: Worker, action: string): Promise<void> {
  await worker.evaluate(`{
    const event = new ExtendableEvent('notificationclick');
    const notification = { ...self.shown.pop(), close: () => undefined };
    Object.defineProperties(event, { notification: { value: notification }, action: { value: '${action}' } });
    // Only the browser's own events may be waited for.
    event.waitUntil = () => undefined;
    self.dispatchEvent(event);
  }`);
}
