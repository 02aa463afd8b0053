import assert from 'node:assert/strict';
import { test } from 'node:test';
import { look } from '../support/accessibility.ts';
import { addPasskey } from '../support/authenticator.ts';
import { browserTests, openAppAs, proveByMail } from '../support/browser.ts';
import { WebhookRig } from '../support/channel-rigs.ts';
import { enableSecondFactor } from '../support/deployment.ts';
import { createPerson, openSession, type Person } from '../support/people.ts';
import { testInFull } from '../support/size.ts';
import { createSpace } from '../support/spaces.ts';
import { waitUntil } from '../support/wait-until.ts';

let hook: WebhookRig;

async function startHook(parts: AsyncDisposableStack) {
  hook = parts.use(await WebhookRig.start());
  return { settings: hook.settings };
}

const PHONE = { width: 390, height: 844 };

browserTests('sqlite', startHook, (web) => {
  const sessionsOf = ({ userId }: Person) =>
    web.app.db.selectFrom('sessions').select('id').where('user_id', '=', userId).execute();

  test('who adds a channel in an old session is asked for a code in a dialog, which can be cancelled; what was typed stays, and so does the session', async () => {
    const person = await createPerson(web.app, 'old@example.org');
    const before = await sessionsOf(person);
    await web.advance('16m');
    const visitor = await web.open({ viewport: PHONE });
    const { page } = visitor;
    await openAppAs(visitor, person.sessionToken, '/app/settings/channels');
    await page.getByRole('button', { name: /^Webhook/ }).click();
    const url = page.getByLabel('URL');
    await url.fill(`${hook.server.origin}/hook/kept`);
    await page.getByRole('button', { name: 'Go on' }).click();
    await page.getByRole('heading', { name: 'Is this you?' }).waitFor();
    await page.getByRole('dialog', { name: 'Is this you?' }).getByRole('button', { name: 'Close' }).click();
    await page.getByRole('alert').getByText('this needs a new sign-in').waitFor();
    assert.equal(await url.inputValue(), `${hook.server.origin}/hook/kept`);

    await page.getByRole('button', { name: 'Go on' }).click();
    await proveByMail(page, web.app, person.email);
    await page.getByRole('button', { name: 'Send the request' }).waitFor();
    const channels = web.app.db.selectFrom('channels').select('provider').where('user_id', '=', person.userId);
    assert.deepEqual(await channels.execute(), [{ provider: 'webhook' }]);
    assert.deepEqual(await sessionsOf(person), before);
    // The session goes on with another token, in the cookie of the browser.
    assert.equal((await person.ask('GET', '/v1/me')).status, 401);
    await page.reload();
    await page.getByRole('heading', { name: 'What reaches you' }).waitFor();
  });

  test('the page for signing out everywhere lists all with dates, has what is new chosen, and ends it after a proof', async () => {
    const person = await createPerson(web.app, 'afraid@example.org');
    await addPasskey(person);
    await web.advance('40d');
    const { body } = await person.ask('POST', '/v1/tokens', { name: 'Unknown script', scopes: ['tasks:read'] });
    await person.ask('POST', `/v1/spaces/${await createSpace(person)}/invites`, { invitee_contact: 'eve@example.org' });
    const stolen = await openSession(web.app, person.userId);
    await web.advance('16m');
    const visitor = await web.open();
    const { page } = visitor;
    await openAppAs(visitor, person.sessionToken, '/app/settings/sign-in');
    await page.getByRole('link', { name: 'Sign out everywhere' }).click();
    await page.getByRole('heading', { name: 'Sign out everywhere', level: 1 }).waitFor();
    assert.equal(await page.getByLabel('All other sessions (1)').isChecked(), true);
    assert.equal(await page.getByRole('checkbox', { name: /Unknown script/ }).isChecked(), true);
    assert.equal(await page.getByRole('checkbox', { name: /^Phone/ }).isChecked(), false);
    await page.getByRole('heading', { name: 'Open invitations to spaces' }).waitFor();
    assert.equal(await page.getByRole('checkbox', { name: /^Home · eve@example.org/ }).isChecked(), true);
    await page.getByRole('button', { name: 'End what is chosen (3)' }).click();
    await proveByMail(page, web.app, person.email);
    await page.getByText('3 things ended. You are still signed in here.').waitFor();
    await page.getByText('You are signed in only here.').waitFor();
    assert.equal((await person.ask('GET', '/v1/me', undefined, stolen)).status, 401);
    assert.equal((await person.ask('GET', '/v1/me', undefined, body.data.token)).status, 401);
    const passkeys = web.app.db.selectFrom('passkeys').select('name').where('user_id', '=', person.userId);
    assert.equal((await passkeys.execute()).length, 1);
  });

  testInFull(
    'a person changes the address with a recent sign-in and a code, and the old address takes it back',
    async () => {
      const person = await createPerson(web.app, 'before@example.org');
      await web.advance('16m');
      const visitor = await web.open({ viewport: PHONE });
      const { page } = visitor;
      await openAppAs(visitor, person.sessionToken, '/app/settings/sign-in');
      await page.getByRole('button', { name: 'Change the address' }).click();
      await page.getByLabel('New email address').fill('after@example.org');
      await page.getByRole('button', { name: 'Send the code' }).click();
      await proveByMail(page, web.app, person.email);
      // The dialog before it has a field of the same name.
      await page.getByText('If after@example.org can be used').waitFor();
      const code = page.getByLabel('Code from the mail');
      await code.fill('000000');
      const change = page.getByRole('dialog').getByRole('button', { name: 'Change the address' });
      await change.click();
      await page.getByText('The code is wrong').waitFor();
      await look(page, 'account-safety');
      const sent = web.app.printed.findLast((text) => text.includes('Mail to after@example.org '));
      await code.fill(/account is (\d{6})/.exec(sent ?? '')?.[1] ?? '');
      await change.click();
      await page.getByText('Your address is after@example.org now').waitFor();
      await page.getByText('after@example.org', { exact: true }).waitFor();

      const find = () =>
        web.app.printed.findLast(
          (text) => text.includes('Mail to before@example.org ') && text.includes('/take-back/'),
        );
      await waitUntil(() => find() !== undefined);
      await page.goto(/\/take-back\/\S+/.exec(find() ?? '')?.[0] ?? '');
      await page.getByRole('heading', { name: 'Take the change of your address back?' }).waitFor();
      await look(page, 'account-safety');
      await page.getByRole('button', { name: 'Take it back' }).click();
      await page.getByRole('heading', { name: 'Your address is back' }).waitFor();
      await look(page, 'account-safety');
      await page.getByRole('link', { name: 'Open Crescendo' }).click();
      await page.getByLabel('Email').waitFor();
    },
  );

  testInFull(
    'an administrator asks for the reset of a second factor, and its owner keeps it on in the app',
    async () => {
      const boss = await createPerson(web.app, 'operator@home.test');
      const person = await createPerson(web.app, 'factor@example.org');
      await enableSecondFactor(web.app, person);
      const admin = await web.open({ viewport: PHONE });
      await openAppAs(admin, boss.sessionToken, `/app/settings/admin/people/${person.userId}`);
      await admin.page.getByRole('button', { name: 'Reset the second factor' }).click();
      await admin.page.getByRole('button', { name: 'Turn off in three days' }).click();
      await admin.page.getByText(/^on; will be off on .* at .*, unless its owner stops it$/).waitFor();
      await look(admin.page, 'account-safety');

      const visitor = await web.open();
      await openAppAs(visitor, person.sessionToken, '/app/settings/sign-in');
      await visitor.page.getByText('An administrator has asked to turn your second factor off').waitFor();
      await look(visitor.page, 'account-safety');
      await visitor.page.getByRole('button', { name: 'Keep it on' }).click();
      await visitor.page.getByText('Your second factor stays on').waitFor();
      await admin.page.reload();
      await admin.page.getByRole('button', { name: 'Reset the second factor' }).waitFor();
      assert.equal(await admin.page.getByText(/will be off on/).count(), 0);
    },
  );
});
