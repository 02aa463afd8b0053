import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { browserTests, followLink, openAppAs, proveByMail } from '../support/browser.ts';
import { addDevice } from '../support/fake-phones.ts';
import { createPerson, openSession, type Person } from '../support/people.ts';

const settings = { ADMINS: 'boss@home.test', BASE_URL: 'http://crescendo.example' };

browserTests('postgres', { settings }, (web, engine) => {
  let boss: Person;
  before(async () => {
    boss = await createPerson(web.app, 'boss@home.test');
  });

  const visitSettings = async (sessionToken: string) => {
    const visitor = await web.open();
    await openAppAs(visitor, sessionToken, '/app/settings/you');
    await visitor.page.getByLabel('Name that others see').waitFor();
    return visitor;
  };

  test('an administrator closes sign-up, invites, and suspends, lifts and deletes a person, with a recent sign-in only', async () => {
    const { app } = web;
    const ada = await createPerson(app, 'ada@home.test');
    await ada.ask('POST', '/v1/tasks', { title: 'planted title' });
    await addDevice(app, ada.userId);
    const visitor = await visitSettings(await openSession(app, boss.userId));
    const { page } = visitor;
    await page.getByRole('link', { name: 'Open administration' }).click();
    await page.getByRole('link', { name: /^ada@home\.test/ }).waitFor();
    await page.getByRole('switch', { name: 'Anyone can create an account' }).click();
    await page.getByText('Saved').waitFor();
    assert.equal((await boss.ask('GET', '/v1/admin')).body.data.sign_up, 'invite');

    await page.getByLabel('Invite an email address').fill('new@home.test');
    await page.getByRole('button', { name: 'Invite', exact: true }).click();
    await page.getByText('new@home.test got a mail').waitFor();
    await page.getByRole('button', { name: 'Revoke the invitation of new@home.test' }).click();
    await page.getByText(/^Invited until/).waitFor({ state: 'detached' });

    await page.getByLabel('Find by email address').fill('nobody@');
    await page.getByText('Nobody matches.').waitFor();
    await page.getByLabel('Find by email address').fill('ADA');
    await page.getByRole('link', { name: /^ada@home\.test/ }).click();
    await page.getByText('1 open, 0 done, 0 skipped').waitFor();
    await page.getByText('iPhone or iPad').waitFor();
    assert.equal(await page.getByText('planted').count(), 0);
    await page.getByRole('button', { name: 'Suspend' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Suspend' }).click();
    await page.getByRole('button', { name: 'Lift the suspension' }).waitFor();
    assert.equal((await ada.ask('GET', '/v1/me')).status, 401);
    await page.getByRole('button', { name: 'Lift the suspension' }).click();
    await page.getByRole('button', { name: 'Suspend' }).waitFor();
    assert.equal((await ada.ask('GET', '/v1/me')).status, 200);
    await page.getByRole('button', { name: 'End sessions' }).click();
    await page.getByText('1 session ended').waitFor();
    assert.equal((await ada.ask('GET', '/v1/me')).status, 401);

    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete for good' }).click();
    await page.getByRole('heading', { name: '1 person' }).waitFor();
    assert.equal(await page.getByRole('link', { name: /^ada@home\.test/ }).count(), 0);
    await page.getByRole('link', { name: 'Health' }).click();
    await page.getByText('Each is sent when it is due.').waitFor();
    await page.getByText(engine === 'sqlite' ? /SQLite, \d+ MB\./ : /PostgreSQL, \d+ MB\./).waitFor();
    assert.deepEqual(visitor.errors, []);

    const grace = await createPerson(app, 'grace@home.test');
    await web.advance('20m');
    await followLink(page, `/app/settings/admin/people/${grace.userId}`);
    await page.getByRole('button', { name: 'Suspend' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Suspend' }).click();
    await page.getByRole('heading', { name: 'Is this you?' }).waitFor();
    assert.equal((await grace.ask('GET', '/v1/me')).status, 200);
    await proveByMail(page, app, boss.email);
    await page.getByRole('button', { name: 'Lift the suspension' }).waitFor();
    assert.equal((await grace.ask('GET', '/v1/me')).status, 401);
  });

  test('who is no administrator sees no way to administration, and gets nothing there', async () => {
    const visitor = await visitSettings((await createPerson(web.app)).sessionToken);
    const { page } = visitor;
    await followLink(page, '/app/settings/sign-in');
    // Said by the same answer that says who administers.
    await page.getByText('this browser').first().waitFor();
    await followLink(page, '/app/settings/you');
    await page.getByLabel('Name that others see').waitFor();
    assert.equal(await page.getByRole('link', { name: 'Open administration' }).count(), 0);
    assert.deepEqual(visitor.errors, []);
    await followLink(page, '/app/settings/admin');
    await page.getByText('Only an administrator can do this.').waitFor();
  });
});
