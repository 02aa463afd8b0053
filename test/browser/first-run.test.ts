import assert from 'node:assert/strict';
import { test } from 'node:test';
import { browserTests, goTo, goToSettings, pauseClock, quickAdd, signInToToday } from '../support/browser.ts';
import { addDevice } from '../support/fake-phones.ts';
import { signIn } from '../support/people.ts';
import { testInFull } from '../support/size.ts';
import { channelRow } from '../support/stored-channel.ts';
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
    const climbTo = (words: string) =>
      waitUntil(async () => {
        await page.clock.runFor(200);
        return page.getByText(words).isVisible();
      });
    await climbTo('18:00: the first nudge is gentle.');
    const bars = (state: string) => page.locator(`[data-nudge=${state}]`).count();
    assert.deepEqual([await bars('sent'), await bars('coming')], [1, 5]);
    await climbTo('18:15: it presses');
    await climbTo('20:00: it insists');
    await climbTo('Your first nudge would come today at 20:00, but nothing would bring it to you yet.');
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
    await goToSettings(page, 'Sign-in and security');
    await page.getByText(/^Chrome on .+ · this browser/).waitFor();
  });

  testInFull(
    'without a tap there are no quiet hours, times are by the clock of the person, and the ladder is shown still to those who want no movement',
    async () => {
      const visitor = await web.open({ locale: 'en-US' });
      const { page } = visitor;
      await signInToToday(visitor, web.app, 'still@example.org');
      const { userId: user_id } = await signIn(web.app, 'still@example.org');
      const channel = channelRow(web.app.clock.now(), { user_id, provider: 'webhook' });
      await web.app.db.insertInto('channels').values(channel).execute();
      await page.reload();
      await page.getByText('Nudges can reach you by the webhook.').waitFor();
      await page.getByRole('button', { name: 'Next' }).click();
      await page.getByRole('button', { name: 'Quiet from 10:00 PM to 7:00 AM' }).waitFor();
      for (const name of ['No, at any hour', 'Next']) await page.getByRole('button', { name }).click();
      await page.getByText('An example: a task is due at 6:00 PM').waitFor();
      await page.getByText('8:00 PM: it insists').waitFor();
      // No task has a date, so no nudge would come.
      assert.equal(await page.getByText('Your first nudge').count(), 0);
      await addDevice(web.app, user_id);
      await quickAdd(page, 'call mum at 6pm');
      await page.getByText(/^Your first nudge would come today at 6:00 PM, through iPhone/).waitFor();
      assert.equal(await page.locator('[data-nudge=sent]').count(), 6);
      assert.equal(await page.getByRole('button', { name: 'Watch again' }).count(), 0);
      assert.equal(await quietHours('still@example.org'), null);
    },
  );
});
