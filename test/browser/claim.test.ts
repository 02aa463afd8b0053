import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seriousViolations } from '../support/accessibility.ts';
import { browserTests, goToSettings, signInToToday } from '../support/browser.ts';

browserTests('sqlite', { isUnclaimed: true }, (web) => {
  test('a new account is asked for the word, can put it off, and administers once it has entered it', async () => {
    const visitor = await web.open({ viewport: { width: 390, height: 844 }, colorScheme: 'dark' });
    const { page } = visitor;
    const title = { name: 'Make this service yours', level: 2 };
    const word = page.getByLabel('Word from the terminal');
    await signInToToday(visitor, web.app, 'ada@example.org');
    await page.getByRole('heading', title).waitFor();
    assert.deepEqual(await seriousViolations(page), []);
    await word.fill('AAAAA-AAAAA-AAAAA-AAAAA');
    await page.getByRole('button', { name: 'Make it mine' }).click();
    await page.getByText('This is not the word.').waitFor();
    await page.getByRole('button', { name: 'Not now' }).click();
    await page.getByText('Step 1 of 4').waitFor();

    await goToSettings(page, 'You and this app');
    await page.getByRole('heading', title).waitFor();
    assert.deepEqual(await seriousViolations(page), []);
    await word.fill(web.app.claimWord?.toLowerCase() ?? '');
    await page.getByRole('button', { name: 'Make it mine' }).click();
    await page.getByText('You administer this service now').waitFor();
    await page.getByRole('link', { name: 'Open administration' }).waitFor();
    assert.equal(await page.getByRole('heading', title).count(), 0);
    // The wrong word is answered with 403.
    assert.deepEqual(
      visitor.errors.filter((error) => !error.includes('403')),
      [],
    );
  });
});
