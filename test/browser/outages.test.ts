/** After the service was away: one card says since when and what was late, and it stays dismissed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SchemaWatch } from '../../src/db/schema-watch.ts';
import { newId } from '../../src/lib/ids.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { SignsOfLife } from '../../src/outages/signs-of-life.ts';
import { look } from '../support/accessibility.ts';
import { browserTests, dueToday, goTo, openTodayAs } from '../support/browser.ts';
import { addDevice } from '../support/fake-phones.ts';
import { makeAdmin, signIn } from '../support/people.ts';

const SIZES = { phone: { width: 390, height: 844 }, desktop: { width: 1280, height: 900 } };

browserTests('sqlite', { startsAt: '2026-03-02T13:05:00Z' }, (web) => {
  test('who was reminded late finds one card about it, and dismisses it for good', async () => {
    const { app } = web;
    const ada = await signIn(app, 'ada@example.org');
    await makeAdmin(app, ada);
    await ada.ask('PATCH', '/v1/me', { timezone: 'Europe/Amsterdam' });
    await addDevice(app, ada.userId);
    await ada.ask('POST', '/v1/tasks', { title: 'Call the dentist', ...dueToday('15:00') });
    const { id } = (await ada.ask('POST', '/v1/tasks', { title: 'Take the pills', ...dueToday('14:30') })).body.data;
    app.clock.set('2026-03-02T14:10:00Z');
    const { db, clock } = app;
    const logger = createLogger('fatal');
    const signs = { db, clock, wallClock: clock, clockSpeed: 1, schema: new SchemaWatch(logger), logger };
    // As an engine does that starts an hour after the last one died.
    await new SignsOfLife(signs).show();
    app.engine?.wakeUp();
    await app.engine?.settled();
    const announced = { id: newId(), task_id: id, owner_id: ada.userId, kind: 'understudy', via: 'ntfy', run: 1 };
    await app.db
      .insertInto('timeline')
      .values({ ...announced, at: new Date('2026-03-02T13:40:00Z') })
      .execute();
    const visitor = await web.open({ viewport: SIZES.phone, colorScheme: 'dark' });
    const { page } = visitor;
    await openTodayAs(visitor, ada.sessionToken);
    const card = page.getByRole('region', { name: 'The server was away' });
    await card.waitFor();
    assert.match(await card.innerText(), /From today,? (at )?14:05 to 15:10\. These were late:/);
    assert.match(await card.innerText(), /Take the pills planned 14:30 · probably announced by ntfy/);
    assert.match(await card.innerText(), /Call the dentist planned 15:00\n/);
    await look(page, 'outage-phone-dark');
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize(SIZES.desktop);
    await look(page, 'outage-desktop-light');
    await card.getByRole('link', { name: 'Take the pills' }).click();
    await page.getByText('Probably announced by ntfy, because the server was silent').waitFor();
    await goTo(page, 'Today');
    await card.getByRole('button', { name: 'Dismiss' }).click();
    await card.waitFor({ state: 'detached' });
    assert.equal((await ada.ask('GET', '/v1/channels')).body.data.was_late, false);
    await page.reload();
    await page.getByRole('heading', { name: 'Overdue' }).waitFor();
    // Until the service has answered, the page shows what it stored before.
    await card.waitFor({ state: 'detached' });
    await page.goto('/app/settings/admin/health');
    await page.getByText(/^Away from .*14:05 to .*15:10\. 2 nudges of 1 person were late\.$/).waitFor();
    assert.deepEqual(visitor.errors, []);
  });
});
