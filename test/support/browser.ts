/** A real Chromium in front of the whole service. */
import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import type { WebApp } from '../../src/http/web-app/web-app.ts';
import { findChromium, MISSING_CHROMIUM } from './chromium.ts';
import type { EngineName } from './engines.ts';
import { FakeClock } from './fake-clock.ts';
import { FakePhones } from './fake-phones.ts';
import { personWith, receiveCode, verifyCode } from './people.ts';
import { TcpProxy } from './tcp-proxy.ts';
import { startTestApp, type TestApp } from './test-app.ts';

let browser: Promise<Browser> | undefined;

/** One Chromium for all tests of a file; each visitor has a separate profile in it. */
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

/** To be called after the last test of the file. */
export async function closeBrowser(): Promise<void> {
  await (await browser)?.close();
}

export interface WebTestApp extends AsyncDisposable {
  readonly app: TestApp;
  readonly origin: string;
  /** The network between the browsers and the service. */
  readonly proxy: TcpProxy;
  /** Moves the clocks of the service and of the browsers. */
  advance(duration: string): Promise<void>;
  /** Closes all profiles, so that pages of earlier tests do not go on working. */
  closeVisitors(): Promise<void>;
  /** A separate browser profile in Amsterdam, on the clock of the app unless `time` is real. */
  open(options?: BrowserContextOptions & { readonly time?: 'real' }): Promise<Visitor>;
}

export interface Visitor {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Errors in the console, and uncaught ones. */
  readonly errors: readonly string[];
  /** Every address outside the service that a page requested. */
  readonly foreignRequests: readonly string[];
}

interface WebTestAppOptions {
  readonly startsAt?: string;
  /** Shared with another part of the test. */
  readonly clock?: FakeClock;
  readonly settings?: Readonly<Record<string, string>>;
  /** The service is at http://localhost, and says so in BASE_URL: browsers allow no passkeys at an address. */
  readonly isLocalhost?: boolean;
  /** A build of the web app other than the usual one. */
  readonly webApp?: WebApp;
  /** Fake phones, unless the configured providers are to be used. */
  readonly push?: 'as configured';
  /** Installing the service worker costs each visitor a fifth of the CPU time, so only tests that need it allow it. */
  readonly serviceWorkers?: 'allow';
}

/** It is Monday, 2 March 2026, 10:00 in Amsterdam, unless told otherwise. */
export async function startWebTestApp(engine: EngineName, options: WebTestAppOptions = {}): Promise<WebTestApp> {
  const clock = options.clock ?? new FakeClock(options.startsAt);
  const { push = new FakePhones(clock), serviceWorkers = 'block' } = options;
  // Before the service, whose BASE_URL contains its port.
  const proxy = await TcpProxy.to(0);
  const origin = options.isLocalhost ? `http://localhost:${proxy.port}` : proxy.origin;
  const settings = { ...options.settings, ...(options.isLocalhost && { BASE_URL: origin }) };
  const app = await startTestApp(engine, {
    clock,
    settings,
    ...(options.webApp && { webApp: options.webApp }),
    ...(push !== 'as configured' && { extra: { gateways: { apns: push } } }),
  });
  await app.fastify.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.fastify.server.address() as AddressInfo;
  proxy.switchTo(port);
  const contexts: BrowserContext[] = [];
  const onFakeTime: BrowserContext[] = [];
  const open: WebTestApp['open'] = async ({ time, ...options } = {}) => {
    const context = await (await launchBrowser()).newContext({
      baseURL: origin,
      timezoneId: 'Europe/Amsterdam',
      locale: 'en-GB',
      viewport: { width: 1280, height: 900 },
      // A click waits until its target no longer moves.
      reducedMotion: 'reduce',
      serviceWorkers,
      ...options,
    });
    contexts.push(context);
    // Measurements need the browser's own timers.
    if (time !== 'real') {
      await context.clock.install({ time: app.clock.now() });
      onFakeTime.push(context);
    }
    context.setDefaultTimeout(20_000);
    const page = await context.newPage();
    const errors: string[] = [];
    const foreignRequests: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error') errors.push(message.text());
    });
    page.on('pageerror', (error) => errors.push(String(error)));
    context.on('request', (request) => {
      if (!request.url().startsWith(origin) && !request.url().startsWith('data:')) foreignRequests.push(request.url());
    });
    return { context, page, errors, foreignRequests };
  };
  const advance = async (duration: string) => {
    const before = app.clock.now().getTime();
    await app.clock.advance(duration);
    const ms = app.clock.now().getTime() - before;
    // Timers that came due fire once, as they do in a laptop that was asleep.
    for (const context of onFakeTime) await context.clock.fastForward(ms);
  };
  const closeVisitors = async () => {
    await Promise.all(contexts.splice(0).map((context) => context.close()));
    onFakeTime.length = 0;
  };
  return {
    app,
    origin,
    proxy,
    open,
    advance,
    closeVisitors,
    [Symbol.asyncDispose]: async () => {
      await closeVisitors();
      await proxy[Symbol.asyncDispose]();
      await app[Symbol.asyncDispose]();
    },
  };
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

/** Signs in through the pages, where signing in is part of the test. */
export async function signInToToday({ page }: Visitor, app: TestApp, email: string): Promise<void> {
  await signInWith(page, app, email);
  await page.getByRole('heading', { name: 'Today', level: 1 }).waitFor();
}

/** Signs in through the API and opens Today in the same state as after `signInToToday`. */
export async function openToday(visitor: Visitor, app: TestApp, email: string): Promise<void> {
  await visitor.page.goto('/health');
  const userAgent = await visitor.page.evaluate<string>('navigator.userAgent');
  const { body } = await verifyCode(app, email, await receiveCode(app, email), userAgent);
  const { session_token, user_id, created } = body.data;
  if (created) {
    const timezone = await visitor.page.evaluate<string>('new Intl.DateTimeFormat().resolvedOptions().timeZone');
    await personWith(app, email, user_id, session_token).ask('PATCH', '/v1/me', { timezone });
  }
  await enterToday(visitor, session_token);
}

/** Opens Today with a session that exists already. */
export async function openTodayAs(visitor: Visitor, sessionToken: string): Promise<void> {
  await visitor.page.goto('/health');
  await enterToday(visitor, sessionToken);
}

/** From any page of the service, because only there can what the app stored be written. */
async function enterToday({ context, page }: Visitor, sessionToken: string): Promise<void> {
  const session = { name: 'crescendo-session', value: sessionToken, url: page.url() };
  await context.addCookies([{ ...session, httpOnly: true, sameSite: 'Strict' }]);
  await page.evaluate("localStorage.setItem('crescendo-signed-in', '1')");
  await page.goto('/app');
  await page.getByRole('heading', { name: 'Today', level: 1 }).waitFor();
}

/** Changes between the lists Today, Upcoming and Someday. */
export async function openList(page: Page, name: 'Today' | 'Upcoming' | 'Someday'): Promise<void> {
  await page.getByRole('navigation', { name: 'Lists' }).getByRole('link', { name }).click();
  await page.getByRole('heading', { name, level: 1 }).waitFor();
}

export async function quickAdd(page: Page, words: string): Promise<void> {
  await page.getByLabel('Add a task in plain words').fill(words);
  await page.getByText('Understood as').waitFor();
  await page.getByRole('button', { name: 'Add task' }).click();
}
