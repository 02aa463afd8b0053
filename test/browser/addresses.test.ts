/** Places with addresses of their own: the parts of the settings, and the page that offers a task. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seriousViolations } from '../support/accessibility.ts';
import { browserTests, mailedCode, openAppAs } from '../support/browser.ts';
import { createPerson } from '../support/people.ts';
import { findStoredTask, waitForStoredTask } from '../support/stored-task.ts';

const SIZES = { phone: { width: 390, height: 844 }, desktop: { width: 1280, height: 900 } };

browserTests('sqlite', {}, (web) => {
  for (const [size, viewport] of Object.entries(SIZES))
    test(`settings are in parts with addresses, reached by keyboard, on a ${size}; old addresses lead there`, async () => {
      const visitor = await web.open({ viewport });
      const { page } = visitor;
      await openAppAs(visitor, (await createPerson(web.app)).sessionToken, '/app/settings');
      const part = (name: string) =>
        page.getByRole('navigation', { name: 'Parts of the settings' }).getByRole('link', { name });
      await part('Reminders').focus();
      const account = page.getByLabel('Name that others see');
      // A phone shows the parts alone.
      if (size === 'desktop') await account.waitFor();
      else assert.equal(await account.isVisible(), false);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Reminders', level: 1 }).waitFor();
      await page.waitForURL('**/app/settings/reminders');
      await page.getByRole('switch', { name: 'Quiet hours' }).waitFor();
      assert.equal(await part('Your data').isVisible(), size === 'desktop');
      assert.deepEqual(await seriousViolations(page), []);
      await page.goto('/app/settings#pause');
      await page.waitForURL('**/app/settings/reminders#pause');
      await page.goto('/app/settings/nowhere');
      await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
      // A desktop at 200 % is as narrow as a tablet.
      await page.setViewportSize({ width: viewport.width / 2, height: viewport.height / 2 });
      await page.goto('/app/settings/data');
      await page.getByRole('heading', { name: 'Your data', level: 1 }).waitFor();
      const sideways = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
      assert.equal(await page.evaluate(sideways), 0);
      assert.deepEqual(visitor.errors, []);
    });

  test('an address offers a task, also after sign-in; only a press adds it, and the shared link is in its notes', async () => {
    const visitor = await web.open({ viewport: SIZES.phone });
    const { page } = visitor;
    const shared = new URLSearchParams({
      title: 'Buy the lamp',
      text: 'https://shop.test/lamp',
      url: 'https://shop.test/lamp',
    });
    await page.goto(`/app/add?${shared}`);
    await page.getByLabel('Email address').fill('sharer@example.org');
    await page.getByRole('button', { name: 'Mail me a code' }).click();
    const code = page.getByLabel(/^Code/);
    await code.waitFor();
    // This service has no mail server.
    await page.getByRole('heading', { name: 'Find your code' }).waitFor();
    await code.fill(mailedCode(web.app, 'sharer@example.org'));
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'New task', level: 1 }).waitFor();
    await page.getByText('Nothing is added before you press').waitFor();
    await page.getByText('Understood as').waitFor();
    assert.deepEqual(await seriousViolations(page), []);
    assert.equal(await findStoredTask(web.app, 'Buy the lamp'), undefined);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Today', level: 1 }).waitFor();
    assert.equal((await waitForStoredTask(web.app, 'Buy the lamp')).notes, 'https://shop.test/lamp');

    // The router reads a number there.
    await page.goto('/app/add?text=2026');
    const field = page.getByLabel('Add a task in plain words');
    await field.and(page.locator(':focus')).waitFor();
    assert.equal(await field.inputValue(), '2026');
    await page.goto(`/app/add?text=${'x'.repeat(3_000)}`);
    await page.getByText(/3000|3,000/).waitFor();
    await field.press('Enter');
    const { shortcuts, share_target } = await (await page.request.get('/app/manifest.webmanifest')).json();
    assert.equal(share_target.action, '/app/add');
    assert.ok(shortcuts.some(({ url }: { url: string }) => url === '/app/add'));
    assert.deepEqual(visitor.errors, []);
  });
});
