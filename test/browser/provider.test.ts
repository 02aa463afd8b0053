import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { browserTests, goToSettings, signInToToday, startWebTestApp } from '../support/browser.ts';
import { enableSecondFactor, totpCode } from '../support/deployment.ts';
import { onSomeEngine } from '../support/engines.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { CLIENT_ID, FakeIdentityProvider } from '../support/identity-provider.ts';
import { OpenIdProvider } from '../support/openid-provider.ts';
import { createPerson, openSession, personWith } from '../support/people.ts';
import { testInFull } from '../support/size.ts';

const BUTTON = { name: 'Continue with your identity provider' };
const BY_EMAIL = { name: 'Sign in with email instead' };

// The library that checks the provider's tokens lives in real time.
const clock = new FakeClock();
let provider: FakeIdentityProvider;

async function startProvider(parts: AsyncDisposableStack) {
  clock.set(new Date().toISOString());
  provider = parts.use(await FakeIdentityProvider.start(clock));
  return { clock, settings: provider.settings };
}

browserTests('postgres', startProvider, (web, engine) => {
  test('a person signs in at the provider, in two tabs at the same time, and comes back into their account with its verified address', async () => {
    const { page, context } = await web.open();
    const second = await context.newPage();
    for (const tab of [page, second]) {
      await tab.goto('/app');
      await tab.getByRole('button', BUTTON).click();
      await tab.getByRole('button', { name: 'Agree' }).waitFor();
    }
    // Each with its own answer.
    for (const tab of [second, page]) {
      await tab.getByRole('button', { name: 'Agree' }).click();
      await tab.getByRole('heading', { name: 'Today', level: 1 }).waitFor();
    }
    const { hash, search } = new URL(page.url());
    assert.deepEqual([hash, search], ['', ''], 'the code stayed in the address');
    assert.equal(provider.asked.client_id, CLIENT_ID);
    assert.deepEqual([provider.asked.response_type, provider.asked.code_challenge_method], ['code', 'S256']);
    assert.match(provider.asked.nonce ?? '', /^nc_/, 'the nonce is not one of the service');
    await goToSettings(page, 'You and this app');
    await page.getByText('person@example.org').waitFor();
  });

  testInFull(
    'an old sign-in is proven again at the provider in a window of its own, which a link from elsewhere cannot do, and what was being done goes on',
    async () => {
      const { page, context } = await web.open();
      await page.goto('/app');
      await page.getByRole('button', BUTTON).click();
      await page.getByRole('button', { name: 'Agree' }).click();
      await goToSettings(page, 'Your data');
      const sessions = () => web.app.db.selectFrom('sessions').select('id').orderBy('id').execute();
      const before = await sessions();
      const longAgo = new Date(clock.now().getTime() - 3_600_000);
      await web.app.db.updateTable('sessions').set({ proven_at: longAgo }).execute();
      const lured = await context.newPage();
      await lured.goto('/app/sign-in?next=%2Fproof');
      await lured.getByRole('button', { name: 'Agree' }).click();
      await lured.getByText('Close this window').waitFor();
      await lured.close();
      const stale = web.app.db.selectFrom('sessions').select('id').where('proven_at', '=', longAgo).orderBy('id');
      assert.deepEqual(await stale.execute(), before);
      const known = await sessions();

      await page.getByRole('button', { name: 'Create feed link' }).click();
      const [popup] = await Promise.all([context.waitForEvent('page'), page.getByRole('button', BUTTON).click()]);
      await popup.getByRole('button', { name: 'Agree' }).click();
      await page.getByLabel('Feed link').waitFor();
      assert.deepEqual(await sessions(), known);
    },
  );

  testInFull('whoever does not agree is told so, and can go on by mail', async () => {
    provider.refuses = true;
    const visitor = await web.open();
    await visitor.page.goto('/app');
    await visitor.page.getByRole('button', BUTTON).click();
    await visitor.page.getByRole('button', { name: 'Agree' }).click();
    await visitor.page.getByRole('alert').getByText('did not sign you in').waitFor();
    provider.refuses = false;
    await signInToToday(visitor, web.app, 'by-mail@example.org');
  });

  test("somebody else's code, planted in a link or a form, signs nobody in", async () => {
    const asked = new URLSearchParams({ client_id: CLIENT_ID, nonce: 'theirs', state: 'theirs' });
    const theirPage = await (await fetch(`${provider.issuer}/authorize?${asked}`)).text();
    const code = /name="code" value='([\w-]+)'/.exec(theirPage)?.[1] ?? '';
    assert.ok(code);
    const { page } = await web.open();
    for (const mark of ['#', '?']) {
      await page.goto(`/app/sign-in${mark}code=${code}&state=theirs`);
      await page.getByRole('alert').getByText('was not for this sign-in').waitFor();
      assert.ok(!page.url().includes(code));
      // The next address may differ in its hash only, which loads no page.
      await page.goto('/app');
    }
    // With the state of a sign-in that is under way, and still not the code that was asked for.
    await page.getByRole('button', BUTTON).click();
    await page.getByRole('button', { name: 'Agree' }).waitFor();
    await page.evaluate(`document.querySelector('[name=code]').value = ${JSON.stringify(code)}`);
    await page.getByRole('button', { name: 'Agree' }).click();
    await page.getByRole('alert').getByText('was not accepted').waitFor();
  });

  testInFull(
    'where sign-up is by invitation the screen says so, and the link of an invitation leads through it',
    async () => {
      await using closed = await startWebTestApp(engine, {
        clock,
        settings: { ...provider.settings, SIGN_UP: 'invite' },
      });
      const member = await createPerson(closed.app);
      const space = (await member.ask('POST', '/v1/spaces', { name: 'Home' })).body.data;
      const invite = async () =>
        `/app/invites/${(await member.ask('POST', `/v1/spaces/${space.id}/invites`, {})).body.data.token}`;
      const join = async (page: Page) => {
        await page.getByLabel('Your name, as the others will see it').fill('Guest');
        await page.getByRole('button', { name: 'Join' }).click();
        await page.getByRole('heading', { name: 'Home', level: 1, exact: true }).waitFor();
      };
      const [byMail, byProvider] = [await closed.open(), await closed.open()];

      await byMail.page.goto(await invite());
      await byMail.page.getByText('Your invitation lets you create an account.').waitFor();
      await byMail.page.getByRole('button', BY_EMAIL).click();
      await byMail.page.getByLabel('Email address').fill('guest@example.org');
      await byMail.page.getByRole('button', { name: 'Mail me a code' }).click();
      const field = byMail.page.getByLabel('Code from the mail');
      await field.waitFor();
      const code = /Your sign-in code is (\d{6})/.exec(closed.app.printed.at(-1) ?? '')?.[1];
      assert.ok(code, 'the invited address got no code');
      await field.fill(code);
      await byMail.page.getByRole('button', { name: 'Sign in' }).click();
      await join(byMail.page);

      const { page } = byProvider;
      await page.goto('/app');
      await page.getByText('New accounts are by invitation only.').waitFor();
      await page.getByRole('button', BUTTON).click();
      await page.getByRole('button', { name: 'Agree' }).click();
      await page.getByRole('alert').getByText('New accounts are not open to everyone').waitFor();
      await page.goto(await invite());
      await page.getByRole('button', BUTTON).click();
      await page.getByRole('button', { name: 'Agree' }).click();
      await join(page);
    },
  );

  test('while the provider cannot be reached the screen says so, and mail works', async () => {
    provider.down = true;
    await using fresh = await startWebTestApp(engine, { clock, settings: provider.settings });
    const visitor = await fresh.open();
    await visitor.page.goto('/app');
    await visitor.page.getByRole('button', BUTTON).click();
    await visitor.page.getByRole('alert').getByText('cannot be reached').waitFor();
    await signInToToday(visitor, fresh.app, 'meanwhile@example.org');
    provider.down = false;
  });

  testInFull(
    "Apple's form signs in with the name that it brings once, and its refresh token is kept to be revoked",
    async () => {
      await using apple = await FakeIdentityProvider.start(clock);
      apple.user = { name: { firstName: 'Ada', lastName: 'Lovelace' }, email: 'planted@example.org' };
      apple.person = { email: 'person@example.org', email_verified: 'true' };
      const settings = { ...apple.settings, ...(await apple.clientSettings()), IDP_NAME: 'Apple' };
      await using service = await startWebTestApp(engine, { clock, settings });
      const { page } = await service.open();
      await page.goto('/app');
      await page.getByRole('button', { name: 'Continue with Apple' }).click();
      await page.getByRole('button', { name: 'Agree' }).click();
      await page.getByRole('heading', { name: 'Today', level: 1 }).waitFor();
      assert.deepEqual([apple.asked.response_mode, apple.asked.scope], ['form_post', 'openid email name']);
      const [exchange] = apple.calls;
      assert.match(exchange?.fields.client_secret ?? '', /^ey/);
      const user = await service.app.db.selectFrom('users').selectAll().executeTakeFirstOrThrow();
      assert.deepEqual([user.display_name, user.email], ['Ada Lovelace', 'person@example.org']);
      const { refresh_token } = await service.app.db.selectFrom('identities').selectAll().executeTakeFirstOrThrow();
      assert.ok(refresh_token && !refresh_token.includes('refresh-token-of-the-provider'));
    },
  );
});

