/** Nothing is lost on the way: text, edits, settings, snoozes and bulk changes; and dates as the person reads them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { look } from '../support/accessibility.ts';
import {
  browserTests,
  dueToday,
  goTo,
  goToSettings,
  openAppAs,
  openList,
  openTodayWith,
  signInToToday,
} from '../support/browser.ts';
import { signIn } from '../support/people.ts';
import { testInFull } from '../support/size.ts';
import { findStoredTask, waitForStoredTask } from '../support/stored-task.ts';
import { waitUntil } from '../support/wait-until.ts';

const PHONE = { viewport: { width: 390, height: 844 } };
const add = (page: Page) => page.locator('[name="quick-add"]');
/** A key, and a reload before the browser does anything else. */
const typeAndReload = (page: Page, words: string) =>
  Promise.all([
    page.waitForEvent('load'),
    page.evaluate(`document.execCommand('insertText', false, ${JSON.stringify(words)}); location.reload()`),
  ]);
const stores = (page: Page) => page.evaluate<string>('JSON.stringify(localStorage)');

browserTests('sqlite', {}, (web) => {
  const stored = async (email: string) =>
    web.app.db.selectFrom('users').selectAll().where('email', '=', email).executeTakeFirstOrThrow();

  test('a half-typed task survives navigation, reload and a closed tab, and signing out removes it', async () => {
    const visitor = await web.open(PHONE);
    const { page, context } = visitor;
    await signInToToday(visitor, web.app, 'typing@example.org');
    await add(page).fill('call the dentist tomorrow');
    await goTo(page, 'Settings');
    await goTo(page, 'Today');
    await waitUntil(async () => (await add(page).inputValue()) === 'call the dentist tomorrow');
    await add(page).press('End');
    await typeAndReload(page, ' at 9');
    await waitUntil(async () => (await add(page).inputValue()) === 'call the dentist tomorrow at 9');
    const other = await context.newPage();
    await page.close();
    await other.goto('/app');
    await waitUntil(async () => (await add(other).inputValue()) === 'call the dentist tomorrow at 9');
    await other.getByText('tomorrow at 09:00').waitFor();
    await add(other).press('Enter');
    await waitForStoredTask(web.app, 'call the dentist');
    await other.reload();
    await other.getByText('Upcoming').first().waitFor();
    assert.equal(await add(other).inputValue(), '');

    await add(other).fill('a secret');
    await goToSettings(other, 'Sign-in and security');
    assert.match(await stores(other), /a secret/);
    await other.getByRole('button', { name: 'Sign out', exact: true }).click();
    await other.getByRole('heading', { name: /sign in/i }).waitFor();
    assert.doesNotMatch(await stores(other), /a secret/);
  });

  testInFull(
    'Back asks as Escape does when an edit is open; the edit survives a reload and is offered again',
    async () => {
      const visitor = await openTodayWith(web, 'back@example.org', [{ title: 'bake bread', ...dueToday('23:00') }]);
      const { page } = visitor;
      await page.getByRole('link', { name: 'bake bread' }).click();
      const notes = page.getByLabel('Notes', { exact: true });
      const asked = page.getByRole('heading', { name: 'Discard your changes?' });
      await page.getByRole('button', { name: 'Edit' }).click();
      await notes.waitFor();
      // Nothing was typed, so Back closes the editor and the page stays.
      await page.evaluate('history.back()');
      await notes.waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Edit' }).click();
      await notes.fill('with r');
      await page.evaluate('history.back()');
      await asked.waitFor();
      await look(page, 'kept-asked');
      await page.keyboard.press('Enter');
      await asked.waitFor({ state: 'detached' });
      assert.equal(await notes.inputValue(), 'with r');
      await notes.press('End');
      await typeAndReload(page, 'ye');
      await page.getByText('You have changes here that are not saved yet.').waitFor();
      await look(page, 'kept-unsaved');
      await page.getByRole('button', { name: 'Continue editing' }).press('Enter');
      assert.equal(await notes.inputValue(), 'with rye');
      await page.getByRole('button', { name: 'Save' }).click();
      await waitForStoredTask(web.app, 'bake bread', (task) => task.notes === 'with rye');
      await page.getByText('You have changes here').waitFor({ state: 'detached' });

      await page.getByRole('button', { name: 'Edit' }).click();
      await notes.fill('with spelt');
      await page.evaluate('history.back()');
      await page.getByRole('button', { name: 'Discard' }).click();
      await notes.waitFor({ state: 'detached' });
      await page.reload();
      await page.getByRole('button', { name: 'Edit' }).waitFor();
      assert.equal(await page.getByText('You have changes here').count(), 0);
      assert.equal((await findStoredTask(web.app, 'bake bread'))?.notes, 'with rye');
      // Then Back leaves the page.
      await page.evaluate('history.back()');
      await add(page).waitFor();
    },
  );

  test('a setting is stored when it is changed, without leaving the field; a failure says so and keeps the text', async () => {
    const visitor = await openTodayWith(web, 'settings@example.org', []);
    const { page } = visitor;
    await goToSettings(page, 'Reminders');
    const start = page.getByLabel('The day starts at');
    await start.fill('07:30');
    await page.clock.runFor(1_500);
    await page.getByText('Saved').waitFor();
    assert.equal((await stored('settings@example.org')).day_start, '07:30');
    await goToSettings(page, 'You and this app');
    const name = page.getByLabel('Name that others see');
    await name.fill('Ada');
    // Another screen is opened before the moment is over.
    await goTo(page, 'History');
    await waitUntil(async () => (await stored('settings@example.org')).display_name === 'Ada');
    await goToSettings(page, 'You and this app');
    web.proxy.cut();
    await name.fill('Ada L');
    await page.clock.runFor(1_500);
    await page.getByText('Not saved.').waitFor();
    assert.equal(await name.inputValue(), 'Ada L');
    web.proxy.restore();
    await page.getByRole('button', { name: 'Try again' }).click();
    await waitUntil(async () => (await stored('settings@example.org')).display_name === 'Ada L');
    await page.getByText('Not saved.').waitFor({ state: 'detached' });
  });

  testInFull('a snooze is taken back for as long as it lasts, from its row and its page', async () => {
    const visitor = await openTodayWith(web, 'snoozes@example.org', [{ title: 'call Grace', ...dueToday('23:00') }]);
    const { page } = visitor;
    const snooze = async () => {
      await page.getByRole('button', { name: 'Snooze', exact: false }).first().click();
      await page.getByRole('button', { name: 'Tomorrow morning' }).click();
    };
    await snooze();
    await web.advance('1m');
    await waitForStoredTask(web.app, 'call Grace', ({ deferred_until }) => deferred_until !== null);
    await page.reload();
    await openList(page, 'Upcoming');
    await page.getByText('snoozed until tomorrow at 09:00').waitFor();
    await page.getByRole('button', { name: 'Take back the snooze of call Grace' }).press('Enter');
    await page.getByText('snoozed until').waitFor({ state: 'detached' });
    await waitForStoredTask(web.app, 'call Grace', ({ deferred_until }) => deferred_until === null);
    await openList(page, 'Today');
    await page.getByRole('link', { name: 'call Grace' }).click();
    await snooze();
    await page.getByText('Snoozed until tomorrow at 09:00').waitFor();
    await web.advance('1m');
    await waitForStoredTask(web.app, 'call Grace', ({ deferred_until }) => deferred_until !== null);
    await page.setViewportSize(PHONE.viewport);
    await look(page, 'kept-snoozed');
    await page.getByRole('button', { name: 'Take back the snooze of call Grace' }).click();
    await waitForStoredTask(web.app, 'call Grace', ({ deferred_until }) => deferred_until === null);
    await page.getByText('Snooze taken back').last().waitFor();
  });

  testInFull(
    'a bulk change made offline is sent as one, and one Undo takes it back, also later in History; Drop says that a series ends',
    async () => {
      const daily = { recurrence: { freq: 'daily' } };
      const tasks = ['one', 'two', 'three'].map((title) => ({ title, ...dueToday('23:00') }));
      const visitor = await openTodayWith(web, 'bulk@example.org', [
        ...tasks,
        { title: 'four', ...dueToday('23:00'), ...daily },
      ]);
      const { page, context } = visitor;
      const sent: string[] = [];
      context.on('request', (request) => {
        const { pathname } = new URL(request.url());
        if (request.method() === 'POST') sent.push(pathname.replace(/[0-9a-f-]{36}/, 'id'));
      });
      await page.getByRole('link', { name: 'four' }).waitFor();
      const dropAll = async () => {
        await page.getByRole('button', { name: 'Select', exact: true }).click();
        await page.getByRole('button', { name: 'Select all' }).click();
        await page.getByRole('button', { name: 'Drop' }).click();
        await page.getByText('One of them repeats: Drop ends the series.').waitFor();
        await page.locator('dialog').getByRole('button', { name: 'Drop' }).click();
      };
      const allAre = async (status: string) => {
        for (const title of ['one', 'two', 'three', 'four'])
          await waitForStoredTask(web.app, title, (task) => task.status === status);
      };
      // Loads the bar, as a browser with a service worker has done before.
      await page.getByRole('button', { name: 'Select', exact: true }).click();
      await page.getByRole('button', { name: 'Stop selecting' }).click();
      web.proxy.cut();
      await dropAll();
      await page.getByText('4 changes not synced yet').waitFor();
      web.proxy.restore();
      await web.advance('1m');
      await allAre('dropped');
      assert.deepEqual(
        sent.filter((path) => path === '/v1/batches').length > 0 && sent.filter((path) => /drop/.test(path)),
        [],
      );
      await goTo(page, 'History');
      await page.getByText('4 tasks dropped', { exact: true }).last().waitFor();
      assert.equal(await page.getByRole('heading', { name: 'Recently dropped' }).count(), 0);
      await look(page, 'kept-history');
      await page.getByRole('button', { name: 'Undo: 4 tasks dropped' }).press('Enter');
      await allAre('open');
      await page.getByRole('heading', { name: 'Changed together' }).waitFor({ state: 'detached' });

      await goTo(page, 'Today');
      await dropAll();
      await allAre('dropped');
      sent.length = 0;
      await page.getByRole('button', { name: 'Undo', exact: true }).click();
      await allAre('open');
      // The answer to the drop may have been lost with the network, so that it is sent again.
      assert.deepEqual(
        sent.filter((path) => path !== '/v1/batches'),
        ['/v1/batches/id/undo'],
      );
      await page.getByRole('link', { name: 'four' }).click();
      await page.getByRole('button', { name: 'Drop' }).click();
      await page.getByText('Drop ends the series').waitFor();
    },
  );

  testInFull(
    'dates follow the region of the browser or the choice of the person, in every place; a chosen theme is there before the app is',
    async () => {
      const person = await signIn(web.app, 'reads@example.org');
      await person.ask('PATCH', '/v1/me', { timezone: 'Europe/Amsterdam', day_start: '07:30' });
      const task = { title: 'pills', due_at: '2026-03-12T18:30:00', has_time: true };
      const rule = { freq: 'daily', by_time: ['08:00', '18:30'] };
      const { id } = (await person.ask('POST', '/v1/tasks', { ...task, recurrence: rule })).body.data;
      const visitor = await web.open({ locale: 'en-US', colorScheme: 'light', ...PHONE });
      const { page } = visitor;
      await openAppAs(visitor, person.sessionToken, `/app/tasks/${id}`);
      await page.getByText('Thu, Mar 12 at 6:30 PM').first().waitFor();
      await page.getByText('at 8:00 AM and 6:30 PM').first().waitFor();
      await page.getByRole('button', { name: 'Snooze', exact: true }).click();
      // The same morning as in the words of a new task.
      await page.getByText('tomorrow at 7:30 AM').waitFor();
      await page.keyboard.press('Escape');
      await goTo(page, 'Today');
      await add(page).fill('water plants tomorrow morning');
      await page.getByText('tomorrow at 7:30 AM').waitFor();
      await add(page).fill('');
      await goToSettings(page, 'You and this app');
      await page.getByText('For example: Thu, Dec 31, 2026 at 7:30 PM').waitFor();
      await page.getByLabel('Clock').selectOption('24 hours');
      await page.getByLabel('Dates', { exact: true }).selectOption('Day before month');
      await page.getByText(/For example: Thu,? 31 Dec 2026 at 19:30/).waitFor();
      await page.getByLabel('Colours').selectOption('Dark');
      await look(page, 'kept-settings-dark');
      const paper = 'getComputedStyle(document.body).backgroundColor';
      assert.equal(await page.evaluate(paper), 'rgb(21, 18, 14)');
      // Without the app itself: the script in the head alone has set it.
      await page.route('**/assets/*.js', (route) => route.abort());
      await page.goto(`/app/tasks/${id}`);
      assert.equal(await page.evaluate(paper), 'rgb(21, 18, 14)');
      await page.unroute('**/assets/*.js');
      await page.reload();
      await page
        .getByText(/Thu,? 12 Mar at 18:30/)
        .first()
        .waitFor();
      await goToSettings(page, 'You and this app');
      await page.getByLabel('Colours').selectOption('As in the system');
      assert.equal(await page.evaluate(paper), 'rgb(247, 243, 236)');
      await look(page, 'kept-settings-light');
    },
  );
});
