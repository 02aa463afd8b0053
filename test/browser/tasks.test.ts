import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  browserTests,
  dueToday,
  goTo,
  goToSettings,
  openAppAs,
  openList,
  openToday,
  openTodayWith,
  quickAdd,
  startWebTestApp,
  waitForAddedTask,
} from '../support/browser.ts';
import { signIn } from '../support/people.ts';
import { IS_FULL, testInFull } from '../support/size.ts';
import { findStoredTask, waitForStoredTask } from '../support/stored-task.ts';
import { waitUntil } from '../support/wait-until.ts';

browserTests('postgres', {}, (web, engine) => {
  test('a task in plain words is shown as understood, can be changed before it is saved, and repeats as said; a passed moment is questioned, 3/12 is read either way round, and a title is text', async () => {
    const visitor = await web.open();
    await openToday(visitor, web.app, 'words@example.org');
    const { page } = visitor;
    await page.getByLabel('Add a task in plain words').fill('pay rent every 1st 9am');
    await page.locator('[data-part=recurrence]').getByText('on the 1st of every month').waitFor();
    await page.locator('[data-part=due]').getByText('first Wed 1 Apr at 09:00').waitFor();
    assert.equal(await page.getByRole('link', { name: 'pay rent' }).count(), 0);
    await page.keyboard.press('Enter');
    await openList(page, 'Upcoming');
    await page.getByRole('link', { name: 'pay rent' }).click();
    await page.getByText('on the 1st of every month').waitFor();
    await page.waitForURL(/tasks\/[0-9a-f]{8}-/);
    const task = await findStoredTask(web.app, 'pay rent');
    assert.deepEqual(task?.recurrence, { freq: 'monthly', by_month_day: [1] });
    assert.equal(task?.due_at, '2026-04-01T07:00:00.000Z');
    assert.equal(task?.has_time, true);

    await goTo(page, 'Today');
    await quickAdd(page, '<img src=x onerror=alert(1)><b>bold</b>');
    await openList(page, 'Someday');
    await page.getByRole('link', { name: '<img src=x onerror=alert(1)><b>bold</b>' }).waitFor();
    assert.equal(await page.locator('main b').count(), 0);

    await openList(page, 'Today');
    const field = page.getByLabel('Add a task in plain words');
    await field.fill('gym every monday 18:00');
    await page.locator('[data-part=recurrence]').getByRole('button', { name: 'every Monday', exact: true }).click();
    await page.getByLabel('Repeats').fill('every blue moon');
    await page.getByText('That does not say how it repeats.').waitFor();
    await page.getByLabel('Repeats').fill('every tue and thu');
    await page.locator('[data-part=recurrence]').getByText('every Tuesday and Thursday').waitFor();
    await page.locator('[data-part=due]').getByRole('button').first().click();
    await page.getByLabel('Time').fill('19:30');
    await field.press('Enter');
    const gym = await waitForStoredTask(web.app, 'gym');
    assert.deepEqual(gym.recurrence, { freq: 'weekly', by_weekday: ['tu', 'th'] });
    assert.match(gym.due_at ?? '', /T18:30:00/);

    await field.fill('renew passport 1 january 2026');
    await field.press('Enter');
    await page.getByText('That time has passed.').waitFor();
    assert.equal(await page.getByRole('link', { name: 'renew passport' }).count(), 0);
    await page.getByRole('button', { name: 'Make it today' }).click();
    await page.getByRole('link', { name: 'renew passport' }).waitFor();
    assert.equal(await field.inputValue(), '');

    const due = page.locator('[data-part=due]');
    await field.fill('dentist 11/12');
    const before = await due.innerText();
    await page.getByRole('button', { name: 'Read numbers like 3/12 the other way round' }).click();
    await waitUntil(async () => (await due.innerText()) !== before);
    const after = await due.innerText();
    assert.deepEqual(new Set([before, after].map((words) => /Nov|Dec/.exec(words)?.[0])), new Set(['Nov', 'Dec']));
    await page.reload();
    await field.fill('dentist 11/12');
    await waitUntil(async () => (await due.innerText()) === after);
    assert.deepEqual(visitor.errors, []);
  });

  testInFull(
    'the page of a task says that a recurrence is not understood, and shows one in other words; every field can be edited, and an untouched date does not begin the ladder anew',
    async () => {
      const visitor = await web.open();
      const ada = await signIn(web.app, 'rules@example.org');
      await ada.ask('PATCH', '/v1/me', { timezone: 'Europe/Amsterdam' });
      const tomorrow = { due_at: '2026-03-03T18:00:00', has_time: true };
      await ada.ask('POST', '/v1/tasks', { title: 'swim', ...tomorrow });
      const base = { due_at: '2026-12-01T09:00:00Z', has_time: true };
      await ada.ask('POST', '/v1/tasks', { ...base, title: 'howl', recurrence: { every: 'full moon' } });
      await ada.ask('POST', '/v1/tasks', {
        ...base,
        title: 'vitamins',
        recurrence: { unit: 'day', by_time: ['20:00', '08:00'] },
      });
      await openAppAs(visitor, ada.sessionToken, '/app/upcoming');
      const { page } = visitor;
      await page.getByRole('link', { name: 'howl' }).click();
      await page.getByText('This task will not repeat. Its rule is not understood.').waitFor();
      await page.getByRole('link', { name: 'Upcoming' }).click();
      await page.getByRole('link', { name: 'vitamins' }).click();
      await page.getByText('every day at 08:00 and 20:00').waitFor();

      await page.getByRole('link', { name: 'Upcoming' }).click();
      await page.getByRole('link', { name: 'swim' }).click();
      await page.getByRole('button', { name: 'Edit' }).click();
      await page.getByLabel('Title').fill('Swim with Grace');
      await page.getByLabel('Notes').fill('bring a towel');
      await page.getByLabel('Repeat').selectOption('weekly');
      await page.getByRole('button', { name: 'Mon' }).click();
      await page.getByRole('button', { name: 'Thu' }).click();
      await page.getByRole('spinbutton', { name: 'Heads-up' }).fill('1');
      await page.getByRole('switch', { name: 'Must not miss' }).click();
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('heading', { name: 'Swim with Grace' }).waitFor();
      const task = await waitForStoredTask(web.app, 'Swim with Grace');
      assert.deepEqual(task.recurrence, { freq: 'weekly', by_weekday: ['mo', 'th'] });
      assert.equal(task.notes, 'bring a towel');
      assert.equal(task.lead_time_days, 1);
      assert.equal(task.break_quiet_hours, true);
      assert.equal(task.due_at, '2026-03-03T17:00:00.000Z');
      assert.deepEqual(visitor.errors, []);
    },
  );

  test('done is shown at once and can be taken back, so can snoozing; the ladder shows what was sent, what comes, and what is held', async () => {
    const visitor = await openTodayWith(web, 'ladder@example.org', [{ title: 'call Grace', ...dueToday('23:00') }]);
    const { page } = visitor;
    await page.getByRole('button', { name: 'Done: call Grace' }).click();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('link', { name: 'call Grace' }).waitFor();
    await waitForStoredTask(web.app, 'call Grace', ({ status }) => status === 'open');
    await page.getByRole('button', { name: 'Snooze: call Grace' }).click();
    await page.getByRole('button', { name: 'In an hour' }).click();
    await page.getByText('snoozed until').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('snoozed until').waitFor({ state: 'detached' });
    assert.equal((await findStoredTask(web.app, 'call Grace'))?.deferred_until, null);

    await goToSettings(page, 'Reminders');
    await page.getByRole('switch', { name: 'Quiet hours' }).click();
    await page.getByText('Saved').waitFor();
    await goTo(page, 'Today');
    await quickAdd(page, 'pills tonight at 21:30');
    await page.getByRole('link', { name: 'pills' }).waitFor();
    await waitForAddedTask(page, web.app, 'pills');
    const minutes = Math.round((Date.parse('2026-03-02T20:50:00Z') - web.app.clock.now().getTime()) / 60_000);
    await web.advance(`${minutes}m`);
    await page.getByRole('link', { name: 'pills' }).click();
    await page.locator('[data-nudge=no_device][data-stage="1"]').waitFor();
    assert.equal(await page.locator('[data-nudge=no_device][data-stage="0"]').count(), 1);
    assert.ok((await page.locator('[data-nudge=coming][data-stage="2"]').count()) > 0);
    assert.equal(await page.locator('[data-hold=quiet_hours]').count(), 1);
    const summary = await page.getByRole('img', { name: /Ladder of nudges/ }).getAttribute('aria-label');
    assert.match(summary ?? '', /2 nudges so far, 8 to come/);
    assert.deepEqual(visitor.errors, []);
  });

  testInFull(
    'what is guessed is said with the other reading beside it, marks become parts, a long text goes on in the notes, and several lines are several tasks',
    async () => {
      const visitor = await web.open();
      await openToday(visitor, web.app, 'marks@example.org');
      const { page } = visitor;
      const field = page.getByLabel('Add a task in plain words');
      const part = (name: string) => page.locator(`[data-part=${name}]`);

      await field.fill('wendsday at 4 haircut #hair !! // bring the picture');
      await page.locator('[data-guess=spelling]').getByText('Did you mean Wednesday?').waitFor();
      await part('label').getByText('label hair').waitFor();
      await part('notes').getByText('notes: bring the picture').waitFor();
      await part('due').getByText('at 16:00').waitFor();
      await page.locator('[data-guess=half]').getByRole('button').click();
      await part('due').getByText('at 04:00').waitFor();
      await page.getByRole('button', { name: 'Read it as before' }).click();
      await part('due').getByText('at 16:00').waitFor();
      await part('mustNotMiss').getByRole('button', { name: 'Not meant: must not miss' }).click();
      await page.getByText('haircut !!', { exact: true }).waitFor();
      await field.press('Enter');
      const haircut = await waitForStoredTask(web.app, 'haircut !!');
      assert.deepEqual([haircut.kind, haircut.notes, haircut.break_quiet_hours], ['hair', 'bring the picture', false]);

      await field.fill('bins tomorrow 8pm nag every 2 minutes');
      await part('ladder').getByText('every 5 minutes until done').waitFor();
      await page
        .locator('[data-guess=wait]')
        .getByRole('button', { name: /every other minute.*must not miss/ })
        .click();
      await part('mustNotMiss').waitFor();
      await page.getByRole('button', { name: 'Read it as before' }).click();
      await field.press('Enter');
      const { ladder } = await waitForStoredTask(web.app, 'bins', (task) => task.ladder !== null);
      assert.equal(JSON.parse(ladder ?? '').rungs[1].after, 5);
      await field.fill('rent tomorrow 9am, gently');
      await part('ladder').getByRole('button', { name: 'Not meant: reminds gently' }).click();
      await page.getByText('rent, gently', { exact: true }).waitFor();

      await field.fill(`${'ask the landlord about the boiler '.repeat(50)}tomorrow at 9am`);
      await page.getByText('A title holds 200 characters. The rest is in the notes.').waitFor();
      await part('due').getByText('at 09:00').waitFor();
      await field.fill('x'.repeat(2_001));
      await page.getByText('This has 2001 characters').waitFor();

      await field.fill('- buy milk tomorrow\n- call mum friday 5pm\n- fix the bike');
      await page.getByText('Add 3 tasks, or one with notes?').waitFor();
      await field.press('Enter');
      assert.equal(await findStoredTask(web.app, 'fix the bike'), undefined);
      await page.keyboard.press('Enter');
      for (const title of ['buy milk', 'call mum', 'fix the bike']) await waitForStoredTask(web.app, title);
      // The browser stores one more action, and fails once.
      await page.evaluate(`{
        const { put } = IDBObjectStore.prototype;
        let left = 1;
        IDBObjectStore.prototype.put = function (...given) {
          if (this.name !== 'deeds' || left-- > 0) return put.apply(this, given);
          IDBObjectStore.prototype.put = put;
          throw new DOMException('It is full.', 'QuotaExceededError');
        };
      }`);
      await field.fill('wash the car\nmow the lawn\nrake the leaves');
      await page.getByRole('button', { name: 'Add 3 tasks' }).click();
      await waitUntil(async () => (await field.inputValue()) === 'mow the lawn\nrake the leaves');
      await waitForStoredTask(web.app, 'wash the car');
      await field.fill('pack for Rome\nsocks\npassport');
      await page.getByRole('button', { name: 'One task with notes' }).click();
      assert.equal((await waitForStoredTask(web.app, 'pack for Rome')).notes, 'socks\npassport');
      assert.deepEqual(visitor.errors, []);
    },
  );

  test('a pause stops everything until it ends, and welcomes back exactly once; one that is planned can be cancelled, and begins by itself', async () => {
    // Without the tasks of other tests, which would nag for days.
    await using quiet = await startWebTestApp(engine);
    const tomorrow = { due_at: '2026-03-03T08:00:00+01:00', has_time: true };
    const { page, person } = await openTodayWith(quiet, 'pause@example.org', [
      { title: 'water the plants', ...tomorrow },
    ]);
    await goToSettings(page, 'Reminders');
    await page.getByLabel('Until').fill('2026-03-05');
    await page.getByRole('button', { name: 'Pause reminders' }).click();
    await page
      .getByText(/Paused until Thursday at 09:00\./)
      .first()
      .waitFor();
    await quiet.advance('2d');
    await page.getByRole('button', { name: 'End the pause now' }).click();
    await page.getByText('Reminders are on again').waitFor();
    await goTo(page, 'Today');
    await page.getByRole('heading', { name: 'Welcome back' }).waitFor();
    await page.getByText(/nudges? (was|were) held back|Nothing was held back/).waitFor();
    await page.getByRole('button', { name: 'Got it' }).click();
    await page.getByRole('heading', { name: 'Welcome back' }).waitFor({ state: 'detached' });
    await page.reload();
    await page.getByRole('link', { name: 'water the plants' }).waitFor();
    assert.equal(await page.getByRole('heading', { name: 'Welcome back' }).count(), 0);

    const { id } = await waitForStoredTask(quiet.app, 'water the plants');
    await person.ask('POST', `/v1/tasks/${id}/complete`);
    await goToSettings(page, 'Reminders');
    const plan = async (button: string, from: string, until: string) => {
      await page.getByRole('switch', { name: 'Start later' }).check();
      await page.locator('#pause').getByLabel('From').fill(from);
      await page.getByLabel('Until').fill(until);
      await page.getByRole('button', { name: button }).click();
    };
    await plan('Plan the pause', '2026-03-13', '2026-03-12');
    await page.getByText('The pause should end after it starts.').waitFor();
    await plan('Plan the pause', '2026-03-13', '2026-03-17');
    await page.getByText('Planned: Fri 13 Mar at 09:00 to Tue 17 Mar at 09:00.').waitFor();
    await page.getByRole('button', { name: 'Cancel this pause' }).click();
    await page.getByText(/^Planned: /).waitFor({ state: 'detached' });
    assert.equal(await page.getByText(/Paused until/).count(), 0);
    await plan('Plan the pause', '2026-03-13', '2026-03-17');
    await page.getByText('Planned: Fri 13 Mar at 09:00 to Tue 17 Mar at 09:00.').waitFor();
    await plan('Change the planned pause', '2026-03-13', '2026-03-18');
    await page.getByText('Planned: Fri 13 Mar at 09:00 to Wed 18 Mar at 09:00.').waitFor();
    await quiet.advance('9d');
    await page.reload();
    await page.locator('#pause').getByText('Paused until Wednesday at 09:00.').waitFor();
    await page.getByText(/^Planned: /).waitFor({ state: 'detached' });
  });

  // By default one list is enough: the test of long lists in find.test.ts.
  if (IS_FULL)
    test('the way back from a task leads to the place in the list where it was opened', async () => {
      const visitor = await web.open({ viewport: { width: 390, height: 844 } });
      const person = await signIn(web.app, 'scrolls@example.org');
      const tasks = Array.from({ length: 30 }, (_, index) => ({ title: `errand ${index + 10}` }));
      await person.ask('POST', '/v1/me/import', { tasks });
      await openAppAs(visitor, person.sessionToken, '/app/someday');
      const { page } = visitor;
      await page.getByRole('link', { name: 'errand 35' }).scrollIntoViewIfNeeded();
      const topOf = async () => (await page.getByRole('link', { name: 'errand 35' }).boundingBox())?.y ?? -1;
      const before = await topOf();
      assert.ok((await page.evaluate<number>('scrollY')) > 500);
      await page.getByRole('link', { name: 'errand 35' }).click();
      await page.getByRole('heading', { name: 'errand 35', level: 1 }).waitFor();
      await page.goBack();
      await page.getByRole('heading', { name: 'Someday', level: 1 }).waitFor();
      // A line above the list may appear a moment later.
      await waitUntil(async () => Math.abs((await topOf()) - before) < 60);
    });
});
