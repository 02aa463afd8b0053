import assert from 'node:assert/strict';
import { test } from 'node:test';
import { browserTests, dueToday, goTo, openList, openTodayWith, pauseClock } from '../support/browser.ts';
import { testInFull } from '../support/size.ts';
import { findStoredTask, waitForStoredTask } from '../support/stored-task.ts';
import { waitUntil } from '../support/wait-until.ts';

browserTests('sqlite', {}, (web) => {
  test('a ticked row stays for a second and takes no clicks, so two quick clicks finish one task', async () => {
    const { page } = await openTodayWith(web, 'twice@example.org', [
      { title: 'first thing', ...dueToday('23:00') },
      { title: 'second thing', ...dueToday('23:10') },
      { title: 'third thing', ...dueToday('23:20') },
    ]);
    await page.getByRole('link', { name: 'third thing' }).waitFor();
    const box = await page.getByRole('button', { name: 'Done: first thing' }).boundingBox();
    assert.ok(box);
    const click = () => page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
    await pauseClock(page);
    await click();
    await page.getByText('Done: “first thing”').waitFor();
    await page.clock.runFor(900);
    assert.deepEqual(await page.getByRole('button', { name: 'Done: first thing' }).boundingBox(), box);
    await click();
    await page.clock.runFor(200);
    await page.getByRole('link', { name: 'first thing' }).waitFor({ state: 'detached' });
    assert.deepEqual(await page.getByRole('button', { name: 'Done: second thing' }).boundingBox(), box);
    // Still the click that began on the row above.
    await click();
    await page.clock.runFor(700);
    // A click after a moment is meant for the row that is there now.
    await click();
    await page.getByText('Done: “second thing”').waitFor();
    await page.clock.resume();
    await page.getByRole('link', { name: 'second thing' }).waitFor({ state: 'detached' });
    await waitForStoredTask(web.app, 'first thing', ({ status }) => status === 'done');
    await waitForStoredTask(web.app, 'second thing', ({ status }) => status === 'done');
    assert.equal((await findStoredTask(web.app, 'third thing'))?.status, 'open');
  });

  test('a snooze can be undone for as long as Undo is shown, and is sent afterwards; an Undo that comes too late says so', async () => {
    const { page } = await openTodayWith(web, 'undo-late@example.org', [
      { title: 'call Grace', ...dueToday('23:00') },
      { title: 'call Alan', ...dueToday('23:10') },
    ]);
    await page.getByRole('link', { name: 'call Alan' }).waitFor();
    await pauseClock(page);
    const snooze = async (title: string) => {
      await page.getByRole('button', { name: `Snooze: ${title}` }).click();
      await page.getByRole('button', { name: 'In an hour' }).click();
      await page.locator('[data-task]').filter({ hasText: title }).getByText('snoozed until').waitFor();
      await page.getByRole('button', { name: 'Undo' }).waitFor();
    };
    await snooze('call Grace');
    // In steps, because the queue starts its timer only after it has read the browser's database.
    for (let step = 0; step < 23; step += 1) await page.clock.runFor(300);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('snoozed until').waitFor({ state: 'detached' });
    await page.clock.runFor(10_000);
    assert.equal((await findStoredTask(web.app, 'call Grace'))?.deferred_until, null);

    await snooze('call Grace');
    await page.clock.runFor(7_000);
    await page.getByRole('button', { name: 'Undo' }).waitFor({ state: 'detached' });
    await page.clock.resume();
    await web.advance('1m');
    await waitForStoredTask(web.app, 'call Grace', ({ deferred_until }) => deferred_until !== null);

    await pauseClock(page);
    await snooze('call Alan');
    // A page that may be closing sends everything at once.
    await page.evaluate("dispatchEvent(new Event('pagehide'))");
    await waitForStoredTask(web.app, 'call Alan', ({ deferred_until }) => deferred_until !== null);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Too late to undo').waitFor();
  });

  test('Ctrl+Z undoes one action after another, the newest first, for as long as each is offered', async () => {
    const titles = ['feed the cat', 'feed the dog', 'feed the fish'];
    const tasks = titles.map((title) => ({ title, ...dueToday('23:00') }));
    const { page } = await openTodayWith(web, 'stack@example.org', tasks);
    await page.getByRole('link', { name: 'feed the fish' }).waitFor();
    await pauseClock(page);
    await page.getByRole('button', { name: 'Done: feed the cat' }).click();
    await page.getByText('Done: “feed the cat”').waitFor();
    await page.clock.runFor(5_000);
    await page.getByRole('button', { name: 'Snooze: feed the dog' }).click();
    await page.getByRole('button', { name: 'In an hour' }).click();
    await page.getByText('Snoozed “feed the dog”').waitFor();
    await page.getByRole('button', { name: 'Done: feed the fish' }).click();
    await page.getByText('Done: “feed the fish”').waitFor();
    await page.getByText('2 more to undo').waitFor();
    await page.keyboard.press('Control+z');
    await page.getByText('Snoozed “feed the dog”').waitFor();
    assert.equal(
      await page.getByRole('button', { name: 'Undo' }).getAttribute('aria-keyshortcuts'),
      'Control+Z Meta+Z',
    );
    await page.keyboard.press('Control+z');
    await page.getByText('snoozed until').waitFor({ state: 'detached' });
    // The oldest is offered for the rest of its own time only.
    await page.getByText('Done: “feed the cat”').waitFor();
    await page.clock.runFor(2_500);
    await page.getByText('Done: “feed the cat”').waitFor({ state: 'detached' });
    await page.keyboard.press('Control+z');
    await page.clock.resume();
    await waitForStoredTask(web.app, 'feed the cat', ({ status }) => status === 'done');
    await waitForStoredTask(web.app, 'feed the fish', ({ status }) => status === 'open');
    assert.equal((await findStoredTask(web.app, 'feed the dog'))?.deferred_until, null);
    await waitUntil(async () => (await page.getByRole('link', { name: /^feed the/ }).count()) === 2);
  });

  testInFull('a dropped task is in the history for a day, where the drop can be undone', async () => {
    const tomorrow = { due_at: '2026-03-03T09:00:00+01:00', has_time: true };
    const { page } = await openTodayWith(web, 'drops@example.org', [
      { title: 'buy the boat', ...tomorrow },
      { title: 'sell the car', ...tomorrow },
    ]);
    const drop = async (title: string) => {
      await openList(page, 'Upcoming');
      await page.getByRole('link', { name: title }).click();
      await page.getByRole('button', { name: 'Drop' }).click();
      await page.locator('dialog').getByRole('button', { name: 'Drop' }).click();
      await waitForStoredTask(web.app, title, ({ status }) => status === 'dropped');
    };
    await drop('buy the boat');
    await drop('sell the car');
    await web.advance('20h');
    await goTo(page, 'History');
    await page.getByRole('heading', { name: 'Recently dropped' }).waitFor();
    await page.getByRole('button', { name: 'Undo: buy the boat' }).click();
    await waitForStoredTask(web.app, 'buy the boat', ({ status }) => status === 'open');
    await page.getByRole('link', { name: 'buy the boat' }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'sell the car' }).waitFor();
    await web.advance('5h');
    await page.getByRole('link', { name: 'sell the car' }).waitFor({ state: 'detached' });
  });

  testInFull(
    'what an edit replaced is put back from the task; what was missed stands in the timeline and in History',
    async () => {
      const { page } = await openTodayWith(web, 'put-back@example.org', [
        { title: 'take the pills', notes: 'two with water', ...dueToday('08:00'), recurrence: { freq: 'daily' } },
      ]);
      await page.getByRole('link', { name: 'take the pills' }).click();
      await page.getByText('two with water').waitFor();
      const { id } = await waitForStoredTask(web.app, 'take the pills', () => true);
      await page.evaluate(
        (url) =>
          fetch(url, {
            method: 'PATCH',
            headers: { 'content-type': 'application/json', 'x-crescendo-app': '1' },
            body: JSON.stringify({ notes: null }),
          }),
        `/v1/tasks/${id}`,
      );
      await page.getByText('Before: two with water').waitFor();
      await page.getByRole('button', { name: 'Put back: notes' }).click();
      await page.getByText('Put back as it was.').waitFor();
      await waitForStoredTask(web.app, 'take the pills', ({ notes }) => notes === 'two with water');
      await web.advance('3d');
      await page.reload();
      // The page's own: a nudge that is announced has one too.
      await page.locator('[aria-keyshortcuts="d"]').click();
      await page.getByText('Missed', { exact: true }).waitFor();
      await goTo(page, 'History');
      await page.getByText(/\d missed meanwhile: .* to today at 08:00/).waitFor();
    },
  );
});
