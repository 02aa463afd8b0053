import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { browserTests, goTo, openAppAs, openList } from '../support/browser.ts';
import { createPerson, type Person } from '../support/people.ts';
import { findStoredTask, waitForStoredTask } from '../support/stored-task.ts';

const TODOS = [
  'BEGIN:VCALENDAR',
  'VERSION:2.0',
  'PRODID:-//Another app//EN',
  'BEGIN:VTODO',
  'UID:1@example.org',
  'SUMMARY:Renew the passport',
  'DUE:20260310T090000Z',
  'END:VTODO',
  'BEGIN:VTODO',
  'UID:2@example.org',
  `SUMMARY:${'x'.repeat(20_000)}`,
  'END:VTODO',
  'END:VCALENDAR',
  '',
].join('\r\n');

browserTests('postgres', {}, (web) => {
  const openSettings = async (person: Person) => {
    const visitor = await web.open();
    await openAppAs(visitor, person.sessionToken, '/app/settings/data');
    return visitor;
  };

  test('what one account downloads, another brings in, once; a file with a task that cannot be taken brings nothing in, says which, and offers the rest', async () => {
    const owner = await createPerson(web.app);
    const rent = { title: 'pay the rent', due_at: '2026-04-01T07:00:00Z', has_time: true };
    await owner.ask('POST', '/v1/tasks', { ...rent, recurrence: { freq: 'monthly' } });
    const from = await openSettings(owner);
    const [download] = await Promise.all([
      from.page.waitForEvent('download'),
      from.page.getByRole('button', { name: 'Download everything' }).click(),
    ]);
    const file = await download.path();
    const { data } = JSON.parse(await readFile(file, 'utf8'));
    assert.equal(data.schema_version, 1);

    const to = await openSettings(await createPerson(web.app));
    const choose = to.page.getByLabel('Import', { exact: true }).first();
    const archive = { name: 'crescendo.json', mimeType: 'application/json', buffer: await readFile(file) };
    await choose.setInputFiles(archive);
    await to.page.getByText('1 task was imported.').waitFor();
    await choose.setInputFiles(archive);
    await to.page.getByText('0 tasks were imported. 1 task was there already.').waitFor();
    await choose.setInputFiles({ name: 'todo.ics', mimeType: 'text/calendar', buffer: Buffer.from(TODOS) });
    await to.page.getByText('Nothing was imported: 1 task cannot be read.').waitFor();
    assert.equal(await findStoredTask(web.app, 'Renew the passport'), undefined);
    await to.page.getByRole('button', { name: 'Import the rest without them' }).click();
    await to.page.getByText('1 task was imported.').waitFor();
    await waitForStoredTask(web.app, 'Renew the passport');
    await goTo(to.page, 'Today');
    await openList(to.page, 'Upcoming');
    await to.page.getByRole('link', { name: 'pay the rent' }).waitFor();
    assert.deepEqual([...from.errors, ...to.errors], []);
  });

  test('a calendar reads the address until it is replaced or stopped', async () => {
    const person = await createPerson(web.app);
    await person.ask('POST', '/v1/tasks', { title: 'see the dentist', due_at: '2026-03-03T09:00:00Z', has_time: true });
    const visitor = await openSettings(person);
    const { page } = visitor;
    const takeAddress = async (...buttons: string[]) => {
      for (const name of buttons) await page.getByRole('button', { name, exact: true }).click();
      const address = await page.getByLabel('Feed link').inputValue();
      await page.getByRole('button', { name: 'I have copied it' }).click();
      return address;
    };
    const first = await takeAddress('Create feed link');
    assert.match(await (await fetch(first)).text(), /SUMMARY:see the dentist/i);
    const second = await takeAddress('Replace the link', 'Replace it');
    assert.equal((await fetch(first)).status, 404);
    assert.equal((await fetch(second)).status, 200);
    await page.getByRole('button', { name: 'Stop it' }).click();
    await page.getByText('The feed is off. Its link no longer works.').waitFor();
    assert.equal((await fetch(second)).status, 404);
    await page.getByRole('button', { name: 'Create feed link' }).waitFor();
    assert.deepEqual(visitor.errors, []);
  });
});
