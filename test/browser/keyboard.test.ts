/**
 * The commonest jobs with the keyboard alone. Each control is reached by Tab, as a person without a pointer reaches
 * it, and is found by the role and the name that a screen reader says. `docs/accessibility.md` describes the walks.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { screenStrings } from '../../web/src/screen-strings.ts';
import { strings } from '../../web/src/strings.ts';
import { closeBrowser, mailedCode, pauseClock, startWebTestApp, type WebTestApp } from '../support/browser.ts';
import { onSomeEngine } from '../support/engines.ts';
import { isInView, Keyboard } from '../support/keyboard.ts';
import { signIn } from '../support/people.ts';
import { findStoredTask, waitForStoredTask } from '../support/stored-task.ts';
import { waitUntil } from '../support/wait-until.ts';

const EMAIL = 'keyboard@example.org';
const TITLE = 'call Grace';

after(closeBrowser);

onSomeEngine('sqlite', (engine) => {
  let web: WebTestApp;
  let keys: Keyboard;
  let page: Page;
  before(async () => {
    web = await startWebTestApp(engine);
    ({ page } = await web.open());
    keys = new Keyboard(page);
    await page.goto('/app');
  });
  after(() => web[Symbol.asyncDispose]());

  const toToday = async () => {
    await keys.press('link', strings.nav.today);
    await keys.heading(strings.today.title);
  };

  /** The jobs follow each other, as on one morning: each starts where the one before it ended. */
  let isReady = true;
  const job = (name: string, run: () => Promise<void>) =>
    test(name, async () => {
      assert.ok(isReady, 'the job before it failed');
      isReady = false;
      await run();
      isReady = true;
    });

  job('1. a person signs in', async () => {
    await keys.reach('textbox', strings.signIn.email);
    await page.keyboard.type(EMAIL);
    await page.keyboard.press('Enter');
    await keys.reach('textbox', strings.signIn.code);
    await page.keyboard.type(mailedCode(web.app, EMAIL));
    await page.keyboard.press('Enter');
    await keys.heading(strings.today.title);
  });

  job('2. a person adds a task', async () => {
    await page.keyboard.press('n');
    await keys.reach('textbox', strings.add.label);
    await page.keyboard.type(`${TITLE} at 23:00`);
    await page.getByText(strings.add.understood).waitFor();
    await page.keyboard.press('Enter');
    await waitForStoredTask(web.app, TITLE);
  });

  job('3. a person snoozes a task, and the focus returns to its row', async () => {
    await keys.press('button', strings.task.snoozeNamed(TITLE));
    await keys.heading(screenStrings.snooze.title);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await keys.expectFocus(strings.task.snoozeNamed(TITLE));
    await page.keyboard.press('Enter');
    // The name goes on with the time that it means.
    await keys.reach('button', new RegExp(`^${screenStrings.snooze.hour}`));
    // So that Undo stays.
    await pauseClock(page);
    await page.keyboard.press('Enter');
    await page.getByText('snoozed until').waitFor();
  });

  job('4. a person takes the snooze back', async () => {
    await keys.press('button', strings.undo);
    await page.getByText('snoozed until').waitFor({ state: 'detached' });
    await page.clock.resume();
    assert.equal((await findStoredTask(web.app, TITLE))?.deferred_until, null);
  });

  job('5. a person reads when a task will nudge, as a list', async () => {
    await keys.press('link', TITLE);
    await keys.heading(TITLE);
    await keys.expectFocus(TITLE);
    await keys.reach('region', strings.detail.ladder);
    // Nothing reaches this person yet, and the ladder says so.
    await page.keyboard.press('Tab');
    await keys.expectFocus(screenStrings.reach.silentLink);
    await page.keyboard.press('Tab');
    await keys.expectFocus(strings.detail.tableToggle);
    await page.keyboard.press('Enter');
    const { when, what, how } = strings.detail.tableHead;
    for (const name of [when, what, how]) await page.getByRole('columnheader', { name, exact: true }).waitFor();
    assert.ok((await page.getByRole('row').count()) > 2);
  });

  job('6. a person moves a task to another time', async () => {
    await keys.press('button', strings.detail.edit);
    await keys.heading(screenStrings.editor.title);
    await keys.reachField(screenStrings.editor.time);
    // The hour comes first in the field; its figures depend on the region of the browser.
    await page.keyboard.press('ArrowDown');
    await keys.press('button', strings.save);
    await waitForStoredTask(web.app, TITLE, ({ due_at }) => due_at === '2026-03-02T21:00:00.000Z');
  });

  job('7. a person finishes a task', async () => {
    await toToday();
    await keys.press('button', strings.task.doneNamed(TITLE));
    await page.getByRole('status').getByText(strings.task.confirmation.complete(TITLE)).waitFor();
    await waitForStoredTask(web.app, TITLE, ({ status }) => status === 'done');
  });

  job('8. a person drops a task, after being asked', async () => {
    await page.keyboard.press('n');
    await page.keyboard.type('paint the fence today');
    await page.getByText(strings.add.understood).waitFor();
    await page.keyboard.press('Enter');
    await waitForStoredTask(web.app, 'paint the fence');
    await keys.press('link', 'paint the fence');
    await keys.heading('paint the fence');
    await keys.press('button', strings.task.drop);
    await keys.heading(strings.detail.dropSure);
    await keys.press('button', strings.task.drop, true);
    await waitForStoredTask(web.app, 'paint the fence', ({ status }) => status === 'dropped');
  });

  job('9. a person creates a space and a link that invites to it', async () => {
    await keys.press('link', strings.nav.spaces);
    await keys.heading(screenStrings.spaces.title);
    await keys.press('button', screenStrings.spaces.create);
    await keys.reach('textbox', screenStrings.spaces.name);
    await page.keyboard.type('Home');
    await page.keyboard.press('Enter');
    await keys.heading('Home');
    await keys.press('button', screenStrings.spaces.invite);
    await keys.press('button', screenStrings.spaces.inviteMake);
    await keys.reachField(screenStrings.spaces.inviteLink);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  job('10. a person sets quiet hours', async () => {
    await keys.press('link', strings.nav.settings);
    await keys.heading(screenStrings.settings.title);
    const { title, lead } = screenStrings.settings.parts.reminders;
    await keys.press('link', `${title} ${lead}`);
    await keys.heading(title);
    await keys.reach('switch', screenStrings.settings.quiet);
    await page.keyboard.press('Space');
    await keys.reachField(screenStrings.settings.quietFrom);
    await page.keyboard.press('ArrowDown');
    await keys.reachField(screenStrings.settings.quietTo);
    await waitUntil(async () => {
      const users = web.app.db.selectFrom('users').select('quiet_hours_start').where('email', '=', EMAIL);
      return (await users.executeTakeFirst())?.quiet_hours_start === '21:00';
    });
  });

  job('11. a person rejects what was understood, and takes the other reading of a guess', async () => {
    await toToday();
    await page.keyboard.press('n');
    await page.keyboard.type('wendsday at 4 haircut #hair !!');
    await page.getByText(strings.add.mustNotMiss).waitFor();
    await keys.press('button', strings.add.notMeant(strings.add.mustNotMiss));
    await page.locator('[data-part=mustNotMiss]').waitFor({ state: 'detached' });
    await keys.expectFocusIn(strings.add.label);
    await keys.press('button', screenStrings.quickAdd.instead('Wednesday at 04:00'));
    await keys.expectFocusIn(strings.add.label);
    await page.getByText('Wednesday at 04:00', { exact: true }).waitFor();
    await keys.press('button', screenStrings.quickAdd.asBefore);
    await page.getByText('Wednesday at 16:00', { exact: true }).waitFor();
    await page.keyboard.press('Enter');
    // What was not meant is part of the title.
    const task = await waitForStoredTask(web.app, 'haircut !!');
    assert.deepEqual([task.due_at, task.kind, task.break_quiet_hours], ['2026-03-04T15:00:00.000Z', 'hair', false]);
  });

  /** A dialog as high as this scrolls, and Save has to be in view all the time. */
  const openEditor = async (title: string) => {
    await page.setViewportSize({ width: 390, height: 844 });
    await keys.press('link', title);
    await keys.heading(title);
    await keys.press('button', strings.detail.edit);
    await keys.heading(screenStrings.editor.title);
  };
  const next = () => page.getByRole('region', { name: screenStrings.repeat.next }).getByRole('listitem');
  const save = async () => {
    assert.ok(await isInView(page.getByRole('button', { name: strings.save })), 'Save is out of view');
    await keys.press('button', strings.save);
  };
  const { repeat } = screenStrings;

  job('12. a person repeats a task after each dose, in hours of the day, at most so often, until a day', async () => {
    const person = await signIn(web.app, EMAIL);
    const due = { due_at: '2026-03-02T23:30:00', has_time: true };
    for (const title of ['antibiotic', 'lunch']) await person.ask('POST', '/v1/tasks', { title, ...due });
    await openEditor('antibiotic');
    await keys.choose(screenStrings.editor.repeat, repeat.freq.hourly);
    await keys.fill(repeat.interval, '8');
    await keys.reach('switch', screenStrings.editor.afterDone);
    await page.keyboard.press('Space');
    await keys.fillTime(repeat.notBefore, '08:00');
    await keys.fillTime(repeat.notAfter, '22:00');
    await keys.fill(repeat.perDay, '3');
    // The same date whichever of day and month comes first.
    await keys.fill(screenStrings.editor.ends, '04042026');
    const words = 'every 8 hours, between 08:00 and 22:00, at most 3 a day, until 4 Apr 2026, after completion';
    await page.getByText(repeat.inWords(words), { exact: true }).waitFor();
    const dates = ['Tue, 3 Mar 2026, 08:00', 'Tue, 3 Mar 2026, 16:00', 'Wed, 4 Mar 2026, 08:00'];
    // The dates of the rule as typed come a moment after its words.
    await waitUntil(async () => (await next().allTextContents())[0] === dates[0]);
    assert.deepEqual((await next().allTextContents()).slice(0, 3), dates);
    await save();
    const rule = { freq: 'hourly', interval: 8, between: ['08:00', '22:00'], per_day: 3, from: 'completion' };
    const { recurrence } = await waitForStoredTask(web.app, 'antibiotic', (task) => task.recurrence !== null);
    assert.deepEqual(recurrence, { ...rule, until: '2026-04-04' });
  });

  job('13. a person repeats a task on the second and the last Sunday, so many times', async () => {
    await toToday();
    await openEditor('lunch');
    await keys.choose(screenStrings.editor.repeat, repeat.freq.monthly);
    await keys.choose(repeat.what, strings.repeat.weekdays[6] ?? '');
    await keys.choose(repeat.which, strings.repeat.ordinal(-1), 'Shift+Tab');
    await keys.press('button', repeat.addDay);
    await keys.choose(repeat.which, strings.repeat.ordinal(2), 'Shift+Tab');
    await keys.press('button', repeat.addDay);
    await keys.fill(repeat.count, '6');
    await waitUntil(async () => (await next().first().textContent())?.startsWith('Sun, 8 Mar') === true);
    const dates = ['Sun, 8 Mar 2026', 'Sun, 29 Mar 2026', 'Sun, 12 Apr 2026', 'Sun, 26 Apr 2026', 'Sun, 10 May 2026'];
    assert.deepEqual(
      await next().allTextContents(),
      dates.map((date) => `${date}, 23:30`),
    );
    await save();
    const { recurrence } = await waitForStoredTask(web.app, 'lunch', (task) => task.recurrence !== null);
    assert.deepEqual(recurrence, { freq: 'monthly', by_weekday: ['-1su', '2su'], count: 6 });
  });

  job('14. a person moves one date of a series, or all from there', async () => {
    for (const [choice, hour] of [
      [screenStrings.editor.onlyThis, '21'],
      [screenStrings.editor.allFromHere, '20'],
    ] as const) {
      await keys.press('button', strings.detail.edit);
      await keys.reachField(screenStrings.editor.time);
      await page.keyboard.press('ArrowDown');
      await save();
      await keys.heading(screenStrings.editor.whichTitle);
      await keys.press('button', choice, true);
      await waitForStoredTask(web.app, 'lunch', ({ due_at }) => String(due_at).includes(`T${hour}:30`));
    }
  });

  job('15. a person goes to a date of Upcoming, and on from there', async () => {
    const person = await signIn(web.app, EMAIL);
    const daily = { due_at: '2026-03-03T09:00:00', has_time: true, recurrence: { freq: 'daily' } };
    await person.ask('POST', '/v1/tasks', { title: 'stretch', ...daily });
    await toToday();
    await keys.press('link', strings.lists.upcoming);
    await keys.heading(strings.lists.upcoming);
    await page.getByRole('link', { name: 'stretch' }).first().waitFor();
    await keys.fill(screenStrings.upcoming.jump, '04042026');
    await page.keyboard.press('Enter');
    await page.getByText(screenStrings.upcoming.reached('Saturday, 4 April')).waitFor();
    await keys.expectFocus('stretch');
    await page.getByRole('heading', { name: 'Saturday, 4 April', level: 2 }).waitFor();
    await page.keyboard.press('Tab');
    await keys.expectFocus('stretch');
    await page.keyboard.press('Enter');
    await keys.heading('stretch');
  });
});
