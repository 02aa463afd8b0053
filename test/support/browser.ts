/** A real Chromium in front of the whole service. */
import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { type Bed, startBed } from './bed.ts';
import { findChromium } from './chromium.ts';
import { CuttableLine } from './cuttable-line.ts';
import type { EngineName } from './engines.ts';
import { FakeClock } from './fake-clock.ts';
import { PretendPhones } from './pretend-phone.ts';

async function launch(): Promise<Browser> {
  return chromium.launch({
    executablePath: await findChromium(),
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  });
}

export interface WebBed extends AsyncDisposable {
  readonly bed: Bed;
  readonly browser: Browser;
  readonly origin: string;
  /** Between the browsers and the service. */
  readonly line: CuttableLine;
  /** Moves the time of the service and of the browsers. */
  advance(duration: string): Promise<void>;
  /** A browser of its own for a person, on the clock of the bed, in Amsterdam. */
  open(options?: BrowserContextOptions & { readonly time?: 'real' }): Promise<Visitor>;
}

export interface Visitor {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Errors, in the console and uncaught. */
  readonly complaints: readonly string[];
  /** Every address that was asked for outside of the service. */
  readonly strangers: readonly string[];
}

interface WebBedOptions {
  readonly startsAt?: string;
  /** Another part of the test lives by it already. */
  readonly clock?: FakeClock;
  readonly settings?: Readonly<Record<string, string>>;
  /** Pretend phones, unless the configured providers are to be used. */
  readonly push?: 'as configured';
}

/** It is Monday, 2 March 2026, 10:00 in Amsterdam, unless told otherwise. */
export async function startWebBed(engine: EngineName, options: WebBedOptions = {}): Promise<WebBed> {
  const clock = options.clock ?? new FakeClock(options.startsAt);
  const { settings = {}, push = new PretendPhones(clock) } = options;
  const bed = await startBed(engine, {
    clock,
    settings,
    ...(push !== 'as configured' && { extra: { gateways: { apns: push } } }),
  });
  await bed.app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = bed.app.server.address() as AddressInfo;
  const line = await CuttableLine.to(port);
  const { origin } = line;
  const contexts: BrowserContext[] = [];
  const browser = await launch();
  const open: WebBed['open'] = async ({ time, ...options } = {}) => {
    const context = await browser.newContext({
      ...{ baseURL: origin, timezoneId: 'Europe/Amsterdam', locale: 'en-GB', viewport: { width: 1280, height: 900 } },
      ...options,
    });
    // Measuring wants the browser's own timers.
    if (time !== 'real') await context.clock.install({ time: bed.clock.now() });
    if (time !== 'real') contexts.push(context);
    context.setDefaultTimeout(20_000);
    const page = await context.newPage();
    const complaints: string[] = [];
    const strangers: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(String(error)));
    context.on('request', (request) => {
      if (!request.url().startsWith(origin) && !request.url().startsWith('data:')) strangers.push(request.url());
    });
    return { context, page, complaints, strangers };
  };
  const advance = async (duration: string) => {
    const before = bed.clock.now().getTime();
    await bed.clock.advance(duration);
    const ms = bed.clock.now().getTime() - before;
    // Timers that came due meanwhile fire once, as they do in a laptop that was asleep.
    for (const context of contexts) await context.clock.fastForward(ms);
  };
  return {
    ...{ bed, browser, origin, line, open, advance },
    [Symbol.asyncDispose]: async () => {
      await browser.close();
      await line[Symbol.asyncDispose]();
      await bed[Symbol.asyncDispose]();
    },
  };
}

/** The code that was mailed to the address last. */
export function mailedCode(bed: Bed, email: string): string {
  const mail = bed.printed.findLast((text) => text.includes(`Mail to ${email} `));
  const code = /Your sign-in code is (\d{6})/.exec(mail ?? '')?.[1];
  assert.ok(code, `no code was mailed to ${email}`);
  return code;
}

/** Signs in the way a person does; ends before a second factor is asked for. */
export async function signInWith(page: Page, bed: Bed, email: string): Promise<void> {
  await page.goto('/app');
  await page.getByLabel('Email address').fill(email);
  await page.getByRole('button', { name: 'Mail me a code' }).click();
  const code = page.getByLabel('Code from the mail');
  await code.waitFor();
  await code.fill(mailedCode(bed, email));
  await page.getByRole('button', { name: 'Sign in' }).click();
}

export async function openToday(visitor: Visitor, bed: Bed, email: string): Promise<void> {
  await signInWith(visitor.page, bed, email);
  await visitor.page.getByRole('heading', { name: 'Today', level: 1 }).waitFor();
}

export async function quickAdd(page: Page, words: string): Promise<void> {
  await page.getByLabel('Add a task in plain words').fill(words);
  await page.getByText('Understood as').waitFor();
  await page.getByRole('button', { name: 'Add task' }).click();
}
