/** What people and administrators see of messages that are held elsewhere. */
import { test } from 'node:test';
import { look } from '../support/accessibility.ts';
import { browserTests, dueToday, followLink, openAppAs } from '../support/browser.ts';
import { NtfyRig } from '../support/channel-rigs.ts';
import { createPerson } from '../support/people.ts';
import { waitUntil } from '../support/wait-until.ts';

let ntfy: NtfyRig;

browserTests(
  'sqlite',
  async (parts) => {
    ntfy = parts.use(await NtfyRig.start());
    // The server of the test is on this machine.
    return { settings: { ...ntfy.settings, UNDERSTUDIES: 'anywhere' } };
  },
  (web) => {
    test('What reaches you says what would tell a person if the server is down, why not, and how to get it', async () => {
      const person = await createPerson(web.app, 'operator@home.test');
      await person.ask('POST', '/v1/tasks', { title: 'pills', ...dueToday('11:00') });
      const visitor = await web.open();
      const { page } = visitor;
      const section = page.getByRole('region', { name: 'If the server is down' });
      await openAppAs(visitor, person.sessionToken, '/app/settings/channels');
      await section.getByText('Nothing would tell you. Add ntfy below').waitFor();

      const take = ntfy.server.respondTo;
      ntfy.server.respondTo = (request) => (request.method === 'DELETE' ? { status: 405 } : take(request));
      const id = await ntfy.connect(person);
      // A page that loads before the server has answered shows it only some time later.
      const told = async () => (await person.ask('GET', '/v1/me/understudies')).body.data;
      await waitUntil(async () => (await told()).reason !== null);
      await page.reload();
      await section.getByText('because ntfy holds no message. This server cannot take back').waitFor();
      await page.getByText('Not if the server is down: that needs ntfy 2.16 or newer.').waitFor();

      ntfy.server.respondTo = take;
      await web.app.clock.advance('16m');
      await waitUntil(async () => (await told()).state === 'held');
      await page.reload();
      await section.getByText('ntfy holds messages for you.').waitFor();
      await section.getByText('and can wait for 3 days.').waitFor();
      await page.getByText('also if the server is down', { exact: true }).waitFor();
      await look(page, 'if-down-desktop-light');
      await page.setViewportSize({ width: 390, height: 844 });
      await page.emulateMedia({ colorScheme: 'dark' });
      await look(page, 'if-down-phone-dark');

      await followLink(page, '/app/settings/admin/health');
      await page.getByText('1 person at servers of their own.').waitFor();
      await look(page, 'if-down-health-phone-dark');

      await web.app.db.updateTable('understudy_people').set({ state: 'one' }).where('channel_id', '=', id).execute();
      await followLink(page, '/app/settings/channels');
      await section.getByText('Only one message is held for you today').waitFor();
    });
  },
);
