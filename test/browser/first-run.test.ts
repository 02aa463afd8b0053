import assert from 'node:assert/strict';
import { test } from 'node:test';
import { browserTests, goTo, pauseClock, signInToToday } from '../support/browser.ts';
import { waitForStoredTask } from '../support/stored-task.ts';
import { waitUntil } from '../support/wait-until.ts';

browserTests('sqlite', {}, (web) => {
  const quietHours = async (email: string) => {
    const users = web.app.db.selectFrom('users').select('quiet_hours_start').where('email', '=', email);
    return (await users.executeTakeFirstOrThrow()).quiet_hours_start;
  };

  test('a new account is led from what reaches it and quiet hours to its first task and a ladder that climbs, once', async () => {
    const visitor = await web.open({ viewport: { width: 390, height: 844 }, reducedMotion: 'no-preference' });
    const { page } = visitor;
    const heading = (name: string) => page.getByRole('heading', { name, level: 2 });
    await signInToToday(visitor, web.app, 'newcomer@example.org');
    await heading('What may reach you?').waitFor();
    await page.getByText('Step 1 of 4').waitFor();
    await page.getByRole('link', { name: 'Other ways' }).click();
    await page.getByRole('heading', { name: 'What reaches you', level: 1 }).waitFor();
    await goTo(page, 'Today');
    await page.getByRole('button', { name: 'Next' }).click();

    await heading('Quiet at night?').waitFor();
    await waitUntil(() => page.evaluate("document.activeElement.textContent === 'Quiet at night?'"));
    assert.equal(await quietHours('newcomer@example.org'), null);
    // A reload goes on where it was.
    await page.reload();
    await page.getByRole('button', { name: 'Quiet from 22:00 to 07:00' }).click();

    await heading('What must not be forgotten?').waitFor();
    assert.equal(await quietHours('newcomer@example.org'), '22:00');
    await page.getByRole('button', { name: 'Take the pills every day at 8am and 8pm' }).click();
    await page.getByText('Understood as').waitFor();
    await pauseClock(page);
    await page.getByRole('button', { name: 'Add task' }).click();
    const task = await waitForStoredTask(web.app, 'Take the pills');
    assert.notEqual(task.recurrence, null);

    await heading('Watch a reminder grow').waitFor();
    await page.getByText('18:00: the first nudge is gentle.').waitFor();
    const bars = (state: string) => page.locator(`[data-nudge=${state}]`).count();
    assert.deepEqual([await bars('sent'), await bars('coming')], [1, 5]);
    const climbTo = (words: string) =>
      waitUntil(async () => {
        await page.clock.runFor(200);
        return page.getByText(words).isVisible();
      });
    await climbTo('18:15: it presses');
    await climbTo('20:00: it insists');
    assert.deepEqual([await bars('sent'), await bars('coming')], [6, 0]);
    await page.clock.resume();
    await page.getByRole('button', { name: 'Got it' }).click();
    await heading('Watch a reminder grow').waitFor({ state: 'detached' });
    await page.reload();
    await page.getByRole('link', { name: 'Take the pills' }).waitFor();
    assert.equal(await page.getByText(/Step \d of 4/).count(), 0);
    assert.deepEqual(visitor.errors, []);
  });

  test('the introduction can be skipped, and does not come back', async () => {
    const visitor = await web.open();
    const { page } = visitor;
    await signInToToday(visitor, web.app, 'expert@example.org');
    await page.getByRole('button', { name: 'Skip the introduction' }).click();
    await page.getByText('Step 1 of 4').waitFor({ state: 'detached' });
    await page.reload();
    await page.getByText("You're all caught up").waitFor();
    assert.equal(await page.getByText(/Step \d of 4/).count(), 0);
    await goTo(page, 'Settings');
    await page.getByText(/^Chrome on .+ · this browser/).waitFor();
  });

  test('without a tap there are no quiet hours, and the ladder is shown still to those who want no movement', async () => {
    const visitor = await web.open();
    const { page } = visitor;
    await signInToToday(visitor, web.app, 'still@example.org');
    for (const name of ['Next', 'No, at any hour', 'Next']) await page.getByRole('button', { name }).click();
    await page.getByText('20:00: it insists').waitFor();
    assert.equal(await page.locator('[data-nudge=sent]').count(), 6);
    assert.equal(await page.getByRole('button', { name: 'Watch again' }).count(), 0);
    assert.equal(await quietHours('still@example.org'), null);
  });
});
