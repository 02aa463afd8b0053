import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { Authenticator, addPasskey } from '../support/authenticator.ts';
import {
  browserTests,
  goToSettings,
  openToday,
  proveByMail,
  signInToToday,
  signInWith,
  type Visitor,
  type WebTestApp,
} from '../support/browser.ts';
import { createPerson } from '../support/people.ts';
import { testInFull } from '../support/size.ts';
import { waitUntil } from '../support/wait-until.ts';

/** Gives the visitor a device with a fingerprint reader, which the browser simulates. */
async function withDevice({ context, page }: Visitor) {
  const cdp = await context.newCDPSession(page);
  await cdp.send('WebAuthn.enable');
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return {
    /** Whether the next fingerprint is the owner's. */
    recognizes: (isUserVerified: boolean) => cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified }),
    credentials: async () => (await cdp.send('WebAuthn.getCredentials', { authenticatorId })).credentials,
  };
}

/** A browser that knows passkeys only behind a button. Otherwise the device would answer before it is pressed. */
async function openWithoutAutofill(web: WebTestApp): Promise<Visitor> {
  const visitor = await web.open();
  await visitor.context.addInitScript('PublicKeyCredential.isConditionalMediationAvailable = async () => false');
  return visitor;
}

const openSettings = async (page: Page) => {
  await goToSettings(page, 'Sign-in and security');
  await page.getByRole('heading', { name: 'Passkeys' }).waitFor();
};

async function add(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  await page.getByLabel('Name', { exact: true }).fill(name);
  await page.getByRole('button', { name: 'Continue' }).click();
}

async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Sign out', exact: true }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
}

browserTests('sqlite', { isLocalhost: true }, (web) => {
  test('a passkey is added, signs in without an address but only with the right finger, is renamed and removed', async () => {
    const visitor = await openWithoutAutofill(web);
    const { page } = visitor;
    const device = await withDevice(visitor);
    await openToday(visitor, web.app, 'ada@example.org');
    await openSettings(page);
    await add(page, 'My laptop');
    await page.getByText('Passkey added.').waitFor();
    await page.getByText('not used yet').waitFor();
    const [credential] = await device.credentials();
    assert.equal(credential?.isResidentCredential, true);
    // The same device has nothing to add.
    await add(page, 'Again');
    await page.getByText('has a passkey for your account already').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();

    await device.recognizes(false);
    await signOut(page);
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByRole('alert').getByText('No passkey was used').waitFor();
    await device.recognizes(true);
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByRole('heading', { name: 'Today', level: 1 }).waitFor();
    await openSettings(page);
    await page.getByText('last used today').waitFor();
    await page.getByRole('button', { name: 'Rename or remove: My laptop' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Old laptop');
    await page.getByRole('button', { name: 'Save name' }).click();
    await page.getByRole('button', { name: 'Rename or remove: Old laptop' }).click();
    await page.getByRole('button', { name: 'Remove passkey' }).click();
    await page.getByText('Passkey removed.').waitFor();
    await page.getByText('Old laptop').waitFor({ state: 'detached' });

    await signOut(page);
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByRole('alert').getByText('No account here has that passkey').waitFor();
    // The browser was told, so that it offers the passkey no more.
    await waitUntil(async () => (await device.credentials()).length === 0);
    assert.deepEqual(visitor.foreignRequests, []);
  });

  testInFull(
    'a person who signed in long ago proves it by a code, adds the passkey, and proves the next time by that; the browser then offers it in the field for the address',
    async () => {
      const visitor = await web.open();
      const { page } = visitor;
      const device = await withDevice(visitor);
      await openToday(visitor, web.app, 'field@example.org');
      await web.advance('16m');
      await openSettings(page);
      await add(page, 'My laptop');
      await proveByMail(page, web.app, 'field@example.org');
      await page.getByText('Passkey added.').waitFor();
      assert.equal((await device.credentials()).length, 1);
      await web.advance('16m');
      await goToSettings(page, 'Your data');
      await page.getByRole('button', { name: 'Create feed link' }).click();
      await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
      await page.getByLabel('Feed link').waitFor();
      await page.getByRole('button', { name: 'I have copied it' }).click();
      // The device answers what the field offers at once, as if the person had chosen it.
      await goToSettings(page, 'Sign-in and security');
      await page.getByRole('button', { name: 'Sign out', exact: true }).click();
      await page.getByRole('heading', { name: 'Today', level: 1 }).waitFor();
    },
  );

  testInFull('after a later sign-in by mail a passkey is offered, once', async () => {
    const visitor = await openWithoutAutofill(web);
    const { page } = visitor;
    await withDevice(visitor);
    // Not to a person who has just made the account.
    await signInToToday(visitor, web.app, 'offered@example.org');
    await openSettings(page);
    await signOut(page);
    await signInWith(page, web.app, 'offered@example.org');
    await page.getByRole('heading', { name: 'Sign in faster next time' }).waitFor();
    await page.getByRole('button', { name: 'Not now' }).click();
    await page.getByRole('heading', { name: 'Today', level: 1 }).waitFor();
    await openSettings(page);
    await signOut(page);
    await signInToToday(visitor, web.app, 'offered@example.org');

    const other = await openWithoutAutofill(web);
    const device = await withDevice(other);
    await signInWith(other.page, web.app, 'offered@example.org');
    await other.page.getByRole('button', { name: 'Add a passkey' }).click();
    await other.page.getByRole('heading', { name: 'Today', level: 1 }).waitFor();
    assert.equal((await device.credentials()).length, 1);
  });

  test('at another address than that of the service, the settings say where passkeys work, and list them', async () => {
    const person = await createPerson(web.app, 'away@example.org');
    assert.equal((await addPasskey(person, new Authenticator(web.origin))).status, 200);
    const visitor = await web.open({ baseURL: web.origin.replace('localhost', '127.0.0.1') });
    await openToday(visitor, web.app, 'away@example.org');
    await openSettings(visitor.page);
    await visitor.page.getByText(`Passkeys work only at ${web.origin}`).waitFor();
    await visitor.page.getByRole('button', { name: 'Rename or remove: Phone' }).waitFor();
    assert.equal(await visitor.page.getByRole('button', { name: 'Add a passkey' }).count(), 0);
  });
});
