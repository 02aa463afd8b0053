import assert from 'node:assert/strict';
import { mkdtemp, readFile, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { look } from '../support/accessibility.ts';
import { browserTests, openAppAs, type Visitor } from '../support/browser.ts';
import { createPerson, type Person } from '../support/people.ts';
import { sized } from '../support/size.ts';
import { findStoredTask, waitForStoredTask } from '../support/stored-task.ts';

const FIXTURES = join(import.meta.dirname, '../support/move-in');
const SIZES = { phone: { width: 390, height: 844 }, desktop: { width: 1280, height: 900 } };

browserTests('sqlite', {}, (web) => {
  const openMoveIn = async (person: Person, size: keyof typeof SIZES): Promise<Visitor> => {
    const colorScheme = size === 'phone' ? 'dark' : 'light';
    const visitor = await web.open({ viewport: SIZES[size], colorScheme, reducedMotion: 'reduce' });
    await openAppAs(visitor, person.sessionToken, '/app/settings/move-in');
    return visitor;
  };

  for (const size of sized<(keyof typeof SIZES)[]>(['phone'], ['phone', 'desktop'])) {
    test(`on a ${size}, a file of Todoist is previewed before anything is stored, imported by choice, decided about and taken back`, async () => {
      const person = await createPerson(web.app);
      const visitor = await openMoveIn(person, size);
      const { page, errors } = visitor;
      const lookAt = (state: string) => look(page, `move-in-${state}-${size}`);
      const file = page.getByLabel('File of another app');
      await page.getByText('Where to find the file').click();
      await file.setInputFiles({ name: 'broken.csv', mimeType: 'text/csv', buffer: Buffer.from('title\nx') });
      await page.getByText('This file is none that is known.').waitFor();
      await lookAt('upload');
      const tooLarge = join(await mkdtemp(join(tmpdir(), 'move-in-')), 'large.csv');
      await writeFile(tooLarge, '');
      await truncate(tooLarge, 50 * 1024 * 1024 + 1);
      await file.setInputFiles(tooLarge);
      await page.getByText('The file has more than 50 MB. Export it in parts.').waitFor();

      const buffer = await readFile(join(FIXTURES, 'todoist.csv'));
      await file.setInputFiles({ name: 'Home [12].csv', mimeType: 'text/csv', buffer });
      await page.getByRole('heading', { name: '8 tasks from Todoist' }).waitFor();
      await page.getByText('Its date is in another language (German, de).').waitFor();
      await page.getByText('every week on Thu').waitFor();
      await page.getByText('1 subtask without a date is a line in the notes of its task').waitFor();
      assert.equal(await findStoredTask(web.app, 'Bins out'), undefined);

      await page.getByLabel('Give each list a label').check();
      await page.getByLabel('Label of Home').fill('household');
      await lookAt('preview');
      await page.getByLabel('How they insist').selectOption({ label: 'Gentle' });
      await page.getByRole('button', { name: 'Import 8 tasks' }).click();
      await page.getByRole('heading', { name: 'Imported from Todoist' }).waitFor();
      await page.getByText('8 tasks were imported.').waitFor();
      const { kind } = await waitForStoredTask(web.app, 'Bins out');
      assert.equal(kind, 'household');
      const today = page.getByRole('button', { name: 'Today: Renew the passport' });
      await today.waitFor();
      await lookAt('done');
      await today.click();
      await today.waitFor({ state: 'detached' });

      // The state is there after the page was left. So few tasks are imported too fast to be seen on the way.
      const setState = (state: 'importing' | 'done', processed: number) =>
        web.app.db.updateTable('move_ins').set({ state, processed }).where('user_id', '=', person.userId).execute();
      await setState('importing', 3);
      await page.goto(`${web.origin}/app/settings/move-in`);
      await page.getByRole('progressbar', { name: /^3 of 8\./ }).waitFor();
      await lookAt('running');
      await setState('done', 8);
      await page.getByRole('heading', { name: 'Imported from Todoist' }).waitFor();
      await page.getByRole('button', { name: 'Take it all back' }).click();
      await page.getByText('7 tasks were taken back. 1 task stayed, because somebody had changed it.').waitFor();
      await lookAt('undone');
      assert.equal(await findStoredTask(web.app, 'Bins out'), undefined);
      assert.equal((await waitForStoredTask(web.app, 'Renew the passport')).status, 'open');
      assert.deepEqual(
        errors.filter((line) => !line.includes('422')),
        [],
      );
    });
  }
});
