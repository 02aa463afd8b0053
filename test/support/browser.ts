/** A real Chromium in front of the whole service. */
import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { after, afterEach, before, beforeEach, type TestContext } from 'node:test';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import type { WebApp } from '../../src/http/web-app/web-app.ts';
import { findChromium, MISSING_CHROMIUM } from './chromium.ts';
import { type EngineName, onSomeEngine } from './engines.ts';
import { FakeClock } from './fake-clock.ts';
import { FakePhones } from './fake-phones.ts';
import { type Person, personWith, receiveCode, signIn, verifyCode } from './people.ts';
import { waitForStoredTask } from './stored-task.ts';
import { TcpProxy } from './tcp-proxy.ts';
import { startTestApp, type TestApp } from './test-app.ts';

/** Only a failing test waits this long. On a busy machine everything can take ten times as long. */
const TIMEOUT_MS = 30_000;

let browser: Promise<Browser> | undefined;

/** One Chromium for all tests of a process; each visitor has a separate profile in it. */
function launchBrowser(): Promise<Browser> {
  browser ??= launch();
  return browser;
}

async function launch(): Promise<Browser> {
  const executablePath = await findChromium();
  if (!executablePath) throw new Error(MISSING_CHROMIUM);
  // The name is one that the browser does not trust over http, unlike 127.0.0.1.
  const names = '--host-resolver-rules=MAP crescendo.test 127.0.0.1';
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage', names] });
}

/** `browserTests` registers this. Other tests call it after their last visitor. */
export async function closeBrowser(): Promise<void> {
  await (await browser)?.close();
}

/**
 * Tests in front of one service, on one engine by default. When a test begins, the network works and nobody is
 * visiting. `prepare` starts what the service needs, and registers it to be closed after the service.
 */
export function browserTests(
  usual: EngineName,
  prepare: WebTestAppOptions | ((parts: AsyncDisposableStack) => Promise<WebTestAppOptions>),
  define: (web: WebTestApp, engine: EngineName) => void,
): void {
  after(closeBrowser);
  onSomeEngine(usual, (engine) => {
    const web = new WebTestApp();
    const parts = new AsyncDisposableStack();
    before(async () => {
      const options = typeof prepare === 'function' ? await prepare(parts) : prepare;
      await web.start(engine, options);
      parts.use(web);
    });
    beforeEach(() => web.proxy.restore());
    afterEach(async (context) => {
      if (!context.passed) for (const line of await web.describeVisitors()) (context as TestContext).diagnostic(line);
      await web.closeVisitors();
    });
    after(() => parts.disposeAsync());
    define(web, engine);
  });
}

/** For a test that needs a service with other settings. */
export async function startWebTestApp(engine: EngineName, options: WebTestAppOptions = {}): Promise<WebTestApp> {
  const web = new WebTestApp();
  await web.start(engine, options);
  return web;
}

export interface Visitor {
  readonly origin: string;
  readonly context: BrowserContext;
  readonly page: Page;
  /** Errors in the console, and uncaught ones. */
  readonly errors: readonly string[];
  /** Every address outside the service that a page requested. */
  readonly foreignRequests: readonly string[];
}

export interface WebTestAppOptions {
  readonly startsAt?: string;
  /** Shared with another part of the test. */
  readonly clock?: FakeClock;
  readonly settings?: Readonly<Record<string, string>>;
  /** The service is at http://localhost, and says so in BASE_URL: browsers allow no passkeys at an address. */
  readonly isLocalhost?: boolean;
  /** Nobody administers the service yet, so new accounts are asked for its word. */
  readonly isUnclaimed?: true;
  /** A build of the web app other than the usual one. */
  readonly webApp?: WebApp;
  /** Fake phones, unless the configured providers are to be used. */
  readonly push?: 'as configured';
  /** Installing the service worker takes a quarter of a visitor's CPU time, so only tests that need it allow it. */
  readonly serviceWorkers?: 'allow';
}

/** It is Monday, 2 March 2026, 10:00 in Amsterdam, unless told otherwise. */
export class WebTestApp implements AsyncDisposable {
  readonly #visitors: Visitor[] = [];
  readonly #onFakeTime = new Set<BrowserContext>();
  #serviceWorkers: 'allow' | 'block' = 'block';
  app!: TestApp;
  origin!: string;
  /** The network between the browsers and the service. */
  proxy!: TcpProxy;

