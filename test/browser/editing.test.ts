import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { look } from '../support/accessibility.ts';
import { browserTests, followLink, goTo, openAppAs, openList } from '../support/browser.ts';
import { isInView } from '../support/keyboard.ts';
import { signIn } from '../support/people.ts';
import { testInFull } from '../support/size.ts';
import { findStoredTask, waitForStoredTask } from '../support/stored-task.ts';

/** The task is due on Tuesday 3 March 2026 at 18:00; clocks go forward on the 29th. */
const RULES: [recurrence: object, words: string, dates: string[]][] = [
  [{ freq: 'hourly', interval: 8 }, 'every 8 hours', ['Wed, 4 Mar 2026, 02:00', 'Wed, 4 Mar 2026, 10:00']],
  [
    { freq: 'hourly', interval: 6, from: 'completion', between: ['08:00', '22:00'], per_day: 3 },
    'every 6 hours, between 08:00 and 22:00, at most 3 a day, after completion',
    ['Wed, 4 Mar 2026, 08:00', 'Wed, 4 Mar 2026, 14:00', 'Wed, 4 Mar 2026, 20:00', 'Thu, 5 Mar 2026, 08:00'],
  ],
  [
    { freq: 'monthly', by_weekday: ['2su', '-1fr'] },
    'on the 2nd Sunday and last Friday of every month',
    ['Sun, 8 Mar 2026, 18:00', 'Fri, 27 Mar 2026, 18:00', 'Sun, 12 Apr 2026, 18:00'],
  ],
  [
    { rrule: 'FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1' },
    'on the last working day of every month',
    ['Tue, 31 Mar 2026, 18:00', 'Thu, 30 Apr 2026, 18:00'],
  ],
];

const isSaveInView = (page: Page) => isInView(page.getByRole('button', { name: 'Save' }));

