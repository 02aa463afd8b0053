/** Quiet hours and pauses never surprise: every place names the same moment, and offers to ring anyway. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { browserTests, openList, openTodayAs, quickAdd, waitForAddedTask } from '../support/browser.ts';
import { WebhookRig } from '../support/channel-rigs.ts';
import { type Person, signIn } from '../support/people.ts';
import { testInFull } from '../support/size.ts';
import { findStoredTask, waitForStoredTask } from '../support/stored-task.ts';

let hook: WebhookRig;

async function startHook(parts: AsyncDisposableStack) {
  hook = parts.use(await WebhookRig.start());
  return { settings: hook.settings };
}

browserTests('sqlite', startHook, (web) => {
  async function openAs(
    email: string,
    settings: object,
    { isReached = true } = {},
  ): Promise<{ page: Page; person: Person; errors: readonly string[] }> {
    const person = await signIn(web.app, email);
    await person.ask('PATCH', '/v1/me', { timezone: 'Europe/Amsterdam', ...settings });
    if (isReached) await hook.connect(person);
    const visitor = await web.open();
    await openTodayAs(visitor, person.sessionToken);
    return { page: visitor.page, person, errors: visitor.errors };
  }

  const rowOf = (page: Page, title: string) => page.locator('[data-task]').filter({ hasText: title });

  /** The header, the list of the ladder and the service name this moment as the next nudge. */
  async function expectNext(page: Page, person: Person, title: string, when: string): Promise<void> {
    await page.getByText(`next nudge ${when}`).waitFor();
    const toggle = page.getByText('As a list');
    await toggle.waitFor();
    if ((await page.locator('details[open]').count()) === 0) await toggle.click();
    await page.locator('tbody tr').filter({ hasText: 'to come' }).first().getByText(when).waitFor();
    const task = await findStoredTask(web.app, title);
    const { body } = await person.ask('GET', `/v1/tasks/${task?.id}/forecast?limit=1`);
    assert.equal(body.data[0].at, task?.next_fire_at);
  }

  test('a time in quiet hours says when it will ring, before and after it is added, and rings at its own time once its owner says so', async () => {
    const { page, person, errors } = await openAs('door@example.org', {
      quiet_hours_start: '22:00',
      quiet_hours_end: '07:00',
    });
    const field = page.getByLabel('Add a task in plain words');
    await field.fill('lock the door at 23:30');
    await page.getByText('It rings tomorrow at 07:00 because of your quiet hours.').waitFor();
    await page.getByRole('button', { name: 'Make it must not miss' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('Added. Rings tomorrow at 07:00 (quiet hours).').waitFor();
    await waitForAddedTask(page, web.app, 'lock the door');
    await rowOf(page, 'lock the door').getByText('rings tomorrow at 07:00 because of your quiet hours').waitFor();
    await page.getByRole('link', { name: 'lock the door' }).click();
    await expectNext(page, person, 'lock the door', 'tomorrow at 07:00');

    await page.getByRole('button', { name: 'Ring anyway this once' }).click();
    await waitForStoredTask(web.app, 'lock the door', (task) => task.next_fire_at === '2026-03-02T22:30:00.000Z');
    await expectNext(page, person, 'lock the door', 'today at 23:30');
    await page.getByText('Rings anyway').waitFor();
    await page.getByRole('link', { name: 'Today' }).first().click();
    await rowOf(page, 'lock the door').getByText('today at 23:30').waitFor();
    await rowOf(page, 'lock the door').getByText('rings').waitFor({ state: 'detached' });

    // Chosen before it is added, and taken back on its page.
    await field.fill('feed the cat at 23:40');
    await page.getByRole('button', { name: 'Ring anyway this once' }).click();
    await page.getByText('It rings today at 23:40, this once').waitFor();
    await field.press('Enter');
    await waitForStoredTask(web.app, 'feed the cat', (task) => task.next_fire_at === '2026-03-02T22:40:00.000Z');
    await waitForAddedTask(page, web.app, 'feed the cat');
    await page.getByRole('link', { name: 'feed the cat' }).click();
    await page.getByRole('button', { name: 'Hold it again' }).click();
    await expectNext(page, person, 'feed the cat', 'tomorrow at 07:00');
    assert.deepEqual(errors, []);
  });

  testInFull(
    'in the middle of quiet hours, a new time, a snooze and an edit say when they ring, and the row offers to ring anyway',
    async () => {
      const { page, person, errors } = await openAs('awake@example.org', {
        quiet_hours_start: '09:00',
        quiet_hours_end: '20:00',
      });
      await quickAdd(page, 'take the pizza out in 1 min');
      await page.getByText('Added. Rings today at 20:00 (quiet hours).').waitFor();
      const { id } = await waitForAddedTask(page, web.app, 'take the pizza out');
      await rowOf(page, 'pizza').getByText('rings today at 20:00').waitFor();

      const sheet = page.getByRole('dialog');
      await page.getByRole('button', { name: 'Snooze: take the pizza out' }).click();
      await sheet.getByText('It rings today at 20:00 because of your quiet hours.').first().waitFor();
      assert.equal(await sheet.getByRole('button', { name: 'Tomorrow morning, ring anyway' }).count(), 1);
      await sheet.getByRole('button', { name: /^In 15 minutes\s*today/ }).click();
      await page.getByText('Snoozed. Rings today at 20:00').waitFor();
      // Also while the snooze waits to be sent.
      await rowOf(page, 'pizza').getByText('snoozed until today at 10:15').waitFor();
      await rowOf(page, 'pizza').getByText('rings today at 20:00 because of your quiet hours').waitFor();
      await page.getByRole('link', { name: 'take the pizza out' }).click();
      await page.locator('[data-held]').getByText('It rings today at 20:00 because of your quiet hours.').waitFor();
      await web.advance('1m');
      await waitForStoredTask(web.app, 'take the pizza out', (task) => task.deferred_until !== null);
      await expectNext(page, person, 'take the pizza out', 'today at 20:00');
      await page.getByRole('link', { name: 'Today' }).first().click();
      await rowOf(page, 'pizza').getByRole('button', { name: 'Ring anyway: take the pizza out' }).click();
      const stored = await waitForStoredTask(web.app, 'take the pizza out', (t) => t.next_fire_at === t.deferred_until);
      await page.getByRole('link', { name: 'take the pizza out' }).click();
      await expectNext(page, person, stored.title, 'today at 10:15');

      await page.getByRole('button', { name: 'Edit' }).click();
      await sheet.getByLabel('Time').fill('11:30');
      await sheet.getByText('It rings today at 20:00 because of your quiet hours.').waitFor();
      await sheet.getByRole('button', { name: 'Make it must not miss' }).click();
      await sheet.getByText('It rings today at 20:00').waitFor({ state: 'detached' });
      await sheet.getByLabel('Must not miss').uncheck();
      await sheet.getByRole('button', { name: 'Ring anyway this once' }).click();
      await sheet.getByRole('button', { name: 'Save' }).click();
      await waitForStoredTask(
        web.app,
        'take the pizza out',
        (task) => task.next_fire_at === '2026-03-02T10:30:00.000Z',
      );
      await expectNext(page, person, stored.title, 'today at 11:30');
      assert.equal((await person.ask('GET', `/v1/tasks/${id}`)).body.data.break_quiet_hours, false);
      assert.deepEqual(errors, []);
    },
  );

  testInFull('several lines say of each when it rings; who is not reached is told that too', async () => {
    const quiet = { quiet_hours_start: '22:00', quiet_hours_end: '07:00' };
    const { page, person, errors } = await openAs('lines@example.org', quiet, { isReached: false });
    await page.getByText('No nudge can reach you yet.').waitFor();
    const field = page.getByLabel('Add a task in plain words');
    await field.fill('lock the door at 23:30\nfeed the cat at 18:00');
    const line = (title: string) => page.locator('[data-lines] li').filter({ hasText: title });
    await line('lock the door').getByText('rings tomorrow at 07:00 because of your quiet hours').waitFor();
    assert.equal(await line('feed the cat').getByText('rings').count(), 0);
    assert.equal(await page.getByRole('button', { name: 'Add task' }).count(), 0, 'one question, one answer');
    await page.getByRole('button', { name: 'Add 2 tasks' }).click();
    await page.getByText('Added 2 tasks. Nothing reaches you at the first nudge of them: see Settings').waitFor();
    await quickAdd(page, 'close the window at 23:40');
    await page.getByText('Added. Rings tomorrow at 07:00, but nothing reaches you then: see Settings').waitFor();
    await quickAdd(page, 'wash the car at 18:30');
    await page.getByText('Added, but nothing reaches you at its first nudge: see Settings').waitFor();
    // With a channel for other nudges, each row says it.
    await waitForAddedTask(page, web.app, 'wash the car');
    const channel = await hook.connect(person);
    await person.ask('PATCH', `/v1/channels/${channel}`, { stages: [2] });
    await page.reload();
    await rowOf(page, 'wash the car').getByText('nothing reaches you then').waitFor();
    assert.deepEqual(errors, []);
  });

  test('a planned pause is named where a next nudge is', async () => {
    const { page, person, errors } = await openAs('away@example.org', {});
    const planned = {
      from: '2026-03-04T00:00:00+01:00',
      until: '2026-03-10T08:00:00+01:00',
      keep_must_not_miss: false,
    };
    await person.ask('PUT', '/v1/me/pause/planned', planned);
    const due = { due_at: '2026-03-05T18:00:00+01:00', has_time: true };
    await person.ask('POST', '/v1/tasks', { title: 'water the ferns', ...due });
    await openList(page, 'Upcoming');
    const words = 'rings Tue 10 Mar at 08:00 because of your pause';
    await rowOf(page, 'water the ferns').getByText(words).waitFor();
    await page.getByRole('link', { name: 'water the ferns' }).click();
    await page.getByText(`It ${words}.`).waitFor();
    // This pause holds what must not be missed too.
    assert.equal(await page.getByRole('button', { name: 'Make it must not miss' }).count(), 0);
    await expectNext(page, person, 'water the ferns', 'Tue 10 Mar at 08:00');
    await page.getByRole('cell', { name: 'to come: Webhook, held by your pause' }).first().waitFor();
    assert.deepEqual(errors, []);
  });
});