  async start(engine: EngineName, options: WebTestAppOptions): Promise<void> {
    const clock = options.clock ?? new FakeClock(options.startsAt);
    const { push = new FakePhones(clock), serviceWorkers = 'block' } = options;
    this.#serviceWorkers = serviceWorkers;
    // Before the service, because its BASE_URL contains the proxy's port.
    this.proxy = await TcpProxy.to(0);
    this.origin = options.isLocalhost ? `http://localhost:${this.proxy.port}` : this.proxy.origin;
    const settings = {
      ...(!options.isUnclaimed && { ADMINS: 'operator@home.test' }),
      ...options.settings,
      ...(options.isLocalhost && { BASE_URL: this.origin }),
    };
    this.app = await startTestApp(engine, {
      clock,
      settings,
      ...(options.webApp && { webApp: options.webApp }),
      ...(push !== 'as configured' && { extra: { gateways: { apns: push } } }),
    });
    await this.app.fastify.listen({ port: 0, host: '127.0.0.1' });
    const { port } = this.app.fastify.server.address() as AddressInfo;
    this.proxy.switchTo(port);
  }

  /** A separate browser profile in Amsterdam, on the clock of the app unless `time` is real. */
  async open({ time, ...options }: BrowserContextOptions & { readonly time?: 'real' } = {}): Promise<Visitor> {
    const context = await (await launchBrowser()).newContext({
      baseURL: this.origin,
      timezoneId: 'Europe/Amsterdam',
      locale: 'en-GB',
      viewport: { width: 1280, height: 900 },
      // A click waits until its target no longer moves.
      reducedMotion: 'reduce',
      serviceWorkers: this.#serviceWorkers,
      // No permissions unless a test grants them. By default the headless shell refuses, but a whole Chromium asks.
      permissions: [],
      ...options,
    });
    // Measurements need the browser's own timers.
    if (time !== 'real') {
      await context.clock.install({ time: this.app.clock.now() });
      this.#onFakeTime.add(context);
    }
    context.setDefaultTimeout(TIMEOUT_MS);
    const page = await context.newPage();
    const errors: string[] = [];
    const foreignRequests: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error') errors.push(message.text());
    });
    page.on('pageerror', (error) => errors.push(String(error)));
    context.on('request', (request) => {
      const isOwn = request.url().startsWith(this.origin) || request.url().startsWith('data:');
      if (!isOwn) foreignRequests.push(request.url());
    });
    const visitor = { origin: options.baseURL ?? this.origin, context, page, errors, foreignRequests };
    this.#visitors.push(visitor);
    return visitor;
  }

  /** Moves the clocks of the service and of the browsers. */
  async advance(duration: string): Promise<void> {
    const before = this.app.clock.now().getTime();
    await this.app.clock.advance(duration);
    const ms = this.app.clock.now().getTime() - before;
    // Timers that came due fire once, as they do in a laptop that was asleep.
    for (const context of this.#onFakeTime) await context.clock.fastForward(ms);
  }

  /** What every page shows and complained about, for the report of a failed test. */
  async describeVisitors(): Promise<string[]> {
    const describe = async (page: Page, errors: readonly string[]) => {
      const text = await page.locator('body').innerText({ timeout: 1_000 }).catch(String);
      return `${page.url()} shows: ${text.replaceAll(/\s+/g, ' ')}; errors: ${errors.join(' | ') || 'none'}`;
    };
    const pages = this.#visitors.flatMap(({ context, errors }) =>
      context.pages().map((page) => describe(page, errors)),
    );
    return Promise.all(pages);
  }

  /** Closes all profiles, so that pages of earlier tests do not go on working. */
  async closeVisitors(): Promise<void> {
    this.#onFakeTime.clear();
    await Promise.all(this.#visitors.splice(0).map(({ context }) => context.close()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.closeVisitors();
    await this.proxy[Symbol.asyncDispose]();
    await this.app[Symbol.asyncDispose]();
  }
}

/** The code in the last mail to the address. */
export function mailedCode(app: TestApp, email: string): string {
  const isCode = (text: string) => text.includes(`Mail to ${email} `) && text.includes('Your sign-in code is');
  const code = /Your sign-in code is (\d{6})\./.exec(app.printed.findLast(isCode) ?? '')?.[1];
  assert.ok(code, `no code was mailed to ${email}`);
  return code;
}