browserTests('postgres', {}, (web) => {
  async function openEditor(email: string, title: string, options: BrowserContextOptions = {}): Promise<Page> {
    const person = await signIn(web.app, email);
    await person.ask('PATCH', '/v1/me', { timezone: 'Europe/Amsterdam' });
    const tomorrow = { due_at: '2026-03-03T18:00:00', has_time: true };
    const { id } = (await person.ask('POST', '/v1/tasks', { title, ...tomorrow })).body.data;
    const visitor = await web.open(options);
    await openAppAs(visitor, person.sessionToken, `/app/tasks/${id}`);
    await visitor.page.getByRole('button', { name: 'Edit' }).click();
    return visitor.page;
  }

  testInFull(
    'a repeat that ends before it starts is refused while it can still be corrected; Esc or a click beside the editor never discards an edit without asking',
    async () => {
      const page = await openEditor('slips@example.org', 'water the plants');
      await page.getByLabel('Repeat', { exact: true }).selectOption('monthly');
      await page.getByRole('button', { name: 'Add day' }).click();
      await page.getByLabel('Which').selectOption({ label: 'last' });
      await page.getByRole('button', { name: 'Add day' }).click();
      await page.getByText('It repeats on the 1st and last day of every month.').waitFor();
      await page.getByRole('button', { name: 'Save' }).click();
      const { recurrence } = await waitForStoredTask(web.app, 'water the plants', (task) => task.recurrence !== null);
      assert.deepEqual(recurrence, { freq: 'monthly', by_month_day: [1, -1] });

      await page.getByRole('button', { name: 'Edit' }).click();
      await page.getByLabel('Repeat', { exact: true }).selectOption('daily');
      await page.getByLabel('Last day').fill('2026-03-02');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('It ends before it starts.').waitFor();
      assert.deepEqual((await findStoredTask(web.app, 'water the plants'))?.recurrence, recurrence);
      await page.getByLabel('Last day').fill('2026-03-03');
      await page.getByRole('button', { name: 'Save' }).click();
      const isChanged = (task: { recurrence: unknown }) => !isDeepStrictEqual(task.recurrence, recurrence);
      const daily = await waitForStoredTask(web.app, 'water the plants', isChanged);
      assert.deepEqual(daily.recurrence, { freq: 'daily', until: '2026-03-03' });
      await goTo(page, 'Today');
      await openList(page, 'Upcoming');
      await page.getByRole('listitem').filter({ hasText: 'water the plants' }).getByText('repeats').waitFor();

      await page.getByRole('link', { name: 'water the plants' }).click();
      await page.getByRole('button', { name: 'Edit' }).click();
      const notes = page.getByLabel('Notes', { exact: true });
      const asked = page.getByRole('heading', { name: 'Discard your changes?' });
      await notes.waitFor();
      // Nothing was typed yet, so there is nothing to ask.
      await page.keyboard.press('Escape');
      await notes.waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Edit' }).click();
      await notes.fill('a litre each');

      await page.mouse.click(5, 450);
      await asked.waitFor();
      await page.getByRole('button', { name: 'Keep editing' }).click();
      await asked.waitFor({ state: 'detached' });
      // A browser may close a dialog by force when Esc is pressed again and again.
      for (let round = 0; round < 3; round += 1) {
        await page.keyboard.press('Escape');
        await asked.waitFor();
        await page.keyboard.press('Escape');
        await asked.waitFor({ state: 'detached' });
      }
      assert.equal(await notes.inputValue(), 'a litre each');
      await page.getByRole('button', { name: 'Save' }).click();
      await waitForStoredTask(web.app, 'water the plants', (task) => task.notes === 'a litre each');

      await page.getByRole('button', { name: 'Edit' }).click();
      await notes.fill('two litres each');
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Discard' }).click();
      await notes.waitFor({ state: 'detached' });
      assert.equal((await findStoredTask(web.app, 'water the plants'))?.notes, 'a litre each');
    },
  );

  testInFull(
    'every rule is shown in words with its next dates, and stays as it is when another field is saved',
    async () => {
      const person = await signIn(web.app, 'rules@example.org');
      await person.ask('PATCH', '/v1/me', { timezone: 'Europe/Amsterdam' });
      const due = { due_at: '2026-03-03T18:00:00', has_time: true };
      const visitor = await web.open();
      const { page } = visitor;
      // A task for each rule, all there before the page loads: an editor that is open keeps the rule it was opened with.
      const paths: string[] = [];
      for (const [recurrence, words] of RULES) {
        const { id } = (await person.ask('POST', '/v1/tasks', { title: words, ...due, recurrence })).body.data;
        paths.push(`/app/tasks/${id}`);
      }
      await openAppAs(visitor, person.sessionToken, paths[0]);
      const next = page.getByRole('region', { name: 'Next dates' }).getByRole('listitem');
      for (const [index, [recurrence, words, dates]] of RULES.entries()) {
        if (index > 0) await followLink(page, paths[index] ?? '');
        await page.getByRole('heading', { name: words, level: 1, exact: true }).waitFor();
        await page.getByRole('button', { name: 'Edit' }).click();
        await page.getByText(`It repeats ${words}.`, { exact: true }).waitFor();
        await next.nth(4).waitFor();
        assert.deepEqual((await next.allTextContents()).slice(0, dates.length), dates, words);
        await page.getByLabel('Notes', { exact: true }).fill('with water');
        // The dialog is longer than the window, and Save is in view without scrolling.
        assert.ok(await isSaveInView(page));
        await page.getByRole('button', { name: 'Save' }).click();
        const stored = await waitForStoredTask(web.app, words, ({ notes }) => notes === 'with water');
        assert.deepEqual(stored.recurrence, recurrence);
        await next.first().waitFor({ state: 'detached' });
      }
      // 200 % zoom halves the window.
      await page.setViewportSize({ width: 320, height: 380 });
      await page.getByRole('button', { name: 'Edit' }).click();
      await page.getByText('It repeats').waitFor();
      assert.ok(await isSaveInView(page));
      await look(page, 'repeat-editor-zoomed');
    },
  );

  testInFull(
    'small numbers are stepped by finger, arrow keys or typing, and weekdays and times are as the person reads them',
    async () => {
      const phone = { viewport: { width: 390, height: 844 }, locale: 'en-US' };
      const page = await openEditor('steps@example.org', 'stretch', phone);
      const number = (name: string) => page.getByRole('spinbutton', { name, exact: true });
      const press = (name: string) => page.getByRole('button', { name, exact: true });
      await page.getByLabel('Repeat', { exact: true }).selectOption('weekly');
      const days = page.getByRole('group', { name: 'On', exact: true }).locator('[aria-hidden]');
      assert.deepEqual(await days.allInnerTexts(), ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']);
      for (const day of ['Sunday', 'Monday']) await press(day).click();

      assert.ok(await press('Less: Every').isDisabled());
      await press('More: Every').click();
      await page.getByText('It repeats every other week').waitFor();
      assert.equal(
        await number('Every').evaluate(
          (field) => field.ownerDocument.getElementById(field.getAttribute('aria-describedby') ?? '')?.textContent,
        ),
        'weeks',
      );
      await number('Every').fill('');
      assert.equal(await number('Every').inputValue(), '', 'a field can be emptied to type another number');
      await page.keyboard.type('11');
      await page.keyboard.press('ArrowDown');
      await page.getByText('It repeats every 10 weeks').waitFor();
      await press('More: Times in all').click();
      assert.equal(await number('Times in all').inputValue(), '1');
      await press('Less: Times in all').click();
      assert.equal(await number('Times in all').inputValue(), '');
      for (let day = 0; day <= 4; day += 1) await press('More: Heads-up').click();
      await page.getByText('4 days before').waitFor();
      await page.getByLabel('Another time').fill('20:00');
      await press('Add time').click();
      await press('Remove 6:00 PM').waitFor();
      await press('Remove 8:00 PM').click();
      for (const name of ['More: Every', 'Less: Every', 'More: Heads-up', 'Sunday']) {
        const box = await press(name).boundingBox();
        assert.ok(box && box.width >= 44 && box.height >= 44, `${name} is ${box?.width} by ${box?.height}`);
      }
      await number('Every').scrollIntoViewIfNeeded();
      await look(page, 'stepper-phone-light');
      await page.emulateMedia({ colorScheme: 'dark' });
      await page.setViewportSize({ width: 1280, height: 900 });
      await look(page, 'stepper-desktop-dark');
      await press('Save').click();
      const { recurrence, lead_time_days } = await waitForStoredTask(
        web.app,
        'stretch',
        (task) => task.recurrence !== null,
      );
      assert.deepEqual(
        [recurrence, lead_time_days],
        [{ freq: 'weekly', interval: 10, by_weekday: ['mo', 'su'], by_time: ['18:00'] }, 4],
      );

      // The choice of the person comes before the custom of the region. The editor keeps the rule it was opened with, so
      // the page has to show the stored one before.
      await number('Every').waitFor({ state: 'detached' });
      const shownRule = page.getByText('every 10 weeks').first();
      await shownRule.waitFor();
      await page.evaluate("localStorage.setItem('crescendo-week', '6')");
      await page.reload();
      await shownRule.waitFor();
      await page.getByRole('button', { name: 'Edit' }).click();
      await days.first().waitFor();
      assert.deepEqual((await days.allInnerTexts())[0], 'Sat');
    },
  );

  test('another time of a twice-a-day task asks whether it is meant for this dose or for all from here', async () => {
    const page = await openEditor('doses@example.org', 'drops');
    const set = async (time: string, choice: string) => {
      await page.getByRole('button', { name: 'Edit' }).click();
      await page.getByLabel('Time', { exact: true }).fill(time);
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('heading', { name: 'Change this one, or all from here?' }).waitFor();
      await page.getByRole('button', { name: choice }).click();
    };
    await page.getByLabel('Repeat', { exact: true }).selectOption('daily');
    await page.getByLabel('Another time').fill('08:00');
    await page.getByRole('button', { name: 'Add time' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    const twice = { freq: 'daily', by_time: ['08:00', '18:00'] };
    assert.deepEqual((await waitForStoredTask(web.app, 'drops', (task) => task.recurrence !== null)).recurrence, twice);

    await set('19:00', 'Only this one');
    const isDueAt = (at: string) => (task: { due_at: unknown }) => String(task.due_at) === at;
    const moved = await waitForStoredTask(web.app, 'drops', isDueAt('2026-03-03T18:00:00.000Z'));
    assert.deepEqual(moved.recurrence, twice);
    await set('18:00', 'Only this one');
    await waitForStoredTask(web.app, 'drops', isDueAt('2026-03-03T17:00:00.000Z'));
    await set('20:30', 'All from here');
    const all = await waitForStoredTask(web.app, 'drops', isDueAt('2026-03-03T19:30:00.000Z'));
    assert.deepEqual(all.recurrence, { freq: 'daily', by_time: ['08:00', '20:30'] });
  });

  testInFull('an edit that the service refuses is kept, and opens again as it was typed', async () => {
    const page = await openEditor('refused@example.org', 'gym');
    web.proxy.cut();
    await page.getByLabel('Notes', { exact: true }).fill('bring a towel');
    await page.getByLabel('Time').fill('19:30');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('1 change not synced yet').waitFor();
    // The date of a closed task cannot be changed.
    const person = await signIn(web.app, 'refused@example.org');
    const { id } = await waitForStoredTask(web.app, 'gym');
    await person.ask('POST', `/v1/tasks/${id}/complete`);
    web.proxy.restore();
    await web.advance('1m');
    await page.getByRole('alert').getByText('Not applied').waitFor();
    await goTo(page, 'Today');
    await page.getByRole('alert').getByRole('button', { name: 'Edit again' }).click();
    assert.equal(await page.getByLabel('Notes', { exact: true }).inputValue(), 'bring a towel');
    assert.equal(await page.getByLabel('Time').inputValue(), '19:30');
    await person.ask('POST', `/v1/tasks/${id}/reopen`);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').waitFor({ state: 'detached' });
    const saved = await waitForStoredTask(web.app, 'gym', ({ notes }) => notes === 'bring a towel');
    assert.equal(saved.due_at, '2026-03-03T18:30:00.000Z');
  });
});
