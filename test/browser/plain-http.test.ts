import assert from 'node:assert/strict';
import { test } from 'node:test';
import { browserTests, goToSettings, openToday, quickAdd } from '../support/browser.ts';
import { signIn } from '../support/people.ts';
import { waitForStoredTask } from '../support/stored-task.ts';

/** As the operator of a home network would set it. */
const settings = { BASE_URL: 'http://crescendo.test' };

browserTests('sqlite', { settings }, (web) => {
  test('over plain http in a home network, adding, Done and Snooze reach the service, a token can be copied, and the settings say what needs https', async () => {
    // Browsers trust 127.0.0.1 even over http. A name in a home network they do not.
    const visitor = await web.open({ baseURL: web.origin.replace('127.0.0.1', 'crescendo.test') });
    const { page } = visitor;
    await openToday(visitor, web.app, 'home@example.org');
    assert.equal(await page.evaluate('isSecureContext'), false);
    await quickAdd(page, 'feed the cat at 23:00');
    await quickAdd(page, 'lock the door at 23:15');
    await waitForStoredTask(web.app, 'lock the door');
    await page.getByRole('button', { name: 'Done: feed the cat' }).click();
    await page.getByRole('button', { name: 'Snooze: lock the door' }).click();
    await page.getByRole('button', { name: 'In an hour' }).click();
    await web.advance('1m');
    await waitForStoredTask(web.app, 'feed the cat', ({ status }) => status === 'done');
    await waitForStoredTask(web.app, 'lock the door', ({ deferred_until }) => deferred_until !== null);
    const person = await signIn(web.app, 'home@example.org');
    const { body } = await person.ask('GET', '/v1/tasks');
    assert.deepEqual(
      body.data.map(({ title, status }: { title: string; status: string }) => `${title}: ${status}`).sort(),
      ['feed the cat: done', 'lock the door: open'],
    );

    await goToSettings(page, 'Reminders');
    await page.getByRole('link', { name: 'Choose what reaches you' }).click();
    await page.getByText('Nudges in a browser need https').waitFor();
    await goToSettings(page, 'Sign-in and security');
    await page.getByText('Passkeys need https and a host name.').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Add a passkey' }).count(), 0);
    await goToSettings(page, 'You and this app');
    await page.getByText('A browser installs apps').waitFor();
    await goToSettings(page, 'Assistants');
    await page.getByRole('button', { name: 'New token' }).click();
    await page.locator('dialog').getByRole('button', { name: 'Create token' }).click();
    await page.locator('dialog').getByRole('button', { name: 'Copy' }).first().click();
    await page.locator('dialog').getByRole('button', { name: 'Copied', exact: true }).waitFor();
  });
});
