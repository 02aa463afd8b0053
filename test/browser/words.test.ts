/** The app and the pages in an invented language, whose sentences are longer, on a narrow phone. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { words } from '../../src/lib/words.ts';
import { screenStrings } from '../../web/src/screen-strings.ts';
import { strings } from '../../web/src/strings.ts';
import { browserTests, followLink, openAppAs } from '../support/browser.ts';
import { buildTranslatedApp, translate } from '../support/invented-language.ts';
import { createPerson, makeAdmin, type Person } from '../support/people.ts';

const NARROW = { width: 360, height: 780 };
const said = translate({ ...strings, ...screenStrings });
/** What people wrote is in Greek here. */
const TITLE = 'Φάρμακα';

/** Addresses, time zones, names and values of settings, which are the same in every language. */
const NO_WORDS =
  /\S+@\S+|https?:\S+|\b[A-Z]\w+\/[\w/+-]+|\bUTC\b|\bCrescendo\b|\b(?:Chrome|Firefox|Safari|Edge)\b|röölëë \w+|\bv?\d[\w.]*/g;

/** Sentences with plain vowels, and controls that are cut off or reach beyond the screen. */
const FAULTS = `(() => {
  const isShown = (element) => element.checkVisibility() && element.getBoundingClientRect().width > 1;
  const scrolls = (element) => element !== null && (/auto|scroll/.test(getComputedStyle(element).overflowX) || scrolls(element.parentElement));
  const texts = [document.title];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const parent = walker.currentNode.parentElement;
    if (!parent.closest('script, style, noscript') && parent.checkVisibility()) texts.push(walker.currentNode.data);
  }
  for (const name of ['aria-label', 'placeholder', 'title', 'alt'])
    for (const element of document.querySelectorAll('[' + name + ']')) texts.push(element.getAttribute(name));
  const cut = [];
  for (const control of document.querySelectorAll('button, a[href], summary, label, select, [role=button]')) {
    // The link that skips the navigation is shown only while it has the focus.
    if (!isShown(control) || control.matches('.sr-only:not(:focus)')) continue;
    const { left, right } = control.getBoundingClientRect();
    const isOutside = !scrolls(control) && (left < -1 || right > innerWidth + 1);
    const isCut = [control, ...control.querySelectorAll('*')].some(
      (part) => part.clientWidth > 1 && part.scrollWidth > part.clientWidth + 1 && !(part instanceof SVGElement));
    if (isOutside || isCut) cut.push(control.textContent || control.getAttribute('aria-label'));
  }
  const { scrollWidth, clientWidth } = document.documentElement;
  return { texts, cut, sideways: scrollWidth - clientWidth };
})()`;

interface Drawn {
  readonly texts: readonly string[];
  readonly cut: readonly string[];
  readonly sideways: number;
}

/** A line for each fault of the screen. */
async function findFaults(page: Page, name: string): Promise<string[]> {
  const { texts, cut, sideways } = await page.evaluate<Drawn>(FAULTS);
  assert.ok(texts.length > 3, `${name} is empty`);
  const isEnglish = (word: string) => /^[a-z]{2,}$/i.test(word) && /[aeiou]/i.test(word);
  const english = texts.filter((text) =>
    text
      .replaceAll(NO_WORDS, ' ')
      .split(/[^\p{L}\p{M}]+/u)
      .some(isEnglish),
  );
  return [
    ...new Set(english.map((text) => `${name}: not in the catalogue: ${text}`)),
    ...cut.map((text) => `${name}: cut off: ${text}`),
    ...(sideways > 0 ? [`${name}: scrolls sideways by ${sideways} px`] : []),
  ];
}

async function createTasks(person: Person): Promise<{ taskId: string; spaceId: string }> {
  const create = async (path: string, fields: object) => (await person.ask('POST', path, fields)).body.data.id;
  await person.ask('PATCH', '/v1/me', { display_name: 'Άννα', timezone: 'Europe/Amsterdam' });
  const spaceId = await create('/v1/spaces', { name: 'Σπίτι' });
  const due = { due_at: '2026-03-02T09:30:00', has_time: true };
  const taskId = await create('/v1/tasks', { title: TITLE, kind: 'υγεία', ...due, recurrence: { freq: 'weekly' } });
  await create('/v1/tasks', { title: 'Νερό', due_at: '2026-03-09T09:30:00', has_time: true, space_id: spaceId });
  await create('/v1/tasks', { title: 'Βιβλίο' });
  const snoozed = await create('/v1/tasks', { title: 'Φράχτης', ...due });
  await person.ask('POST', `/v1/tasks/${snoozed}/snooze`, { until: '2026-03-07T10:00:00' });
  const done = await create('/v1/tasks', { title: 'Τέλος', ...due });
  await person.ask('POST', `/v1/tasks/${done}/complete`);
  return { taskId, spaceId };
}

async function translateApp(parts: AsyncDisposableStack) {
  const folder = mkdtempSync(join(tmpdir(), 'crescendo-test-'));
  const english = { ...words };
  Object.assign(words, translate(words));
  parts.defer(() => {
    // Other test files run in the same process.
    Object.assign(words, english);
    rmSync(folder, { recursive: true, force: true });
  });
  return { webApp: await buildTranslatedApp(folder) };
}

browserTests('sqlite', translateApp, (web) => {
  test('every text of the app comes from the catalogue, and a longer language fits a narrow phone', async () => {
    const ada = await createPerson(web.app);
    await makeAdmin(web.app, ada);
    const { taskId, spaceId } = await createTasks(ada);
    const visitor = await web.open({ viewport: NARROW });
    const { page } = visitor;
    const faults: string[] = [];
    const check = async (name: string) => faults.push(...(await findFaults(page, name)));
    const heading = (name: string) => page.getByRole('heading', { name, exact: true }).first().waitFor();
    const press = (name: string) => page.getByRole('button', { name, exact: true }).first().click();
    await page.goto('/app');
    await heading(said.signIn.title);
    await check('sign-in');
    await openAppAs(visitor, ada.sessionToken);
    await page.getByRole('link', { name: TITLE }).waitFor();
    await check('today');
    await press(said.task.snoozeNamed(TITLE));
    await heading(said.snooze.title);
    await check('snooze');
    const screens: [path: string, shown: string][] = [
      [`/app/tasks/${taskId}`, TITLE],
      ['/app/spaces', said.spaces.title],
      [`/app/spaces/${spaceId}`, 'Σπίτι'],
      ['/app/history', said.history.title],
      ['/app/settings', said.settings.title],
      ['/app/settings/channels', said.unreached.title],
      ['/app/settings/admin', said.admin.title],
      [`/app/settings/admin/people/${ada.userId}`, said.admin.use],
      ['/app/settings/admin/health', said.admin.ways],
    ];
    await page.keyboard.press('Escape');
    for (const [path, shown] of screens) {
      await followLink(page, path);
      await heading(shown);
      await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
      await check(path);
    }
    await followLink(page, `/app/tasks/${taskId}`);
    await press(said.detail.edit);
    await heading(said.editor.title);
    await check('editor');
    assert.deepEqual(faults, []);
  });

  test('every text of a page comes from the catalogue, and a longer language fits a narrow phone', async () => {
    const { page } = await web.open({ viewport: NARROW });
    await page.goto('/');
    assert.deepEqual(await findFaults(page, 'front page'), []);
    await page.goto(`/a/${'x'.repeat(62)}`);
    assert.deepEqual(await findFaults(page, 'act page'), []);
  });
});
