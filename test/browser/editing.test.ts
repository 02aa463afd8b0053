import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import type { Page } from 'playwright-core';
import { browserTests, goTo, openAppAs, openList } from '../support/browser.ts';
import { signIn } from '../support/people.ts';
import { findStoredTask, waitForStoredTask } from '../support/stored-task.ts';

browserTests('postgres', {}, (web) => {
  async function openEditor(email: string, title: string): Promise<Page> {
    const person = await signIn(web.app, email);
    await person.ask('PATCH', '/v1/me', { timezone: 'Europe/Amsterdam' });
    const tomorrow = { due_at: '2026-03-03T18:00:00', has_time: true };
    const { id } = (await person.ask('POST', '/v1/tasks', { title, ...tomorrow })).body.data;
    const visitor = await web.open();
    await openAppAs(visitor, person.sessionToken, `/app/tasks/${id}`);
    await visitor.page.getByRole('button', { name: 'Edit' }).click();
    return visitor.page;
  }

  test('a day that no month has, and a repeat that ends before it starts, are refused while they can still be corrected; Esc or a click beside the editor never discards an edit without asking', async () => {
    const page = await openEditor('slips@example.org', 'water the plants');
    await page.getByLabel('Repeat').selectOption('monthly');
    for (const wrong of ['32', '0', '1, x']) {
      await page.getByLabel('On the days of the month').fill(wrong);
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Use days from 1 to 31').waitFor();
      assert.equal(await page.getByLabel('On the days of the month').inputValue(), wrong);
      assert.equal(await page.getByText('Saved').count(), 0);
      await page.getByLabel('On the days of the month').fill('');
      await page.getByText('Use days from 1 to 31').waitFor({ state: 'detached' });
    }
    await page.getByLabel('On the days of the month').fill('1, -1');
    await page.getByRole('button', { name: 'Save' }).click();
    const { recurrence } = await waitForStoredTask(web.app, 'water the plants', (task) => task.recurrence !== null);
    assert.deepEqual(recurrence, { freq: 'monthly', by_month_day: [1, -1] });

    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('Repeat', { exact: true }).selectOption('daily');
    await page.getByLabel('Ends on').fill('2026-03-02');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('It ends before it starts.').waitFor();
    assert.deepEqual((await findStoredTask(web.app, 'water the plants'))?.recurrence, recurrence);
    await page.getByLabel('Ends on').fill('2026-03-03');
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
  });

  test('an edit that the service refuses is kept, and opens again as it was typed', async () => {
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
