import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import {
  closeBrowser,
  openToday,
  signInToToday,
  startWebTestApp,
  type Visitor,
  type WebTestApp,
} from '../support/browser.ts';
import { onSomeEngine } from '../support/engines.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { CLIENT_ID, FakeIdentityProvider } from '../support/identity-provider.ts';
import { createPerson } from '../support/people.ts';

const BUTTON = { name: 'Continue with your identity provider' };

after(closeBrowser);

onSomeEngine('postgres', (engine) => {
  let web: WebTestApp;
  let provider: FakeIdentityProvider;
  const clock = new FakeClock();
  before(async () => {
    provider = await FakeIdentityProvider.start(clock);
    web = await startWebTestApp(engine, { clock, settings: provider.settings });
  });
  afterEach(() => web.closeVisitors());
  after(async () => {
    await web[Symbol.asyncDispose]();
    await provider[Symbol.asyncDispose]();
  });

  test('a person signs in at the provider and comes back into their account, with its verified address', async () => {
    const { page } = await web.open();
    await page.goto('/app');
    await page.getByRole('button', BUTTON).click();
    await page.getByRole('button', { name: 'Agree' }).click();
    await page.getByRole('heading', { name: 'Today', level: 1 }).waitFor();
    assert.equal(new URL(page.url()).hash, '', 'the token stayed in the address');
    assert.equal(provider.asked.client_id, CLIENT_ID);
    assert.equal(provider.asked.response_mode, 'form_post');
    assert.match(provider.asked.nonce ?? '', /^nc_/, 'the nonce is not one of the service');
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByText('person@example.org').waitFor();
  });

  test('whoever does not agree is told so, and can go on by mail', async () => {
    provider.refuses = true;
    const visitor = await web.open();
    await visitor.page.goto('/app');
    await visitor.page.getByRole('button', BUTTON).click();
    await visitor.page.getByRole('button', { name: 'Agree' }).click();
    await visitor.page.getByRole('alert').getByText('did not sign you in').waitFor();
    provider.refuses = false;
    await signInToToday(visitor, web.app, 'by-mail@example.org');
  });

  test("somebody else's token, planted in a link or a form, signs nobody in", async () => {
    const token = await provider.issue({ nonce: 'theirs', email: 'mallory@example.org', email_verified: true });
    for (const path of [`/app/sign-in#id_token=${token}&state=theirs`, `/app/sign-in#id_token=${token}`]) {
      const { page } = await web.open();
      await page.goto(path);
      await page.getByRole('alert').getByText('was not for this sign-in').waitFor();
      assert.ok(!page.url().includes('id_token'));
    }
    // With the state of a sign-in that is under way, and still not the token that was asked for.
    const { page } = await web.open();
    await page.goto('/app');
    await page.getByRole('button', BUTTON).click();
    await page.getByRole('button', { name: 'Agree' }).waitFor();
    await page.evaluate(`document.querySelector('[name=id_token]').value = ${JSON.stringify(token)}`);
    await page.getByRole('button', { name: 'Agree' }).click();
    await page.getByRole('alert').getByText('was not for this sign-in').waitFor();
  });

  test('where sign-up is by invitation the screen says so, and the link of an invitation leads through it', async () => {
    await using closed = await startWebTestApp(engine, {
      clock,
      settings: { ...provider.settings, SIGN_UP: 'invite' },
    });
    const member = await createPerson(closed.app);
    const space = (await member.ask('POST', '/v1/spaces', { name: 'Home' })).body.data;
    const invite = async () =>
      `/app/invites/${(await member.ask('POST', `/v1/spaces/${space.id}/invites`, {})).body.data.token}`;
    const [byMail, byProvider] = [await closed.open(), await closed.open()];

    await byMail.page.goto(await invite());
    await byMail.page.getByText('Your invitation lets you create an account.').waitFor();
    await byMail.page.getByLabel('Email address').fill('guest@example.org');
    await byMail.page.getByRole('button', { name: 'Mail me a code' }).click();
    const field = byMail.page.getByLabel('Code from the mail');
    await field.waitFor();
    const code = /Your sign-in code is (\d{6})/.exec(closed.app.printed.at(-1) ?? '')?.[1];
    assert.ok(code, 'the invited address got no code');
    await field.fill(code);
    await byMail.page.getByRole('button', { name: 'Sign in' }).click();
    await byMail.page.getByRole('button', { name: 'Join' }).click();
    await byMail.page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();

    const { page } = byProvider;
    await page.goto('/app');
    await page.getByText('New accounts are by invitation only.').waitFor();
    await page.getByRole('button', BUTTON).click();
    await page.getByRole('button', { name: 'Agree' }).click();
    await page.getByRole('alert').getByText('New accounts are not open to everyone').waitFor();
    await page.goto(await invite());
    await page.getByRole('button', BUTTON).click();
    await page.getByRole('button', { name: 'Agree' }).click();
    await page.getByRole('button', { name: 'Join' }).click();
    await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
    await closed.closeVisitors();
  });

  test('while the provider cannot be asked there is no button, and mail works', async () => {
    provider.down = true;
    const visitor = await web.open();
    await signInToToday(visitor, web.app, 'meanwhile@example.org');
    assert.equal(await visitor.page.getByRole('button', BUTTON).count(), 0);
    provider.down = false;
  });

  test('the list of sessions marks the one it is looked at with', async () => {
    const visitors = [await web.open(), await web.open()];
    for (const visitor of visitors) await openToday(visitor, web.app, 'two@example.org');
    const page = (visitors[1] as Visitor).page;
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByText('· this browser').waitFor();
    await page.getByRole('button', { name: /Sign out there/ }).click();
    await page.getByText('That session is signed out.').waitFor();
    await page.getByRole('button', { name: /Sign out there/ }).waitFor({ state: 'detached' });
    await page.getByText('· this browser').waitFor();
  });
});
