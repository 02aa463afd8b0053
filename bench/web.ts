/**
 * How fast the web app feels in a real Chromium: the bytes of its first load, the time to the first paint, and the
 * longest task on the main thread while a list of thousands of tasks scrolls (at most three frames of its own time). The
 * search has no part in the page, so it is measured here, in the same engine for scripts.
 */
import type { Browser, Page } from 'playwright-core';
import { closeBrowser, openToday, startWebTestApp, type Visitor, type WebTestApp } from '../test/support/browser.ts';
import { findChromium, MISSING_CHROMIUM } from '../test/support/chromium.ts';
import { signIn } from '../test/support/people.ts';
import { waitUntil } from '../test/support/wait-until.ts';
import type { Report } from './report.ts';
import { sized } from './sizes.ts';
import { median, spread } from './statistics.ts';

const TASKS = sized(1_000, 5_000);
const UPCOMING_TASKS = sized(1_000, 3_000);
const SIZES = { desktop: { width: 1280, height: 900 }, phone: { width: 390, height: 844 } };
const IMPORTED_AT_ONCE = 1_000;
const SEARCHED_TASKS = 10_000;
const QUERIES = ['t', 'ta', 'task 99', 'word', 'word task 1', 'nothing of this'];
const MAX_SEARCH_MS = 50;
const RUNS = sized(1, 5);
const SCROLLS = 60;
const MAX_TASK_MS = 50;
const MAX_PAINT_MS = 1_000;
const MAX_FIRST_LOAD_KB = 150;

export async function benchWeb(report: Report): Promise<void> {
  const chromium = await findChromium();
  if (!chromium) return report.skip('web app', MISSING_CHROMIUM);
  process.env.CHROME_PATH = chromium;
  const web = await startWebTestApp('sqlite');
  try {
    await createTasks(web);
    await createUpcoming(web);
    const firstLoadKb = await measureFirstLoad(web);
    const visitor = await web.open({ time: 'real' });
    await openToday(visitor, web.app, 'busy@example.org');
    const paintsMs = await repeat(() => measureFirstPaint(web, visitor));
    const today = { path: '/app', first: 'Task 0', last: `Task ${TASKS - 1}` };
    const longestTasksMs = await repeat(() => longestTaskWhileScrolling(visitor.page, today));
    const ahead = await web.open({ time: 'real' });
    await openToday(ahead, web.app, 'ahead@example.org');
    const upcoming = { path: '/app/upcoming', first: 'Day 0', last: `Day ${UPCOMING_TASKS - 1}` };
    const add = (id: string, what: string, figures: readonly number[], unit: string, atMost: number) =>
      report.add({ id, what, figures: [spread(figures, unit)], value: median(figures), unit, target: { atMost } });
    add('web-first-load', 'bytes of the first load of the web app', [firstLoadKb], ' KB', MAX_FIRST_LOAD_KB);
    add('web-paint', 'first contentful paint', paintsMs, ' ms', MAX_PAINT_MS);
    add('web-search', `slowest search of ${SEARCHED_TASKS} tasks`, await repeat(slowestSearch), ' ms', MAX_SEARCH_MS);
    add('web-scroll', `longest task while ${TASKS} tasks scroll`, longestTasksMs, ' ms', MAX_TASK_MS);
    for (const [name, size] of Object.entries(SIZES)) {
      await ahead.page.setViewportSize(size);
      const figures = await repeat(() => longestTaskWhileScrolling(ahead.page, upcoming));
      const what = `longest task while ${UPCOMING_TASKS} tasks of Upcoming scroll on a ${name}`;
      add(`web-upcoming-${name}`, what, figures, ' ms', MAX_TASK_MS);
    }
  } finally {
    await web[Symbol.asyncDispose]();
    await closeBrowser();
  }
}

/** As compressed on the wire, without anything cached. */
async function measureFirstLoad(web: WebTestApp): Promise<number> {
  const { context, page } = await web.open({ time: 'real' });
  const cdp = await context.newCDPSession(page);
  await cdp.send('Network.enable');
  let bytes = 0;
  cdp.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  await page.goto('/app');
  await page.getByLabel('Email address').waitFor();
  await page.waitForLoadState('networkidle');
  await context.close();
  if (bytes < 20_000) throw new Error(`Only ${bytes} bytes were counted.`);
  return bytes / 1_024;
}

async function createTasks(web: WebTestApp): Promise<void> {
  const now = Date.now();
  // Overdue in the browser, which is on real time, so that all of them are on Today.
  const tasks = Array.from({ length: TASKS }, (_, number) => ({
    title: `Task ${number}`,
    due_at: new Date(now - (TASKS - number) * 60_000).toISOString(),
    has_time: true,
  }));
  await importTasks(web, 'busy@example.org', tasks);
}

