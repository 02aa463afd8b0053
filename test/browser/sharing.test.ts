import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { closeBrowser, openToday, startWebTestApp, type WebTestApp } from '../support/browser.ts';
import { onSomeEngine } from '../support/engines.ts';
import { signIn } from '../support/people.ts';
import { waitForStoredTask } from '../support/stored-task.ts';

after(closeBrowser);

onSomeEngine('postgres', (engine) => {
  let web: WebTestApp;
  before(async () => {
    web = await startWebTestApp(engine);
  });
  afterEach(() => web.closeVisitors());
  after(() => web[Symbol.asyncDispose]());

  test('a space is shared by link, and a request from one account is accepted in the other', async () => {
    const ada = await web.open();
    await openToday(ada, web.app, 'ada@example.org');
    await ada.page.getByRole('link', { name: 'Spaces' }).click();
    await ada.page.getByRole('button', { name: 'New space' }).click();
    await ada.page.getByLabel('Name of the space').fill('Home');
    await ada.page.locator('dialog').getByRole('button', { name: 'New space' }).click();
    await ada.page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
    await ada.page.getByRole('button', { name: 'Invite by link' }).click();
    await ada.page.getByRole('button', { name: 'Make the link' }).click();
    const link = await ada.page.getByLabel('Invitation link').inputValue();
    await ada.page.locator('dialog').getByRole('button', { name: 'Close' }).click();

    const grace = await web.open({ viewport: { width: 360, height: 740 } });
    await openToday(grace, web.app, 'grace@example.org');
    await grace.page.getByRole('link', { name: 'Settings' }).click();
    await grace.page.getByLabel('Name that others see').fill('Grace');
    await grace.page.getByRole('button', { name: 'Save' }).click();
    await grace.page.getByText('Saved').waitFor();
    await grace.page.goto(new URL(link).pathname);
    await grace.page.getByRole('button', { name: 'Join' }).click();
    await grace.page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();

    await web.advance('2m');
    await ada.page.getByText('Grace').waitFor();
    await ada.page.getByRole('button', { name: 'Ask a member' }).click();
    await ada.page.getByLabel('Add a task in plain words').fill('pick up the parcel at 18:00');
    await ada.page.getByText('Understood as').waitFor();
    await ada.page.getByRole('button', { name: 'Send the request' }).click();
    await ada.page.getByRole('heading', { name: 'Asked, not answered yet' }).waitFor();
    const asked = await waitForStoredTask(web.app, 'pick up the parcel');
    assert.equal(asked.accepted_by_owner, false);

    await grace.page.getByRole('link', { name: 'Today' }).click();
    await web.advance('1m');
    await grace.page.getByRole('link', { name: /Today\s*1\s*Requests/ }).waitFor();
    await grace.page.getByRole('button', { name: 'Accept: pick up the parcel' }).click();
    await grace.page.getByRole('heading', { name: 'Due today' }).waitFor();
    await waitForStoredTask(web.app, 'pick up the parcel', ({ accepted_by_owner }) => accepted_by_owner);

    await web.advance('1m');
    await ada.page.getByRole('heading', { name: 'Asked, not answered yet' }).waitFor({ state: 'detached' });
    await ada.page.getByRole('link', { name: 'pick up the parcel' }).waitFor();
    assert.deepEqual([...ada.errors, ...grace.errors], []);
  });

  test('who asked sees that a request was declined', async () => {
    const [asker, asked] = [await signIn(web.app, 'asks@example.org'), await signIn(web.app, 'declines@example.org')];
    const space = (await asker.ask('POST', '/v1/spaces', { name: 'Band' })).body.data;
    const invite = (await asker.ask('POST', `/v1/spaces/${space.id}/invites`, {})).body.data;
    const joined = await asked.ask('POST', `/v1/invites/${invite.token}/accept`);
    assert.equal(joined.status, 200);
    const request = { title: 'book the hall', owner_id: asked.userId, space_id: space.id };
    await asker.ask('POST', '/v1/tasks', request);
    const visitor = await web.open();
    await openToday(visitor, web.app, 'asks@example.org');
    const { page } = visitor;
    await page.goto(`/app/spaces/${space.id}`);
    await page.getByRole('heading', { name: 'Asked, not answered yet' }).waitFor();

    const decliner = await web.open();
    await openToday(decliner, web.app, 'declines@example.org');
    await decliner.page.getByRole('button', { name: 'Decline: book the hall' }).click();
    await web.advance('1m');
    await waitForStoredTask(web.app, 'book the hall', ({ status }) => status === 'declined');
    await web.advance('1m');
    await page.getByRole('heading', { name: 'Declined' }).waitFor();
    await page.getByRole('link', { name: 'book the hall' }).waitFor();
    await page.getByRole('heading', { name: 'Asked, not answered yet' }).waitFor({ state: 'detached' });
  });
});