onSomeEngine('sqlite', (engine) => {
  async function startReal(settings: Record<string, string>) {
    const parts = new AsyncDisposableStack();
    const openId = parts.use(await OpenIdProvider.start({}));
    clock.set(new Date().toISOString());
    const service = parts.use(await startWebTestApp(engine, { clock, settings: { ...openId.settings, ...settings } }));
    openId.serve(service.origin);
    return { openId, service, [Symbol.asyncDispose]: () => parts.disposeAsync() };
  }

  test('at a real provider: in, through the second factor to where the person wanted to go, and out there too', async () => {
    await using real = await startReal({ IDP_NAME: 'Home', EMAIL_SIGN_IN: 'false' });
    const { openId, service } = real;
    const visitor = await service.open();
    const { page } = visitor;
    await page.goto('/app/history');
    await page.getByRole('button', { name: 'Continue with Home' }).click();
    await page.waitForURL(`${service.origin}/app/history`);

    // Back-channel: the session ends because the person signed out at the provider.
    await page.goto('/app/settings/sign-in');
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await page.waitForURL(`${openId.issuer}/session/end?**`);
    await page.getByRole('button', { name: 'Yes, sign me out' }).click();
    await page.getByRole('button', { name: 'Continue with Home' }).waitFor();
    assert.equal(new URL(page.url()).origin, service.origin);

    assert.equal(await page.getByRole('button', BY_EMAIL).count(), 0);

    const { app } = service;
    const { id } = await app.db.selectFrom('users').select('id').executeTakeFirstOrThrow();
    const { secret } = await enableSecondFactor(app, personWith(app, '', id, await openSession(app, id)));
    await page.goto('/app/history');
    await page.getByRole('button', { name: 'Continue with Home' }).click();
    await page.getByLabel('Code', { exact: true }).fill(totpCode(app, secret));
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL(`${service.origin}/app/history`);
    // The provider's own page asks for a font on the internet.
    const ours = visitor.errors.filter((line) => !line.includes('ERR_NAME_NOT_RESOLVED'));
    assert.deepEqual(ours, []);
  });

  testInFull(
    'with IDP_AUTO_REDIRECT the screen leads to the provider, but not after a sign-out, an error or with ?stay',
    async () => {
      await using real = await startReal({ IDP_AUTO_REDIRECT: 'true', IDP_NAME: 'Home' });
      const { openId, service } = real;
      const { page } = await service.open();
      const button = page.getByRole('button', { name: 'Continue with Home' });
      await page.goto('/app');
      await goToSettings(page, 'Sign-in and security');
      await page.getByRole('button', { name: 'Sign out', exact: true }).click();
      await page.getByRole('button', { name: 'Yes, sign me out' }).click();
      await button.waitFor();

      await page.goto('/app/sign-in?stay');
      await button.waitFor();
      await page.getByRole('button', BY_EMAIL).click();
      await page.getByLabel('Email address').waitFor();

      openId.refuses = true;
      await page.goto('/app');
      await page.getByRole('alert').getByText('did not sign you in').waitFor();
      const { length } = openId.calls;
      await page.reload();
      await button.waitFor();
      assert.equal(openId.calls.length, length, 'a reload after the error led to the provider again');
    },
  );
});