/** Tasks of the next months, every tenth of them a series of five dates. */
async function createUpcoming(web: WebTestApp): Promise<void> {
  const tomorrow = Date.now() + 86_400_000;
  const tasks = Array.from({ length: UPCOMING_TASKS }, (_, number) => ({
    title: `Day ${number}`,
    due_at: new Date(tomorrow + number * 3_600_000).toISOString(),
    has_time: true,
    ...(number % 10 === 0 && { recurrence: { freq: 'weekly', count: 5 } }),
  }));
  await importTasks(web, 'ahead@example.org', tasks);
}

async function importTasks({ app }: WebTestApp, email: string, tasks: readonly object[]): Promise<void> {
  const person = await signIn(app, email);
  for (let from = 0; from < tasks.length; from += IMPORTED_AT_ONCE) {
    await person.ask('POST', '/v1/me/import', { tasks: tasks.slice(from, from + IMPORTED_AT_ONCE) });
  }
}

/** The slowest search of 10,000 tasks with notes, of queries that find all, some and none. */
async function slowestSearch(): Promise<number> {
  const tasks = Array.from({ length: SEARCHED_TASKS }, (_, number) => {
    const task = {
      id: String(number),
      title: `Task ${number}`,
      notes: 'A word in the notes. '.repeat(10),
      kind: 'bill',
    };
    return { ...task, space_id: null, due_at: null, status: 'open' };
  });
  // By its address, because the types of the web app need a browser's.
  const { buildIndex, searchTasks } = await import(new URL('../web/src/find/search-tasks.ts', import.meta.url).href);
  const index = buildIndex(tasks, []);
  const times = QUERIES.map((query) => {
    const startedAt = performance.now();
    searchTasks(index, query, 50);
    return performance.now() - startedAt;
  });
  return Math.max(...times);
}

async function repeat(measure: () => Promise<number>): Promise<number[]> {
  const figures: number[] = [];
  for (let run = 0; run < RUNS; run += 1) figures.push(await measure());
  return figures.toSorted((a, b) => a - b);
}

const PAINT = "performance.getEntriesByName('first-contentful-paint')[0]";

/** In a new browser context: nothing is cached and no service worker is installed. */
async function measureFirstPaint(web: WebTestApp, signedIn: Visitor): Promise<number> {
  const { context, page } = await web.open({ time: 'real', storageState: await signedIn.context.storageState() });
  await page.goto('/app');
  await page.getByRole('link', { name: 'Task 0', exact: true }).waitFor();
  await waitUntil(() => page.evaluate<boolean>(`${PAINT} !== undefined`));
  const paint = await page.evaluate<number>(`${PAINT}.startTime`);
  await context.close();
  return paint;
}

/** Resolves when nothing was loaded for a second. The stream of changes stays open, so `networkidle` never comes. */
async function settled(page: Page): Promise<void> {
  let [loaded, since] = [0, Date.now()];
  await waitUntil(async () => {
    const now = await page.evaluate<number>("performance.getEntriesByType('resource').length");
    if (now !== loaded) [loaded, since] = [now, Date.now()];
    return Date.now() - since >= 1_000;
  });
}

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  readonly dur?: number;
  /** The part of the duration in which the thread ran. */
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

interface LongList {
  readonly path: string;
  /** The titles of its first and its last task. */
  readonly first: string;
  readonly last: string;
}

/** From the browser's trace: every task of the page's main thread, including the browser's own. */
async function longestTaskWhileScrolling(page: Page, list: LongList): Promise<number> {
  const browser = page.context().browser() as Browser;
  // From another address, because a browser that loads the same one again scrolls to where it was.
  await page.goto('about:blank');
  await page.goto(list.path);
  await page.getByRole('link', { name: list.first, exact: true }).first().waitFor();
  await settled(page);
  await browser.startTracing(page, { categories: ['toplevel', 'disabled-by-default-devtools.timeline'] });
  await page.mouse.move(300, 500);
  const last = page.getByRole('link', { name: list.last, exact: true }).first();
  do {
    for (let scroll = 0; scroll < SCROLLS; scroll += 1) await page.mouse.wheel(0, 1_500);
  } while (!(await last.isVisible()));
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: TraceEvent[] };
  const isMainThread = ({ name, args }: TraceEvent) => name === 'thread_name' && args?.name === 'CrRendererMain';
  const threads = new Set(traceEvents.filter(isMainThread).map(({ pid, tid }) => `${pid}.${tid}`));
  const tasks = traceEvents.filter(({ name, pid, tid }) => name === 'RunTask' && threads.has(`${pid}.${tid}`));
  if (tasks.length < SCROLLS) throw new Error(`The trace has only ${tasks.length} tasks, so it is incomplete.`);
  // Not how long it took: a machine that does other things as well interrupts a task.
  return Math.max(...tasks.map(({ dur = 0, tdur = dur }) => tdur)) / 1_000;
}
