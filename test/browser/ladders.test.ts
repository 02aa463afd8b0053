/** Ladders of one's own: made, chosen and said, with the keyboard on a desktop, and by touch on a phone. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { look } from '../support/accessibility.ts';
import { browserTests, followLink, openAppAs, type Visitor } from '../support/browser.ts';
import { addDevice } from '../support/fake-phones.ts';
import { FOCUSED, tabTo } from '../support/focus.ts';
import { type Person, signIn } from '../support/people.ts';
import { IS_FULL, testInFull } from '../support/size.ts';

const DUE = { due_at: '2026-03-02T18:00:00', has_time: true };

/** The browser says in its console that the service refused something, which these tests want it to. */
const unexpected = ({ errors }: Visitor) => errors.filter((text) => !text.includes('422'));

browserTests('sqlite', {}, (web) => {
  async function openAs(email: string, path: (taskId: string) => string, options: object) {
    const person = await signIn(web.app, email);
    await person.ask('PATCH', '/v1/me', {
      timezone: 'Europe/Amsterdam',
      quiet_hours_start: '22:00',
      quiet_hours_end: '07:00',
    });
    await addDevice(web.app, person.userId);
    const rungs = [0, 2].map((after, stage) => ({ after, stage }));
    await person.ask('POST', '/v1/ladders', { name: 'Twice in 2 minutes', rungs, end: null });
    const { id } = (await person.ask('POST', '/v1/tasks', { title: 'Send the contract', kind: 'work', ...DUE })).body
      .data;
    const visitor = await web.open(options);
    await openAppAs(visitor, person.sessionToken, path(id));
    return { person, visitor, page: visitor.page, taskId: id as string };
  }

  const readLadder = async (person: Person, taskId: string) =>
    (await person.ask('GET', `/v1/tasks/${taskId}/ladder`)).body.data;

  test('a ladder is made with the keyboard alone, is drawn while it changes, and holds for a label', async () => {
    const { person, visitor, page, taskId } = await openAs('maker@example.org', () => '/app/settings/ladders', {});
    const press = async (name: string, key = 'Tab') => {
      await tabTo(page, name, key);
      await page.keyboard.press('Enter');
    };
    const forecast = page.locator('[data-forecast]');
    await page.getByRole('heading', { name: 'Your ladders' }).waitFor();
    await press('New ladder');
    const usual = 'Today 18:00, 18:15, 18:30, 18:45, …; 7 nudges until midnight; held from 22:00 to 07:00.';
    await forecast.getByText(usual).waitFor();
    await tabTo(page, 'Name');
    await page.keyboard.type('Until it is signed');
    await tabTo(page, 'Remove rung 3');
    // The focus stays in the list.
    for (const next of [3, 3, 3, 2]) {
      await page.keyboard.press('Enter');
      assert.equal(await page.evaluate(FOCUSED), `Remove rung ${next}`);
    }
    await tabTo(page, 'Rung 2: how long');
    await page.keyboard.type('10');
    await press('Add a rung');
    await page.keyboard.type('20');
    await tabTo(page, 'Rung 3: how strong');
    await page.keyboard.press('i');
    await press('Move rung 3 up', 'Shift+Tab');
    const refusal = page.getByText('A rung has a lower stage than the one before it. Stages only rise.');
    await page
      .locator('ol > li')
      .nth(2)
      .and(page.locator('li', { has: refusal }))
      .waitFor();
    assert.equal(await page.evaluate(FOCUSED), 'Move rung 2 down', 'the focus moves with the rung');
    await page.keyboard.press('Enter');
    await forecast.getByText('Today 18:00, 18:10, 18:30, 18:50, …;').waitFor();
    await refusal.waitFor({ state: 'detached' });
    assert.equal(await page.locator('dialog [data-nudge]').count(), 12);
    await look(page, 'ladder-editor-desktop-light');
    await press('Save');
    await page.getByRole('button', { name: 'Edit: Until it is signed' }).waitFor();
    const made = (await person.ask('GET', '/v1/ladders')).body.data.ladders.at(-1);
    const rungs = [0, 10, 20].map((after, stage) => ({ after, stage }));
    const end = { repeat_last: 1, times: null };
    assert.deepEqual(made, { id: made.id, name: 'Until it is signed', rungs, end });

    await tabTo(page, 'Label');
    await page.keyboard.type('work');
    await tabTo(page, 'Ladder');
    await page.keyboard.press('U');
    await press('Add label');
    await page.getByLabel('Ladder of work').waitFor();
    await look(page, 'ladders-desktop-light');
    await followLink(page, `/app/tasks/${taskId}`);
    await page.getByText('Until it is signed, because of the label work').waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    // Other tests look at the page of a task.
    if (IS_FULL) await look(page, 'ladder-task-desktop-light');
    assert.equal((await readLadder(person, taskId)).ladder_id, made.id);
    assert.deepEqual(unexpected(visitor), []);
  });

  testInFull(
    'on a phone a task gets another ladder, one of its own and heads-ups, and what does not fit is said',
    async () => {
      const { person, visitor, page, taskId } = await openAs('phone@example.org', (id) => `/app/tasks/${id}`, {
        viewport: { width: 390, height: 844 },
        colorScheme: 'dark',
        hasTouch: true,
      });
      const tap = (name: string) => page.getByRole('button', { name, exact: true }).tap();
      const sentence = (text: string) => page.getByText(text).first().waitFor();
      await sentence('Default, because nothing else is chosen');
      await page.getByLabel('How long before').fill('2');
      await page.getByLabel('Unit').selectOption('hours');
      await tap('Add heads-up');
      await page.getByRole('button', { name: 'Remove: 2 hours before' }).waitFor();
      const headsUps = (await person.ask('GET', `/v1/tasks/${taskId}/heads-ups`)).body.data;
      assert.deepEqual(headsUps, { heads_ups: [{ hours: 2 }] });

      await tap('Choose another');
      await page.getByRole('radio', { name: /^Twice in 2 minutes/ }).check();
      await page.getByRole('alert').getByText('Later rungs come at least 5 minutes after the previous nudge').waitFor();
      await tap('Use it');
      assert.equal((await readLadder(person, taskId)).from, 'service');
      await page.getByRole('radio', { name: /^Gentle/ }).check();
      await page.locator('[data-forecast]').getByText('Today 18:00, 19:00; 2 nudges until midnight').waitFor();
      await look(page, 'ladder-choice-phone-dark');
      await tap('Use it');
      await sentence('Gentle, chosen for this task');

      await tap('Choose another');
      await tap('Make a new ladder');
      await page.getByLabel('Rung 2: how long after').selectOption('clock');
      await page.getByLabel('Rung 2: time').fill('19:30');
      await tap('Send me rung 1 now');
      await sentence('Sent to 1 device or channel.');
      // 200 % zoom halves the window; Save stays in view.
      await page.setViewportSize({ width: 320, height: 380 });
      const save = await page.getByRole('button', { name: 'Save' }).boundingBox();
      assert.ok(save && save.y + save.height <= 380, 'Save is out of view');
      await look(page, 'ladder-editor-zoomed');
      await page.keyboard.press('Escape');
      await page.getByRole('heading', { name: 'Discard your changes?' }).waitFor();
      await tap('Keep editing');
      await person.ask('PATCH', `/v1/tasks/${taskId}`, { mode: 'notify_once' });
      await tap('Save');
      await sentence('A ladder of its own, chosen for this task');
      const { rungs: stored } = await readLadder(person, taskId);
      assert.deepEqual(stored[1], { after: '19:30', stage: 0 });
      await sentence('This task reminds once, so only the first rung counts.');
      assert.deepEqual(unexpected(visitor), []);
    },
  );
});
