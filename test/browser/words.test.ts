/** The app and the pages in an invented language, whose sentences are longer, on a narrow phone. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { words } from '../../src/lib/words.ts';
import { ladderStrings } from '../../web/src/ladders/ladder-strings.ts';
import { screenStrings } from '../../web/src/screen-strings.ts';
import { appsStrings } from '../../web/src/settings/apps-strings.ts';
import { strings } from '../../web/src/strings.ts';
import { browserTests, followLink, openAppAs } from '../support/browser.ts';
import { findCutOff } from '../support/cut-off.ts';
import { buildTranslatedApp, translate } from '../support/invented-language.ts';
import { createPerson, makeAdmin, type Person } from '../support/people.ts';

const NARROW = { width: 360, height: 780 };
const said = translate({ ...strings, ...screenStrings });
const saidOfLadders = translate(ladderStrings);
/** What people wrote is in Greek here. */
const TITLE = 'Φάρμακα';

/** Addresses, time zones, names and values of settings, which are the same in every language. */
const NO_WORDS =
  /\S+@\S+|https?:\S+|\b[A-Z]\w+\/[\w/+-]+|\bUTC\b|\bCrescendo\b|\b(?:Chrome|Firefox|Safari|Edge)\b|röölëë \w+|\bv?\d[\w.]*/g;

/** Everything that a person can read or hear. */
const TEXTS = `(() => {
  const texts = [document.title];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const parent = walker.currentNode.parentElement;
    if (!parent.closest('script, style, noscript') && parent.checkVisibility()) texts.push(walker.currentNode.data);
  }
  for (const name of ['aria-label', 'placeholder', 'title', 'alt'])
    for (const element of document.querySelectorAll('[' + name + ']')) texts.push(element.getAttribute(name));
  return texts;
})()`;

/** A line for each fault of the screen. */
async function findFaults(page: Page, name: string): Promise<string[]> {
  const texts = await page.evaluate<string[]>(TEXTS);
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
    ...(await findCutOff(page)).map((fault) => `${name}: ${fault}`),
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
      ['/app/settings/ladders', saidOfLadders.page.preset],
      ['/app/settings/apps', translate(appsStrings).sectionAddress],
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
    await page.keyboard.press('Escape');
    await press(saidOfLadders.task.change);
    await press(saidOfLadders.task.make);
    await page.locator('[data-forecast]').waitFor();
    await check('ladder editor');
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
