/** Drives the app's service worker, and observes what it does. */
import assert from 'node:assert/strict';
import type { CDPSession, Page, Worker } from 'playwright-core';
import type { Visitor } from './browser.ts';
import { waitUntil } from './wait-until.ts';

interface RunningWorker {
  readonly worker: Worker;
  /** Resolves once the nudge is on the screen. */
  readonly deliver: (data: string, title: string) => Promise<void>;
}

/** From then on the app opens without a network. */
export const waitUntilAppIsCached = (page: Page): Promise<void> =>
  // Not `waitForFunction`: it evaluates a string in the page, which the content security policy forbids.
  waitUntil(() => page.evaluate("!!navigator.serviceWorker.controller && caches.match('/app').then(Boolean)"));

const IS_ACTIVE = `navigator.serviceWorker.getRegistration('/app')
  .then((registration) => registration?.active?.state === 'activated')`;

export async function startWorker({ context, page }: Visitor, origin: string): Promise<RunningWorker> {
  // Does not wait until it controls the page: a page that loads while the worker becomes active stays uncontrolled.
  await waitUntil(() => page.evaluate<boolean>(IS_ACTIVE));
  const worker = context.serviceWorkers().find((candidate) => candidate.url().startsWith(origin));
  assert.ok(worker, 'no service worker runs');
  await noteShown(worker);
  const cdp = await context.newCDPSession(page);
  const registrationId = await registrationOf(cdp);
  const deliver = async (data: string, title: string) => {
    await cdp.send('ServiceWorker.deliverPushMessage', { origin, registrationId, data });
    await waitUntil(async () => (await shownIn(worker)).some((shown) => shown.title === title));
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

/** Records what the worker shows, because not every Chromium of the tests can show notifications. */
const noteShown = (worker: Worker) =>
  worker.evaluate(`{
    const show = registration.showNotification.bind(registration);
    self.shown = [];
    registration.showNotification = async (title, options) => {
      await show(title, options).catch(() => undefined);
      self.shown = [...self.shown.filter(({ tag }) => tag !== options.tag), { title, ...options }];
    };
  }`);

export const shownIn = (worker: Worker) =>
  worker.evaluate<{ title: string; body: string; actions: string }[]>(
    'self.shown.map(({ title, body, actions = [] }) => ({ title, body, actions: actions.map(({ action }) => action).join() }))',
  );

/** No tool can press the button itself, so the worker gets the event of a press. */
export async function press(worker: Worker, action: string): Promise<void> {
  await worker.evaluate(`{
    const event = new ExtendableEvent('notificationclick');
    const notification = { ...self.shown.pop(), close: () => undefined };
    Object.defineProperties(event, { notification: { value: notification }, action: { value: '${action}' } });
    // Only the browser's own events may be waited for.
    event.waitUntil = () => undefined;
    self.dispatchEvent(event);
  }`);
}
