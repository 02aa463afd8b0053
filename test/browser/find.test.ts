/** Finding tasks, and handling many of them at once. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { browserTests, dueToday, openList, openTodayAs, openTodayWith } from '../support/browser.ts';
import { openSession } from '../support/people.ts';
import { waitUntilAppIsCached } from '../support/service-worker.ts';
import { testInFull } from '../support/size.ts';
import { findStoredTask, waitForStoredTask } from '../support/stored-task.ts';
import { waitUntil } from '../support/wait-until.ts';

browserTests('sqlite', {}, (web) => {
  const expectRows = async (page: Page, titles: readonly string[]) => {
    const links = page.locator('[data-task] a');
    await links.nth(titles.length - 1).waitFor();
    await waitUntil(async () => (await links.allInnerTexts()).join() === titles.join());
  };
  const expectFocus = (page: Page, title: string) =>
    waitUntil(async () => (await page.evaluate('document.activeElement.textContent')) === title);
  const statuses = async (...titles: string[]) =>
    (await Promise.all(titles.map((title) => findStoredTask(web.app, title)))).map((task) => task?.status);

  test('a task is found by keyboard alone, in titles, notes, labels and spaces, offline too', async () => {
    const tasks = [
      { title: 'Pay the landlord', notes: 'the rent', ...dueToday('23:00') },
      { title: 'Rent a van', ...dueToday('23:10') },
      { title: 'Ring Zoë', kind: 'friends' },
    ];
    const { page, errors, person } = await openTodayWith(web, 'seeker@example.org', tasks, { serviceWorkers: 'allow' });
    const space = (await person.ask('POST', '/v1/spaces', { name: 'Allotment' })).body.data;
    await person.ask('POST', '/v1/tasks', { title: 'Mow the lawn', space_id: space.id });
    const snoozed = (await person.ask('POST', '/v1/tasks', { title: 'Wash the car', ...dueToday('23:20') })).body.data;
    await person.ask('POST', `/v1/tasks/${snoozed.id}/snooze`, { until: '2026-03-03T08:00:00Z' });
    await page.reload();
    await page.getByRole('link', { name: 'Rent a van' }).waitFor();
    await page.locator('body').press('/');
    const field = page.getByLabel('Search tasks');
    const options = page.getByRole('option');
    await field.fill('rent');
    await waitUntil(async () => (await options.count()) === 2);
    assert.match((await options.allInnerTexts()).join(), /^Rent a van.*Pay the landlord/s);
    await field.fill('car');
    // Not when it was due.
    await page.getByRole('option', { name: /^Wash the car.*snoozed until tomorrow at 09:00/s }).waitFor();
    await waitUntilAppIsCached(page);
    web.proxy.cut();
    for (const [words, title] of [
      ['zoe', 'Ring Zoë'],
      ['FRIENDS', 'Ring Zoë'],
      ['allot', 'Mow the lawn'],
    ] as const) {
      await field.fill(words);
      await page.getByText('1 task', { exact: true }).waitFor();
      await page.getByRole('option', { name: title }).waitFor();
    }
    await field.fill('nowhere');
    await page.getByText('Nothing found').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await field.fill('rent');
    await page.keyboard.press('ArrowDown');
    await page.getByRole('option', { name: 'Pay the landlord', selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Pay the landlord', level: 1 }).waitFor();
    web.proxy.restore();
    assert.deepEqual(
      errors.filter((error) => !error.includes('ERR_')),
      [],
    );
  });

  test('Today, Upcoming and Someday are apart, and filters are part of the address', async () => {
    const { page } = await openTodayWith(web, 'lists@example.org', [
      { title: 'Take out the bins', ...dueToday('21:00'), recurrence: { freq: 'weekly' } },
      { title: 'Pay for the phone', ...dueToday('22:00'), kind: 'bill' },
      { title: 'Pay the rent', due_at: '2026-03-03T09:00:00+01:00', has_time: true, kind: 'bill' },
      { title: 'Learn to sail' },
    ]);
    await page.getByRole('link', { name: 'Pay for the phone' }).waitFor();
    await expectRows(page, ['Take out the bins', 'Pay for the phone']);
    // All three lists are behind one entry of the main navigation.
    const entry = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Today' });
    assert.equal(await entry.getAttribute('aria-current'), 'page');
    await openList(page, 'Someday');
    await expectRows(page, ['Learn to sail']);
    assert.equal(await entry.getAttribute('aria-current'), 'true');
    await openList(page, 'Upcoming');
    await expectRows(page, ['Pay the rent']);
    assert.equal(await entry.getAttribute('aria-current'), 'true');
    await openList(page, 'Today');
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.getByRole('button', { name: 'Repeating' }).click();
    await page.waitForURL(/repeating=true/);
    await expectRows(page, ['Take out the bins']);
    await page.getByRole('button', { name: 'Repeating' }).click();
    await page.getByLabel('Label', { exact: true }).selectOption('bill');
    await page.waitForURL(/kind=bill/);
    await expectRows(page, ['Pay for the phone']);
    // The filter holds on the other lists, and after a look at a task.
    await openList(page, 'Upcoming');
    await page.getByRole('link', { name: 'Pay the rent' }).click();
    await page.getByRole('heading', { name: 'Pay the rent', level: 1 }).waitFor();
    await page.getByRole('link', { name: 'Upcoming' }).click();
    await page.waitForURL(/upcoming\?kind=bill/);
    await page.goBack();
    await page.reload();
    await expectRows(page, ['Pay for the phone']);
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByRole('link', { name: 'Take out the bins' }).waitFor();
  });

  test('many tasks are selected with Shift and handled at once, and one Undo takes all of it back; a label is coloured and renamed for all its tasks', async () => {
    const names = ['one', 'two', 'three', 'four', 'five'];
    const { page, errors, person } = await openTodayWith(
      web,
      'many@example.org',
      names.map((name, index) => ({ title: `bulk ${name}`, ...dueToday(`23:0${index}`) })),
    );
    const box = (name: string) => page.getByRole('checkbox', { name: `Select: bulk ${name}` });
    const selectMiddle = async () => {
      await page.getByRole('button', { name: 'Select', exact: true }).click();
      await box('two').click();
      await box('four').click({ modifiers: ['Shift'] });
      await page.getByRole('status').getByText('3 selected').waitFor();
    };
    await page.getByRole('link', { name: 'bulk five' }).waitFor();
    await selectMiddle();
    await page.getByRole('button', { name: 'Done', exact: true }).click();
    await page.getByText('3 tasks done').waitFor();
    await waitUntil(async () => (await statuses('bulk two', 'bulk three', 'bulk four')).every((s) => s === 'done'));
    await expectRows(page, ['bulk one', 'bulk five']);
    await page.keyboard.press('Control+z');
    await page.getByRole('link', { name: 'bulk three' }).waitFor();
    await waitUntil(async () => (await statuses('bulk two', 'bulk three', 'bulk four')).every((s) => s === 'open'));

    await selectMiddle();
    await page.getByRole('button', { name: 'Reschedule' }).click();
    await page.getByLabel('Day', { exact: true }).fill('2026-03-01');
    await page.getByRole('button', { name: 'Move to this day' }).click();
    await page.getByText('That day has passed.').waitFor();
    await page.getByLabel('Day', { exact: true }).fill('2026-03-05');
    await page.getByRole('button', { name: 'Move to this day' }).click();
    await page.getByText('3 tasks rescheduled').waitFor();
    await expectRows(page, ['bulk one', 'bulk five']);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('link', { name: 'bulk three' }).waitFor();
    await selectMiddle();
    await page.getByRole('button', { name: 'Drop' }).click();
    await page.locator('dialog').getByRole('button', { name: 'Drop' }).click();
    await waitUntil(async () => (await statuses('bulk two', 'bulk three', 'bulk four')).every((s) => s === 'dropped'));
    assert.equal((await findStoredTask(web.app, 'bulk three'))?.due_at, '2026-03-02T22:02:00.000Z');
    assert.deepEqual(await statuses('bulk one', 'bulk five'), ['open', 'open']);

    for (const title of ['pay gas', 'pay water'])
      await person.ask('POST', '/v1/tasks', { title, ...dueToday('23:30'), kind: 'bils' });
    await page.getByRole('link', { name: 'pay water' }).waitFor();
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.getByRole('button', { name: 'Labels' }).click();
    await page.getByRole('group', { name: 'Colour of bils' }).getByTitle('Purple').click();
    await page.getByLabel('New name for bils').fill('bills');
    await page.getByRole('button', { name: 'Rename bils' }).click();
    await page.getByText('2 tasks labelled “bills”').waitFor();
    await page.getByRole('radio', { name: 'Purple', checked: true }).waitFor();
    await page.keyboard.press('Escape');
    await waitUntil(async () => (await page.locator('[data-task]').getByText('bills').count()) === 2);
    await web.advance('1m');
    await waitUntil(async () => {
      const rows = await web.app.db.selectFrom('tasks').select('kind').where('title', 'like', 'pay %').execute();
      return rows.filter(({ kind }) => kind === 'bills').length === 2;
    });
    const { data: colours } = (await person.ask('GET', '/v1/labels')).body;
    assert.deepEqual(
      colours.find(({ label }: { label: string }) => label === 'bills'),
      { label: 'bills', colour: 'purple' },
    );
    assert.deepEqual(errors, []);
  });

  testInFull(
    'the account has the colours of labels: taken over from a browser once, told to the others, sent later if offline',
    async () => {
      const tasks = [
        { title: 'pay gas', ...dueToday('23:30'), kind: 'bill' },
        { title: 'pills', ...dueToday('23:40'), kind: 'health' },
      ];
      const { page, person } = await openTodayWith(web, 'painter@example.org', tasks);
      const stored = async () => {
        const { body } = await person.ask('GET', '/v1/labels');
        return body.data.map(({ label, colour }: Record<string, string>) => `${label} ${colour}`).join();
      };
      await person.ask('PUT', '/v1/labels', { labels: [{ label: 'bill', colour: 'red' }] });
      // As the browser kept them: a number for each label, and one of the palette.
      const numberOf = (label: string) =>
        [...label].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 2_147_483_647, 0);
      const kept = JSON.stringify({ [numberOf('bill')]: 4, [numberOf('health')]: 3 });
      await page.evaluate(`localStorage.setItem('crescendo-label-colours', '${kept}')`);
      await page.reload();
      await waitUntil(async () => (await stored()) === 'bill red,health purple');
      await waitUntil(async () => (await page.evaluate("localStorage.getItem('crescendo-label-colours')")) === null);

      const phone = await web.open({ viewport: { width: 390, height: 844 } });
      await openTodayAs(phone, await openSession(web.app, person.userId));
      const dot = (name: string) => phone.page.locator(`[data-task] [style*="label-${name}"]`);
      await dot('purple').waitFor();
      await page.getByRole('button', { name: 'Filter' }).click();
      await page.getByRole('button', { name: 'Labels' }).click();
      const choose = (title: string) => page.getByRole('group', { name: 'Colour of health' }).getByTitle(title).click();
      await choose('Gold');
      await dot('gold').waitFor();
      web.proxy.cut();
      await choose('Teal');
      await page.getByText("You're offline. It is saved").waitFor();
      await page
        .getByRole('group', { name: 'Colour of health' })
        .getByRole('radio', { name: 'Teal', checked: true })
        .waitFor();
      assert.equal(await stored(), 'bill red,health gold');
      web.proxy.restore();
      await page.evaluate("dispatchEvent(new Event('online'))");
      await waitUntil(async () => (await stored()) === 'bill red,health teal');
      await page
        .getByRole('group', { name: 'Colour of health' })
        .getByRole('radio', { name: 'Teal', checked: true })
        .waitFor();
    },
  );

  testInFull(
    'all overdue tasks move to today, and a repeating one keeps its later dates; after Done the next occurrence says nothing of a stage before its first nudge',
    async () => {
      const { page, person } = await openTodayWith(web, 'overdue@example.org', [
        { title: 'late call', due_at: '2026-02-28T18:00:00+01:00', has_time: true },
        { title: 'missed morning', due_at: '2026-02-28T07:00:00+01:00', has_time: true },
        { title: 'weekly review', due_at: '2026-02-28T19:00:00+01:00', has_time: true, recurrence: { freq: 'weekly' } },
      ]);
      await page.getByRole('button', { name: 'Move all to today' }).click();
      await page.getByText('Moved 3 tasks to today').waitFor();
      await page.getByRole('heading', { name: 'Overdue' }).waitFor({ state: 'detached' });
      await web.advance('1m');
      await waitForStoredTask(web.app, 'late call', ({ due_at }) => due_at === '2026-03-02T17:00:00.000Z');
      await waitForStoredTask(web.app, 'missed morning', ({ has_time }) => !has_time);
      const weekly = await waitForStoredTask(web.app, 'weekly review', (task) => task.deferred_until !== null);
      assert.equal(weekly.deferred_until, '2026-03-02T18:00:00.000Z');
      assert.equal(weekly.due_at, '2026-02-28T18:00:00.000Z');

      const at = new Date(web.app.clock.now().getTime() + 120_000).toISOString();
      const daily = { title: 'daily pill', due_at: at, has_time: true, recurrence: { freq: 'daily' } };
      await person.ask('POST', '/v1/tasks', daily);
      await web.advance('40m');
      const row = page.locator('[data-task]').filter({ hasText: 'daily pill' });
      await row.getByText('pressing').waitFor();
      await page.getByRole('button', { name: 'Done: daily pill' }).click();
      await openList(page, 'Upcoming');
      await row.getByText('tomorrow').waitFor();
      assert.doesNotMatch(await row.innerText(), /first nudge|pressing/);
    },
  );

  testInFull(
    'a list is worked through by keyboard: move, select, done, snooze; single keys can be turned off',
    async () => {
      const names = ['first', 'second', 'third', 'fourth'];
      const { page } = await openTodayWith(
        web,
        'keyboard@example.org',
        names.map((name, index) => ({ title: `key ${name}`, ...dueToday(`23:0${index}`) })),
      );
      await page.getByRole('link', { name: 'key fourth' }).waitFor();
      await page.locator('body').press('j');
      await expectFocus(page, 'key first');
      await page.keyboard.press('d');
      await waitForStoredTask(web.app, 'key first', ({ status }) => status === 'done');
      await page.getByRole('link', { name: 'key first' }).waitFor({ state: 'detached' });
      await expectFocus(page, 'key second');
      await page.keyboard.press('x');
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Shift+X');
      await page.getByText('2 selected').waitFor();
      await page.keyboard.press('s');
      await page.getByRole('button', { name: 'In an hour' }).click();
      await page.getByText('2 tasks snoozed').waitFor();
      await page.getByRole('heading', { name: 'Snoozed' }).waitFor();
      await page.keyboard.press('2');
      await page.getByRole('heading', { name: 'Upcoming', level: 1 }).waitFor();
      await page.keyboard.press('1');
      await page.getByRole('heading', { name: 'Today', level: 1 }).waitFor();
      await page.keyboard.press('n');
      await page.keyboard.type('n/?');
      assert.equal(await page.getByLabel('Add a task in plain words').inputValue(), 'n/?');
      await page.getByRole('heading', { name: 'Today', level: 1 }).focus();
      await page.keyboard.press('?');
      await page.getByRole('switch', { name: 'Single-key shortcuts' }).click();
      await page.keyboard.press('Escape');
      await page.getByRole('heading', { name: 'Keyboard shortcuts' }).waitFor({ state: 'detached' });
      await page.keyboard.press('2');
      await page.keyboard.press('Control+k');
      await page.getByLabel('Search tasks').waitFor();
      assert.match(page.url(), /\/app\/?$/);
    },
  );

  testInFull('going back from a task shows the list where it was left', async () => {
    const { page } = await openTodayWith(
      web,
      'scrolls@example.org',
      Array.from({ length: 120 }, (_, number) => ({
        title: `scroll ${number}`,
        due_at: new Date(Date.parse('2026-04-01T09:00:00Z') + number * 60_000).toISOString(),
        has_time: true,
      })),
    );
    await openList(page, 'Upcoming');
    await page.getByRole('link', { name: 'scroll 0', exact: true }).waitFor();
    const row = page.getByRole('link', { name: 'scroll 60', exact: true });
    await page.mouse.move(640, 500);
    await waitUntil(async () => {
      await page.mouse.wheel(0, 400);
      return row.isVisible();
    });
    await row.scrollIntoViewIfNeeded();
    for (const goBack of [() => page.goBack(), () => page.getByRole('link', { name: 'Upcoming' }).click()]) {
      await row.click();
      await page.getByRole('heading', { name: 'scroll 60', level: 1 }).waitFor();
      await goBack();
      await page.getByRole('heading', { name: 'Upcoming', level: 1 }).waitFor();
      await waitUntil(() => row.isVisible());
      assert.ok((await page.evaluate<number>('scrollY')) > 2_000, 'the list is at its top');
    }
  });

  test('Upcoming is by day, with later dates of series and what is snoozed; a date is reached by keyboard; offline says what is missing', async () => {
    const daily = { ...dueToday('21:00'), recurrence: { freq: 'daily' } };
    const { page, person, errors } = await openTodayWith(
      web,
      'days@example.org',
      [
        { title: 'Water the plants', ...daily },
        { title: 'Pay the rent', due_at: '2026-03-04T09:00:00+01:00', has_time: true },
        { title: 'Renew the passport', due_at: '2026-05-20T00:00:00+02:00', has_time: false },
      ],
      { viewport: { width: 390, height: 844 } },
    );
    const put = (await person.ask('POST', '/v1/tasks', { title: 'Wash the car', ...dueToday('20:00') })).body.data;
    await person.ask('POST', `/v1/tasks/${put.id}/snooze`, { until: '2026-03-04T08:00:00Z' });
    await openList(page, 'Upcoming');
    const list = page.getByRole('list', { name: 'Upcoming, day by day' });
    const rowsOf = async () =>
      (await list.innerText())
        .split('\n')
        .map((line) => line.trim())
        .filter(Boolean);
    await page.getByRole('heading', { name: 'Wednesday, 4 March' }).waitFor();
    await page.getByRole('link', { name: 'Wash the car' }).waitFor();
    const rows = (await rowsOf()).filter((line) => /March$|^Water|^Pay|^Wash/.test(line));
    assert.deepEqual(rows.slice(0, 6), [
      'Tomorrow, 3 March',
      'Water the plants',
      'Wednesday, 4 March',
      ...['Pay the rent', 'Wash the car'],
      'Water the plants',
    ]);
    assert.equal(await page.getByRole('button', { name: 'Done: Water the plants' }).count(), 0);

    const goTo = async (day: string) => {
      await page.getByLabel('Go to a date').fill(day);
      await page.keyboard.press('Enter');
    };
    await goTo('2026-03-28');
    await expectFocus(page, 'Water the plants');
    await page.getByText('Now at Saturday, 28 March.').waitFor();
    // Beyond the days that were loaded, and beyond all tasks.
    await goTo('2026-05-01');
    await page.getByRole('heading', { name: 'May 2026' }).waitFor();
    await goTo('2026-05-20');
    await expectFocus(page, 'Renew the passport');
    assert.deepEqual(errors, []);

    web.proxy.cut();
    await goTo('2029-01-01');
    await page.getByText('Nothing is planned on 1 Jan 2029 or later.').waitFor();
    await page.getByText('later dates of repeating tasks may be missing').waitFor();
  });
});
