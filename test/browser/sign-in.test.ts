import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TOTP } from 'otpauth';
import { browserTests, goToSettings, mailedCode, openToday, proveByMail, signInWith } from '../support/browser.ts';
import { testInFull } from '../support/size.ts';
import { waitUntil } from '../support/wait-until.ts';

browserTests('sqlite', {}, (web) => {
  test("a wrong code is told in words, and the right one makes the account, takes over the browser's zone, and leads where the person wanted to go; no script can read the session token", async () => {
    const visitor = await web.open({ timezoneId: 'America/New_York' });
    const { page } = visitor;
    await page.goto('/app/settings');
    await page.getByLabel('Email address').fill('new@example.org');
    await page.getByRole('button', { name: 'Mail me a code' }).click();
    const code = page.getByLabel('Code from the mail');
    await code.fill('000000');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').getByText('That code is wrong').waitFor();
    await code.fill(mailedCode(web.app, 'new@example.org'));
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
    const zone = page.getByLabel('Time zone');
    await waitUntil(async () => (await zone.inputValue()) === 'America/New_York');
    // The other zones are listed once the field is reached.
    await zone.focus();
    await waitUntil(async () => (await zone.locator('option').count()) > 300);
    await zone.selectOption('Pacific/Auckland');
    await page.getByText('Saved').waitFor();
    assert.equal(await zone.inputValue(), 'Pacific/Auckland');
    const [refusal, ...otherErrors] = visitor.errors;
    assert.match(refusal ?? '', /status of 401/);
    assert.deepEqual(otherErrors, []);
    assert.deepEqual(visitor.foreignRequests, []);

    const readable = await visitor.page.evaluate(
      `(async () => {
        const databases = await indexedDB.databases();
        const dump = [document.cookie, JSON.stringify(localStorage), JSON.stringify(sessionStorage)];
        for (const { name } of databases) {
          const db = await new Promise((resolve) => { const r = indexedDB.open(name); r.onsuccess = () => resolve(r.result); });
          for (const store of db.objectStoreNames) {
            const all = db.transaction(store).objectStore(store).getAll();
            dump.push(JSON.stringify(await new Promise((resolve) => { all.onsuccess = () => resolve(all.result); })));
          }
        }
        return dump.join('');
      })()`,
    );
    assert.match(String(readable), /crescendo-signed-in/);
    assert.doesNotMatch(String(readable), /st_[\w-]{10}/);
    const cookies = await visitor.context.cookies();
    assert.equal(cookies.length, 1);
    assert.equal(cookies[0]?.httpOnly, true);
    assert.equal(cookies[0]?.sameSite, 'Strict');
  });

  test('who signed in long ago proves it and goes on to the second factor, which is set up from the QR code, asked for, and taken back with a recovery code', async () => {
    const first = await web.open();
    await openToday(first, web.app, 'careful@example.org');
    const { page } = first;
    await web.advance('16m');
    await goToSettings(page, 'Sign-in and security');
    await page.getByRole('button', { name: 'Turn on' }).click();
    await proveByMail(page, web.app, 'careful@example.org');
    await page.getByRole('img', { name: /QR code/ }).waitFor();
    const secret = await page.locator('dialog code').innerText();
    const totp = (minutes: number) =>
      new TOTP({ secret }).generate({ timestamp: web.app.clock.now().getTime() + minutes * 60_000 });
    await page.getByLabel('Code from the app').fill(totp(0));
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByRole('heading', { name: 'Recovery codes' }).waitFor();
    const [recovery = ''] = await page.locator('dialog ol li').allInnerTexts();
    await page.getByRole('button', { name: "I've saved them" }).click();
    await page.getByText('10 recovery codes left').waitFor();
    // The proof has left the session of this browser as it was.
    const { user_id } = await web.app.db
      .selectFrom('users')
      .select('id as user_id')
      .where('email', '=', 'careful@example.org')
      .executeTakeFirstOrThrow();
    const sessions = await web.app.db.selectFrom('sessions').select('id').where('user_id', '=', user_id).execute();
    assert.equal(sessions.length, 1);

    const second = await web.open();
    await signInWith(second.page, web.app, 'careful@example.org');
    await second.page.getByRole('heading', { name: 'Second factor' }).waitFor();
    // A recovery code has letters.
    assert.equal(await second.page.getByLabel('Code', { exact: true }).getAttribute('inputmode'), 'text');
    await web.advance('2m');
    await second.page.getByLabel('Code').fill(totp(0));
    await second.page.getByRole('button', { name: 'Sign in' }).click();
    await second.page.getByRole('heading', { name: 'Today', level: 1 }).waitFor();

    await page.getByRole('button', { name: 'Turn off' }).click();
    assert.equal(await page.getByLabel('Code', { exact: true }).getAttribute('inputmode'), 'text');
    await page.getByLabel('Code', { exact: true }).fill(recovery);
    await page.locator('dialog').getByRole('button', { name: 'Turn off' }).click();
    await page.getByRole('button', { name: 'Turn on' }).waitFor();
  });

  testInFull(
    'a session is found by the name it was given; revoked, it is signed out there and told so; a sign-out ends all tabs',
    async () => {
      const here = await web.open();
      const there = await web.open({ userAgent: 'Mozilla/5.0 (Windows NT 10.0) Gecko/20100101 Firefox/140.0' });
      await openToday(there, web.app, 'twice@example.org');
      const signedInAt = web.app.clock
        .now()
        .toLocaleTimeString('en-GB', { timeZone: 'Europe/Amsterdam', hour: '2-digit', minute: '2-digit' });
      await web.advance('5m');
      await openToday(here, web.app, 'twice@example.org');
      await goToSettings(here.page, 'Sign-in and security');
      await here.page.getByText('· this browser').waitFor();
      await here.page
        .getByRole('button', { name: `Rename Firefox on Windows, signed in today at ${signedInAt}` })
        .click();
      await here.page.getByLabel('Name', { exact: true }).fill('Old laptop');
      await here.page.getByRole('button', { name: 'Save name' }).click();
      const other = here.page.getByRole('button', {
        name: `Sign out there: Old laptop, signed in today at ${signedInAt}`,
      });
      await other.click();
      await here.page.getByText('That session is signed out.').waitFor();
      await other.waitFor({ state: 'detached' });
      assert.equal(await here.page.getByText('· this browser').count(), 1);
      await web.advance('1m');
      await there.page.getByText('You were signed out.').waitFor();

      const secondTab = await here.context.newPage();
      await secondTab.goto('/app');
      await secondTab.getByRole('heading', { name: 'Today', level: 1 }).waitFor();
      await here.page.getByRole('button', { name: 'Sign out', exact: true }).click();
      await here.page.getByRole('heading', { name: 'Sign in' }).waitFor();
      await secondTab.getByLabel('Email address').waitFor();
      assert.deepEqual(await here.context.cookies(), []);
    },
  );
});
