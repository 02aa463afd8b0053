import assert from 'node:assert/strict';
import { test } from 'node:test';
import { look } from '../support/accessibility.ts';
import { browserTests, followLink, goTo, openAppAs, openToday } from '../support/browser.ts';
import { createPerson, signIn } from '../support/people.ts';
import { testInFull } from '../support/size.ts';
import { waitForStoredTask } from '../support/stored-task.ts';

browserTests('postgres', {}, (web) => {
  test('a space is shared by link, and a request from one account is accepted in the other', async () => {
    const ada = await web.open();
    await openToday(ada, web.app, 'ada@example.org');
    await (await signIn(web.app, 'ada@example.org')).ask('PATCH', '/v1/me', { display_name: 'Ada' });
    await goTo(ada.page, 'Spaces');
    await ada.page.getByRole('button', { name: 'New space' }).click();
    await ada.page.getByLabel('Name of the space').fill('Home');
    await ada.page.locator('dialog').getByRole('button', { name: 'New space' }).click();
    await ada.page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
    await ada.page.getByRole('button', { name: 'Invite by link' }).click();
    await ada.page.getByRole('button', { name: 'Create link' }).click();
    const link = await ada.page.getByLabel('Invitation link').inputValue();
    await ada.page.locator('dialog').getByRole('button', { name: 'Close' }).click();

    const grace = await web.open({ viewport: { width: 360, height: 740 } });
    const { sessionToken } = await signIn(web.app, 'grace@example.org');
    await openAppAs(grace, sessionToken, new URL(link).pathname);
    await grace.page.getByRole('heading', { name: 'Join “Home”' }).waitFor();
    await grace.page.getByText('Ada invites you.').waitFor();
    await grace.page.getByLabel('Your name, as the others will see it').fill('Grace');
    await grace.page.getByRole('button', { name: 'Join' }).click();
    await grace.page.getByRole('heading', { name: 'Home', level: 1, exact: true }).waitFor();

    // Twice: the first answer may be of a poll that began before Grace joined.
    for (let poll = 0; poll < 2; poll += 1) {
      const polled = ada.page.waitForResponse((response) => response.url().endsWith('/members'));
      await web.advance('1m');
      await polled;
    }
    await ada.page.getByText('Grace').waitFor();
    await ada.page.getByRole('button', { name: 'Ask a member' }).click();
    await ada.page.getByLabel('Add a task in plain words').fill('pick up the parcel at 18:00');
    await ada.page.getByText('Understood as').waitFor();
    await ada.page.getByRole('button', { name: 'Send the request' }).click();
    const request = ada.page.getByRole('listitem').filter({ hasText: 'you asked Grace' });
    await request.getByText('not answered yet').waitFor();
    const asked = await waitForStoredTask(web.app, 'pick up the parcel');
    assert.equal(asked.accepted_by_owner, false);

    await goTo(grace.page, 'Today');
    await web.advance('1m');
    await grace.page.getByRole('link', { name: /Today\s*1\s*Requests/ }).waitFor();
    await grace.page.getByRole('button', { name: 'Accept: pick up the parcel' }).click();
    await grace.page.getByRole('heading', { name: 'Due today' }).waitFor();
    await waitForStoredTask(web.app, 'pick up the parcel', ({ accepted_by_owner }) => accepted_by_owner);

    await web.advance('1m');
    await request.getByText('accepted by Grace').waitFor();
    await ada.page.getByRole('region', { name: 'Requests' }).getByRole('link', { name: 'pick up the parcel' }).click();
    await ada.page.getByRole('listitem').filter({ hasText: 'Accepted by Grace' }).waitFor();
    await ada.page.goBack();
    await ada.page.getByRole('region', { name: 'Tasks' }).getByRole('link', { name: 'pick up the parcel' }).waitFor();

    await grace.page.getByRole('link', { name: 'pick up the parcel' }).click();
    await grace.page.getByRole('button', { name: 'End Ada’s say over this task' }).click();
    await grace.page.locator('dialog').getByRole('button', { name: 'End it' }).click();
    await grace.page.getByText('Ada has no say over this task any more.').waitFor();
    await grace.page.getByRole('button', { name: /say over this task/ }).waitFor({ state: 'detached' });
    const stored = await web.app.db.selectFrom('tasks').select('assigner_id').where('id', '=', asked.id).execute();
    assert.deepEqual(stored, [{ assigner_id: null }]);
    assert.deepEqual([...ada.errors, ...grace.errors], []);
  });

  testInFull(
    'who asked sees that a request was declined, finds one that they withdrew, and brings it back',
    async () => {
      const [asker, asked] = [await signIn(web.app, 'asks@example.org'), await signIn(web.app, 'declines@example.org')];
      const space = (await asker.ask('POST', '/v1/spaces', { name: 'Band' })).body.data;
      const invite = (await asker.ask('POST', `/v1/spaces/${space.id}/invites`, {})).body.data;
      const joined = await asked.ask('POST', `/v1/invites/${invite.token}/accept`);
      assert.equal(joined.status, 200);
      const request = { title: 'book the hall', owner_id: asked.userId, space_id: space.id };
      await asker.ask('POST', '/v1/tasks', request);
      await asker.ask('POST', '/v1/tasks', { ...request, title: 'copy the scores' });
      const visitor = await web.open();
      await openAppAs(visitor, asker.sessionToken, `/app/spaces/${space.id}`);
      const { page } = visitor;
      const requests = page.getByRole('region', { name: 'Requests' });
      const declined = requests.getByRole('listitem').filter({ hasText: 'book the hall' });
      await declined.getByText('not answered yet').waitFor();

      const decliner = await web.open();
      await openToday(decliner, web.app, 'declines@example.org');
      await decliner.page.getByRole('button', { name: 'Decline: book the hall' }).click();
      await web.advance('1m');
      await waitForStoredTask(web.app, 'book the hall', ({ status }) => status === 'declined');
      await web.advance('1m');
      await declined.getByText(/^declined by /).waitFor();
      await declined.getByRole('link', { name: 'book the hall' }).waitFor();
      assert.equal(await declined.getByText('not answered yet').count(), 0);

      await requests.getByRole('link', { name: 'copy the scores' }).click();
      assert.equal(await page.getByRole('button', { name: 'Drop' }).count(), 0, 'a request has one way back');
      await page.getByRole('button', { name: 'Take it back' }).click();
      // It can be undone for some seconds, and is sent after them.
      await web.advance('1m');
      await waitForStoredTask(web.app, 'copy the scores', ({ status }) => status === 'dropped');
      await goTo(page, 'History');
      await page.getByRole('button', { name: 'Undo: copy the scores' }).click();
      const back = await waitForStoredTask(web.app, 'copy the scores', ({ status }) => status === 'open');
      assert.equal(back.accepted_by_owner, false);
    },
  );

  testInFull(
    'who waits for an answer sees whom they asked, asks somebody else, or does it themselves; both see each other’s names, and a switch ends the messages',
    async () => {
      const ada = await createPerson(web.app);
      const others = [await createPerson(web.app), await createPerson(web.app)] as const;
      for (const [index, person] of [ada, ...others].entries())
        await person.ask('PATCH', '/v1/me', { display_name: ['Ada', 'Grace', 'Mary'][index] });
      await ada.ask('POST', '/v1/spaces', { name: 'Zoo' });
      const space = (await ada.ask('POST', '/v1/spaces', { name: 'Crew' })).body.data;
      for (const person of others) {
        const invite = (await ada.ask('POST', `/v1/spaces/${space.id}/invites`, {})).body.data;
        await person.ask('POST', `/v1/invites/${invite.token}/accept`);
      }
      const [grace, mary] = others;
      const made = await ada.ask('POST', '/v1/tasks', {
        title: 'paint the fence',
        owner_id: grace.userId,
        space_id: space.id,
      });
      const asker = await web.open({ viewport: { width: 390, height: 844 }, colorScheme: 'dark' });
      await openAppAs(asker, ada.sessionToken, `/app/tasks/${made.body.data.id}`);
      await asker.page.getByRole('heading', { name: 'You asked Grace' }).waitFor();
      await asker.page.getByText('Grace has not answered yet.').waitFor();
      await look(asker.page, 'asked-phone-dark');
      await asker.page.getByRole('button', { name: 'Ask somebody else' }).press('Enter');
      await asker.page.getByLabel('Whom?').waitFor();
      await look(asker.page, 'ask-other-phone-dark');
      await asker.page.getByRole('button', { name: 'Ask', exact: true }).press('Enter');
      await asker.page.getByRole('heading', { name: 'You asked Mary' }).waitFor();

      const asked = await web.open();
      await openToday(asked, web.app, mary.email);
      await asked.page.getByText('from Ada').waitFor();
      await asked.page.getByRole('link', { name: 'paint the fence' }).click();
      await asked.page.getByText('Ada asks you to do this.').waitFor();
      await asker.page.getByRole('button', { name: 'Do it myself' }).click();
      await asker.page.getByRole('button', { name: 'Done' }).waitFor();
      await goTo(asked.page, 'Today');
      await asked.page.getByRole('link', { name: 'paint the fence' }).waitFor({ state: 'detached' });

      await goTo(asker.page, 'Spaces');
      const spaces = asker.page.getByRole('main').getByRole('link');
      await spaces.filter({ hasText: 'Zoo' }).waitFor();
      assert.match((await spaces.allInnerTexts()).join(), /Crew.*Zoo/s);
      await followLink(asker.page, '/app/settings/channels');
      await asker.page.getByRole('switch', { name: 'Messages about requests' }).click();
      await asker.page.getByText('Saved').waitFor();
      assert.equal((await ada.ask('GET', '/v1/me/request-messages')).body.data.enabled, false);
      assert.deepEqual([...asker.errors, ...asked.errors], []);
    },
  );

  testInFull(
    'a space is run by its people: tasks are added in it, links revoked, and members removed and the space renamed by the owner',
    async () => {
      const owner = await signIn(web.app, 'runs@example.org');
      const member = await signIn(web.app, 'moves-out@example.org');
      await member.ask('PATCH', '/v1/me', { display_name: 'Maya' });
      const space = (await owner.ask('POST', '/v1/spaces', { name: 'Flat' })).body.data;
      const invite = (await owner.ask('POST', `/v1/spaces/${space.id}/invites`, {})).body.data;
      await member.ask('POST', `/v1/invites/${invite.token}/accept`);
      const theirs = (await member.ask('POST', '/v1/tasks', { title: 'tune the piano', space_id: space.id })).body.data;

      const visitor = await web.open();
      await openAppAs(visitor, owner.sessionToken, `/app/spaces/${space.id}`);
      const { page } = visitor;
      await page.getByRole('button', { name: 'Add a task' }).click();
      await page.getByLabel('Add a task in plain words').fill('clean the stairs on saturday');
      await page.getByText('Understood as').waitFor();
      await page.locator('dialog').getByRole('button', { name: 'Add task' }).click();
      await page.getByRole('region', { name: 'Tasks' }).getByRole('link', { name: 'clean the stairs' }).waitFor();
      const added = await waitForStoredTask(web.app, 'clean the stairs');
      const { space_id, owner_id } = (await owner.ask('GET', `/v1/tasks/${added.id}`)).body.data;
      assert.deepEqual([space_id, owner_id], [space.id, owner.userId]);

      await page.getByRole('button', { name: 'Invite by link' }).click();
      await page.getByRole('button', { name: 'Create link' }).click();
      const link = await page.getByLabel('Invitation link').inputValue();
      await page.locator('dialog').getByRole('button', { name: 'Close' }).click();
      const invites = page.getByRole('region', { name: 'Open invitations' });
      await invites.getByText('from you').waitFor();
      await invites.getByRole('button', { name: /^Revoke link: By link/ }).click();
      await invites.waitFor({ state: 'detached' });
      const stranger = await web.open();
      await openAppAs(stranger, (await createPerson(web.app)).sessionToken, new URL(link).pathname);
      await stranger.page.getByText('This invitation was revoked.').waitFor();
      assert.equal(await stranger.page.getByText('Flat').count(), 0);
      assert.equal(await stranger.page.getByRole('button', { name: 'Join' }).count(), 0);

      await followLink(page, `/app/tasks/${theirs.id}`);
      await page.getByText('You can see this task, but only Maya acts on it.').waitFor();
      await followLink(page, `/app/spaces/${space.id}`);
      await page.getByRole('button', { name: 'Remove Maya' }).click();
      await page.getByRole('heading', { name: 'Remove Maya from the space?' }).waitFor();
      await page.locator('dialog').getByRole('button', { name: 'Remove' }).click();
      await page.getByText('Maya was removed').waitFor();
      await page.getByRole('button', { name: 'Remove Maya' }).waitFor({ state: 'detached' });
      assert.equal((await member.ask('GET', `/v1/spaces/${space.id}/members`)).status, 404);
      assert.equal((await member.ask('GET', `/v1/tasks/${theirs.id}`)).body.data.space_id, null);

      // Another member has no such button.
      const second = (await owner.ask('POST', `/v1/spaces/${space.id}/invites`, {})).body.data;
      const other = await signIn(web.app, 'stays@example.org');
      await other.ask('POST', `/v1/invites/${second.token}/accept`);
      const guest = await web.open();
      await openAppAs(guest, other.sessionToken, `/app/spaces/${space.id}`);
      await guest.page.getByText('owner', { exact: true }).waitFor();
      assert.equal(await guest.page.getByRole('button', { name: /^Remove|^Rename/ }).count(), 0);

      // The other member sees the new name without a reload.
      await page.getByRole('button', { name: 'Rename space' }).click();
      const dialog = page.locator('dialog');
      await dialog.getByLabel('Name of the space').fill('   ');
      assert.ok(await dialog.getByRole('button', { name: 'Rename space' }).isDisabled());
      await dialog.getByLabel('Name of the space').fill(' Our flat ');
      await dialog.getByRole('button', { name: 'Rename space' }).click();
      await page.getByRole('heading', { name: 'Our flat', level: 1 }).waitFor();
      await guest.page.getByRole('heading', { name: 'Our flat', level: 1 }).waitFor();
      assert.equal((await owner.ask('GET', '/v1/spaces')).body.data[0].name, 'Our flat');
    },
  );
});
