import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { browserTests, openAppAs, openToday, signInToToday } from '../support/browser.ts';
import { type Person, signIn } from '../support/people.ts';
import { sized, testInFull } from '../support/size.ts';
import { waitUntil } from '../support/wait-until.ts';

const FIRST_LOAD_BYTES = 150 * 1024;
const TASKS = sized(300, 1_000);
const UPCOMING_TASKS = sized(100, 3_000);

/** Counted from tomorrow. */
const dayOf = (number: number) =>
  new Date(Date.parse('2026-03-03') + number * 86_400_000).toISOString().slice(0, 'yyyy-mm-dd'.length);

/** The days of the next five weeks by name, and the months after them. */
function headingOf(number: number): string {
  const format = (options: Intl.DateTimeFormatOptions) =>
    new Date(dayOf(number)).toLocaleDateString('en-GB', { ...options, timeZone: 'UTC' });
  if (number >= 35) return format({ month: 'long', year: 'numeric' });
  const name = number === 0 ? 'Tomorrow' : format({ weekday: 'long' });
  return `${name}, ${format({ day: 'numeric', month: 'long' })}`;
}

/** The titles under each heading. */
type Titles = Map<string, string[]>;
const addTo = (titles: Titles, heading: string, title: string) =>
  titles.set(heading, [...(titles.get(heading) ?? []), title]);

const UPCOMING_DAYS = sized(100, 300);
/** The app reads the later dates of series for so many days at first. */
const SERIES_DAYS = 35;
const SERIES = [
  { title: 'daily', clock: '23:30', recurrence: { freq: 'daily' }, perDay: 1 },
  { title: 'twice', clock: '01:00', recurrence: { freq: 'daily', by_time: ['01:00', '22:00'] }, perDay: 2 },
];

/** Tasks at both ends of each day, two series from tomorrow on, and two tasks of today that are snoozed for weeks. */
async function createUpcoming(person: Person): Promise<Titles> {
  await person.ask('PATCH', '/v1/me', { timezone: 'Europe/Amsterdam' });
  const expected: Titles = new Map();
  const at = (number: number, clock: string) => ({ due_at: `${dayOf(number)}T${clock}:00`, has_time: true });
  const tasks: object[] = SERIES.map(({ title, clock, recurrence }) => ({ title, ...at(0, clock), recurrence }));
  for (let day = 0; day < UPCOMING_DAYS; day += 1) {
    const heading = headingOf(day);
    for (let number = 0; number < UPCOMING_TASKS / UPCOMING_DAYS; number += 1) {
      const title = `due ${dayOf(day)}, ${number}`;
      tasks.push({ title, ...at(day, (day + number) % 2 === 0 ? '00:00' : '23:59') });
      addTo(expected, heading, title);
    }
    const repeated = SERIES.flatMap(({ title, perDay }) => Array.from({ length: perDay }, () => title));
    if (day < SERIES_DAYS) for (const title of repeated) addTo(expected, heading, title);
  }
  for (let from = 0; from < tasks.length; from += 1_000)
    await person.ask('POST', '/v1/me/import', { tasks: tasks.slice(from, from + 1_000) });
  for (const day of [20, 60]) {
    const title = `snoozed to ${dayOf(day)}`;
    const { body } = await person.ask('POST', '/v1/tasks', { title, ...at(-1, '23:00') });
    await person.ask('POST', `/v1/tasks/${body.data.id}/snooze`, { until: `${dayOf(day)}T00:30:00` });
    addTo(expected, headingOf(day), title);
  }
  return expected;
}

interface Scrolled {
  readonly rows: readonly { readonly heading: string | null; readonly title: string }[];
  readonly mostDrawn: number;
  readonly slow: readonly number[];
}

/** From the top to the end, less than a screen at a time. */
const SCROLL_THROUGH = `(async () => {
  const slow = [];
  new PerformanceObserver((list) => slow.push(...list.getEntries().map((e) => Math.round(e.duration)))).observe({ type: 'longtask' });
  const drawn = () => [...document.querySelectorAll('main li[data-index]')];
  const isCovered = () => {
    const [first, last] = [drawn()[0], drawn().at(-1)];
    if (!first) return false;
    const isLast = last.getAttribute('aria-posinset') === last.getAttribute('aria-setsize');
    const reaches = last.getBoundingClientRect().bottom >= innerHeight || isLast;
    return reaches && (first.getBoundingClientRect().top <= 0 || first.dataset.index === '0');
  };
  const rows = [];
  let mostDrawn = 0;
  for (let y = 0; y <= document.documentElement.scrollHeight; y += innerHeight * 0.9) {
    scrollTo(0, y);
    // A busy machine draws the rows some frames later.
    do await new Promise(requestAnimationFrame);
    while (!isCovered());
    mostDrawn = Math.max(mostDrawn, drawn().length);
    for (const li of drawn())
      rows[li.dataset.index] = { heading: li.querySelector('h2')?.textContent ?? null, title: li.querySelector('a').textContent };
  }
  const count = Number(drawn()[0].getAttribute('aria-setsize'));
  return { rows: Array.from({ length: count }, (_, index) => rows[index] ?? { heading: 'never drawn', title: '' }), mostDrawn, slow };
})()`;

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

  testInFull(
    'thousands of tasks, series and snoozed ones are under their days in Upcoming, and a date is reached at once',
    async (t) => {
      const person = await signIn(web.app, 'ahead@example.org');
      const expected = await createUpcoming(person);
      const visitor = await web.open({ serviceWorkers: 'block' });
      const { page } = visitor;
      await openAppAs(visitor, person.sessionToken, '/app/upcoming');
      await page.getByRole('link', { name: 'twice' }).nth(1).waitFor();
      const { rows, mostDrawn, slow } = await page.evaluate<Scrolled>(SCROLL_THROUGH);
      t.diagnostic(`scrolled through ${rows.length} rows; tasks over 50 ms: ${slow.length} (${slow.join(', ')})`);
      assert.ok(mostDrawn < 60, `${mostDrawn} rows are drawn`);
      const found: Titles = new Map();
      let heading = '';
      for (const row of rows) {
        heading = row.heading ?? heading;
        addTo(found, heading, row.title);
      }
      assert.deepEqual([...found.keys()], [...expected.keys()]);
      for (const [name, titles] of found) assert.deepEqual(titles.toSorted(), expected.get(name)?.toSorted(), name);

      await page.setViewportSize({ width: 390, height: 844 });
      await page.getByLabel('Go to a date').fill('2026-05-20');
      await page.keyboard.press('Enter');
      const row = "document.activeElement.closest('li')?.innerText ?? ''";
      await waitUntil(async () => (await page.evaluate<string>(row)).includes('Wed 20 May'));
      assert.ok((await page.locator('main li').count()) < 60);
      assert.deepEqual(visitor.errors, []);
    },
  );
});