/** Signs in the way a person does; ends before a second factor is asked for. */
export async function signInWith(page: Page, app: TestApp, email: string): Promise<void> {
  await page.goto('/app');
  const field = page.getByLabel('Email address');
  // Where there is an identity provider, the field is shown on request.
  const byEmail = page.getByRole('button', { name: 'Sign in with email instead' });
  await field.or(byEmail).waitFor();
  if (await byEmail.isVisible()) await byEmail.click();
  await field.fill(email);
  await page.getByRole('button', { name: 'Mail me a code' }).click();
  const code = page.getByLabel('Code from the mail');
  await code.waitFor();
  await code.fill(mailedCode(app, email));
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** Proves the sign-in again in the dialog that asks for it. */
export async function proveByMail(page: Page, app: TestApp, email: string): Promise<void> {
  await page.getByRole('heading', { name: 'Is this you?' }).waitFor();
  await page.getByRole('button', { name: `Mail a code to ${email}` }).click();
  const code = page.getByLabel('Code from the mail');
  await code.waitFor();
  await code.fill(mailedCode(app, email));
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

/** Signs in through the pages, where signing in is part of the test. */
export async function signInToToday({ page }: Visitor, app: TestApp, email: string): Promise<void> {
  await signInWith(page, app, email);
  await page.getByRole('heading', { name: 'Today', level: 1 }).waitFor();
}

/** Signs in through the API and opens Today in the same state as after `signInToToday`. */
export async function openToday(visitor: Visitor, app: TestApp, email: string): Promise<void> {
  const userAgent = await visitor.page.evaluate<string>('navigator.userAgent');
  const { body } = await verifyCode(app, email, await receiveCode(app, email), userAgent);
  const { session_token, user_id, created } = body.data;
  if (created) {
    const timezone = await visitor.page.evaluate<string>('new Intl.DateTimeFormat().resolvedOptions().timeZone');
    await personWith(app, email, user_id, session_token).ask('PATCH', '/v1/me', { timezone });
  }
  await openTodayAs(visitor, session_token);
}

/** Opens Today with a session that exists already. */
export async function openTodayAs(visitor: Visitor, sessionToken: string): Promise<void> {
  await openAppAs(visitor, sessionToken);
  await visitor.page.getByRole('heading', { name: 'Today', level: 1 }).waitFor();
}

/** Opens Today of a new account that has these tasks. To type them in would cost four times the CPU time. */
export async function openTodayWith(
  web: WebTestApp,
  email: string,
  tasks: readonly object[],
  options: BrowserContextOptions = {},
): Promise<Visitor & { readonly person: Person }> {
  const person = await signIn(web.app, email);
  await person.ask('PATCH', '/v1/me', { timezone: 'Europe/Amsterdam' });
  await person.ask('POST', '/v1/me/import', { tasks });
  const visitor = await web.open(options);
  await openTodayAs(visitor, person.sessionToken);
  return { ...visitor, person };
}

/** When a task is due on the first day. */
export const dueToday = (clock: string) => ({ due_at: `2026-03-02T${clock}:00+01:00`, has_time: true });

/** Opens the app in the state that a sign-in leaves, without a page before it: each page costs CPU time. */
export async function openAppAs(
  { origin, context, page }: Visitor,
  sessionToken: string,
  path = '/app',
): Promise<void> {
  const cookie = { name: 'crescendo-session', value: sessionToken, url: origin };
  const marking = await page.addInitScript("localStorage.setItem('crescendo-signed-in', '1')");
  await context.addCookies([{ ...cookie, httpOnly: true, sameSite: 'Strict' }]);
  await page.goto(path);
  await marking.dispose();
}

/** From now on only the test moves the page's time. The page's clock may already be ahead of the service's. */
export async function pauseClock(page: Page): Promise<void> {
  await page.clock.pauseAt((await page.evaluate<number>('Date.now()')) + 60_000);
}

/** Opens a screen by its link in the navigation. Other links on the page may have the same name. */
export async function goTo(page: Page, name: 'Today' | 'Spaces' | 'History' | 'Settings'): Promise<void> {
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name }).click();
  await page.getByRole('heading', { name, level: 1, exact: true }).waitFor();
}

/** Opens a part of the settings from their list. */
export async function goToSettings(
  page: Page,
  part: 'You and this app' | 'Reminders' | 'Sign-in and security' | 'Assistants' | 'Your data',
): Promise<void> {
  await goTo(page, 'Settings');
  await page.getByRole('navigation', { name: 'Parts of the settings' }).getByRole('link', { name: part }).click();
  await page.getByRole('heading', { name: part, level: 1 }).waitFor();
}

/** Opens an address inside the app, as a link to it does. To load the page again costs twice the CPU time. */
export async function followLink(page: Page, path: string): Promise<void> {
  await page.evaluate(`history.pushState({}, '', ${JSON.stringify(path)})`);
}

/** Changes between the lists Today, Upcoming and Someday. */
export async function openList(page: Page, name: 'Today' | 'Upcoming' | 'Someday'): Promise<void> {
  await page.getByRole('navigation', { name: 'Lists' }).getByRole('link', { name }).click();
  await page.getByRole('heading', { name, level: 1 }).waitFor();
}

/** Waits until the service has stored the task and the page knows: before the answer, it links to its local task. */
export async function waitForAddedTask(page: Page, app: TestApp, title: string) {
  const task = await waitForStoredTask(app, title);
  // Upcoming shows a repeating task once for each date.
  await page.locator(`a[href$="/${task.id}"]`).first().waitFor();
  return task;
}

export async function quickAdd(page: Page, words: string): Promise<void> {
  await page.getByLabel('Add a task in plain words').fill(words);
  await page.getByText('Understood as').waitFor();
  await page.getByRole('button', { name: 'Add task' }).click();
}
