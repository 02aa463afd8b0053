import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TOTP } from 'otpauth';
import type { Page } from 'playwright-core';
import { newId } from '../../src/lib/ids.ts';
import { type Fields, newProof, queryOf, register } from '../support/assistants.ts';
import { browserTests, goToSettings, mailedCode, openToday } from '../support/browser.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { FakeIdentityProvider } from '../support/identity-provider.ts';
import { signIn } from '../support/people.ts';
import { testInFull } from '../support/size.ts';

const ASSISTANT = 'https://assistant.example';

// The library that checks the provider's tokens lives in real time.
const clock = new FakeClock();

async function startProvider(parts: AsyncDisposableStack) {
  clock.set(new Date().toISOString());
  const { settings } = parts.use(await FakeIdentityProvider.start(clock));
  return { clock, settings };
}

browserTests('sqlite', startProvider, (web) => {
  /** What an assistant opens. Its own pages are answered here, so that nothing leaves the machine. */
  async function addressFor(page: Page, fields: Fields = {}): Promise<string> {
    await page
      .context()
      .route(`${ASSISTANT}/**`, (route) => route.fulfill({ contentType: 'text/html', body: 'Back.' }));
    const { client_id } = await register(web.app, { client_name: 'Jeeves' });
    const resource = `${web.origin}/mcp`;
    return `${web.origin}/oauth/authorize?${queryOf(client_id, newProof().challenge, { resource, ...fields })}`;
  }

  const consent = (page: Page) => page.getByRole('heading', { name: 'Connect Jeeves?' }).waitFor();

  async function answerOf(page: Page): Promise<URLSearchParams> {
    await page.waitForURL(`${ASSISTANT}/callback?*`);
    return new URL(page.url()).searchParams;
  }

  test('the provider leads back to the request, and a refusal goes to the assistant', async () => {
    const { page } = await web.open();
    await page.goto(await addressFor(page, { state: 'st & te' }));
    await page.getByRole('button', { name: 'Continue with your identity provider' }).click();
    await page.getByRole('button', { name: 'Agree' }).click();
    await consent(page);
    await page.getByRole('button', { name: 'Do not connect' }).click();
    const answer = await answerOf(page);
    assert.deepEqual(
      [answer.get('error'), answer.get('state'), answer.get('code')],
      ['access_denied', 'st & te', null],
    );
  });

  test('a person signs in with both factors on the way and sets the rails, and the assistant gets a code for those', async () => {
    const person = await signIn(web.app, 'rails@example.org');
    const { secret } = (await person.ask('POST', '/v1/auth/mfa/enroll')).body.data;
    const totp = new TOTP({ secret });
    const codeNow = () => totp.generate({ timestamp: clock.now().getTime() });
    assert.equal((await person.ask('POST', '/v1/auth/mfa/enroll/confirm', { code: codeNow() })).status, 200);
    await web.advance('1m');

    const { page } = await web.open({ viewport: { width: 390, height: 844 } });
    // A state that a careless reader would take for a number.
    await page.goto(await addressFor(page, { state: '01e3', scope: 'tasks:read tasks:write settings:write' }));
    await page.getByRole('button', { name: 'Sign in with email instead' }).click();
    await page.getByLabel('Email address').fill('rails@example.org');
    await page.getByRole('button', { name: 'Mail me a code' }).click();
    await page.getByLabel('Code from the mail').waitFor();
    await page.getByLabel('Code from the mail').fill(mailedCode(web.app, 'rails@example.org'));
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByLabel('Code', { exact: true }).fill(codeNow());
    await page.getByRole('button', { name: 'Sign in' }).click();

    await consent(page);
    await page.getByText('It says it is Jeeves. Not verified.').waitFor();
    await page.getByText('assistant.example').waitFor();
    const tick = (name: string) => page.getByLabel(name);
    assert.deepEqual(
      [await tick('Read my tasks').isChecked(), await tick('Pause my reminders').isChecked()],
      [true, false],
    );
    await tick('Add and change my tasks').uncheck();
    await page.getByLabel('How strong its reminders may become').selectOption('Gentle only');
    await page.getByRole('spinbutton', { name: 'Open tasks it may have at once' }).fill('7');
    await page.getByLabel('Until when').selectOption('For 30 days');
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    const answer = await answerOf(page);
    assert.deepEqual([answer.get('state'), answer.get('iss')], ['01e3', web.origin]);
    assert.match(answer.get('code') ?? '', /^cc_/);
    const { rails } = await web.app.db.selectFrom('connection_codes').select('rails').executeTakeFirstOrThrow();
    const expires_at = new Date(clock.now().getTime() + 30 * 86_400_000).toISOString().slice(0, 10);
    assert.deepEqual(
      { ...rails, expires_at: rails.expires_at?.slice(0, 10) },
      { scopes: ['tasks:read'], max_stage: 0, max_open_tasks: 7, expires_at },
    );
  });

  test('a connection stands among the tokens with its host, and is revoked there; a wrong request is explained, and nothing is sent to its address', async () => {
    const visitor = await web.open();
    await openToday(visitor, web.app, 'list@example.org');
    const { id } = await web.app.db
      .selectFrom('users')
      .select('id')
      .where('email', '=', 'list@example.org')
      .executeTakeFirstOrThrow();
    await web.app.db
      .insertInto('access_tokens')
      .values({
        id: '018f4e9c-2f6b-7abc-8def-0123456789ab',
        user_id: id,
        name: 'Claude',
        token_hash: 'connection of the test',
        prefix: 'ct_',
        scopes: JSON.stringify(['tasks:read']),
        created_at: clock.now(),
        client_id: 'https://claude.ai/client',
        client_host: 'claude.ai',
      })
      .execute();
    const { page } = visitor;
    await goToSettings(page, 'Assistants');
    await page.getByText('connected, of claude.ai').waitFor();
    await page.getByRole('button', { name: 'Revoke Claude' }).click();
    await page.getByText('connected, of claude.ai').waitFor({ state: 'detached' });

    await page.goto(await addressFor(page, { redirect_uri: `${ASSISTANT}/stolen` }));
    await page.getByRole('alert').getByText('an address that the assistant did not register').waitFor();
    assert.deepEqual(visitor.foreignRequests, []);
    assert.equal(await page.getByRole('button', { name: 'Connect', exact: true }).count(), 0);
  });

  test('an assistant that asks for more shows what is new, and keeps its limits', async () => {
    const visitor = await web.open({ viewport: { width: 390, height: 844 } });
    await openToday(visitor, web.app, 'more@example.org');
    const { page } = visitor;
    const address = await addressFor(page, { scope: 'tasks:read tasks:write settings:write' });
    const { id: user_id } = await web.app.db
      .selectFrom('users')
      .select('id')
      .where('email', '=', 'more@example.org')
      .executeTakeFirstOrThrow();
    const end = new Date(clock.now().getTime() + 40 * 86_400_000);
    await web.app.db
      .insertInto('access_tokens')
      .values({
        id: newId(),
        user_id,
        token_hash: 'connection that asks for more',
        prefix: 'ct_',
        scopes: JSON.stringify(['tasks:read']),
        created_at: clock.now(),
        client_id: new URL(address).searchParams.get('client_id'),
        max_stage: 0,
        max_open_tasks: 7,
        expires_at: end,
      })
      .execute();
    await page.goto(address);
    await page.getByRole('heading', { name: 'Let Jeeves do more?' }).waitFor();
    const scope = (name: string) => page.getByRole('checkbox', { name });
    const marked = await page.locator('label', { hasText: 'New' }).allInnerTexts();
    assert.deepEqual(
      marked.map((text) => text.replace(/\s+/g, ' ')),
      ['Add and change my tasks New', 'Pause my reminders, set my time zone New'],
    );
    assert.deepEqual(
      [await scope('Add and change my tasks').isChecked(), await scope('Pause my reminders').isChecked()],
      [true, false],
    );
    await scope('Pause my reminders').check();
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    await answerOf(page);
    const { rails } = await web.app.db
      .selectFrom('connection_codes')
      .select('rails')
      .where('user_id', '=', user_id)
      .executeTakeFirstOrThrow();
    assert.deepEqual(rails, {
      scopes: ['tasks:read', 'tasks:write', 'settings:write'],
      max_stage: 0,
      max_open_tasks: 7,
      expires_at: end.toISOString(),
      shortest_wait: null,
    });
  });

  testInFull(
    'the window that an assistant opened stays connected with it, and asks the second time too; a session that has ended leads through sign-in back to the request',
    async () => {
      // The worker answers for the service, with headers of its own.
      const visitor = await web.open({ serviceWorkers: 'allow' });
      await openToday(visitor, web.app, 'popup@example.org');
      const { page, context } = visitor;
      const address = await addressFor(page);
      for (const round of ['first', 'second']) {
        await page.goto(`${ASSISTANT}/start?${round}`);
        const opened = context.waitForEvent('page');
        await page.evaluate(`window.opened = window.open(${JSON.stringify(address)})`);
        const popup = await opened;
        await consent(popup);
        assert.equal(await page.evaluate('window.opened.closed'), false);
        await popup.getByRole('button', { name: 'Connect', exact: true }).click();
        await answerOf(popup);
        assert.equal(await page.evaluate('window.opened.closed'), false);
        await popup.close();
      }

      await context.clearCookies();
      await page.goto(await addressFor(page));
      await page.getByRole('button', { name: 'Sign in with email instead' }).click();
      await page.getByLabel('Email address').fill('popup@example.org');
      await page.getByRole('button', { name: 'Mail me a code' }).click();
      await page.getByLabel('Code from the mail').waitFor();
      await page.getByLabel('Code from the mail').fill(mailedCode(web.app, 'popup@example.org'));
      await page.getByRole('button', { name: 'Sign in' }).click();
      await consent(page);
    },
  );
});
