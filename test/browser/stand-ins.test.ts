/** If I do not react, tell somebody: two people in two browsers, with the keyboard on a desktop and by touch on a phone. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { look } from '../support/accessibility.ts';
import { browserTests, dueToday, followLink, openAppAs } from '../support/browser.ts';
import { addDevice } from '../support/fake-phones.ts';
import { tabTo } from '../support/focus.ts';
import { type Person, signIn } from '../support/people.ts';
import { IS_FULL, testInFull } from '../support/size.ts';
import { createSpace } from '../support/spaces.ts';
import { waitUntil } from '../support/wait-until.ts';

interface Asked {
  readonly state: string;
}

const DESKTOP = {};
const PHONE = { viewport: { width: 390, height: 844 }, colorScheme: 'dark', hasTouch: true } as const;

/** What the other screens show too is looked at in a full run. */
const lookInFull = IS_FULL ? look : async () => undefined;

const says = (page: Page, text: string) => page.getByText(text).first().waitFor();
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const pressKey = async (page: Page, name: string) => {
  await tabTo(page, name);
  await page.keyboard.press('Enter');
};

browserTests('sqlite', {}, (web) => {
  async function person(name: string): Promise<Person> {
    const someone = await signIn(web.app, `${name.toLowerCase()}-${Math.random()}@example.org`);
    await someone.ask('PATCH', '/v1/me', { display_name: name, timezone: 'Europe/Amsterdam' });
    await addDevice(web.app, someone.userId);
    return someone;
  }

  async function open(who: Person, path: string, options: object) {
    const visitor = await web.open(options);
    const listens = visitor.page.waitForResponse((response) => response.url().endsWith('/app/live'));
    await openAppAs(visitor, who.sessionToken, path);
    await listens;
    return visitor;
  }

  /** The tests share a clock, so none says how long it takes to get there. */
  const advanceTo = (clock: string) => {
    const ms = Date.parse(dueToday(clock).due_at) - web.app.clock.now().getTime();
    return web.advance(`${Math.ceil(ms / 60_000)}m`);
  };

  const createTask = async (owner: Person, fields: object): Promise<string> =>
    (await owner.ask('POST', '/v1/tasks', fields)).body.data.id;

  test('one asks with the keyboard, the other agrees, is told, sees, snoozes, does it and takes it back; each sees what the other did, and one press ends it', async () => {
    const [ada, grace] = [await person('Ada'), await person('Grace')];
    await createSpace(ada, grace);
    const taskId = await createTask(ada, { title: 'Water the plants', ...dueToday('11:00') });
    const owner = await open(ada, `/app/tasks/${taskId}`, DESKTOP);
    const other = await open(grace, '/app', PHONE);
    const [hers, his] = [owner.page, other.page];

    await hers.getByRole('heading', { name: 'If I do not react' }).waitFor();
    await pressKey(hers, 'Tell somebody');
    await tabTo(hers, 'From which nudge on?');
    await hers.getByRole('option', { name: '2nd nudge, today at 11:15' }).waitFor({ state: 'attached' });
    await hers.keyboard.press('2');
    await lookInFull(hers, 'stand-in-sheet-desktop-light');
    await pressKey(hers, 'Ask');
    await says(hers, 'Asked, and not told of anything before they agree.');

    await says(his, 'Ada asks you to be told if they do not react to:');
    // Grace does not read the task in a space.
    assert.equal(await his.getByText('Water the plants').count(), 0);
    await look(his, 'stand-in-question-phone-dark');
    await his.getByLabel('What must not be missed may pass my quiet hours').check();
    await press(his, 'Agree to stand in for Ada');
    await says(hers, 'Will be told today at 11:15, if nobody reacts.');
    const [agreed] = (await grace.ask('GET', '/v1/stand-ins')).body.data;
    assert.deepEqual([agreed.state, agreed.passes_quiet_hours, agreed.from_rung], ['agreed', true, 1]);

    await advanceTo('11:15');
    await his.getByRole('link', { name: 'Water the plants' }).waitFor();
    await says(hers, 'Told today at 11:15.');
    await hers.getByText('Told Grace').waitFor();
    await lookInFull(his, 'stand-in-today-phone-dark');
    await hers.getByRole('button', { name: 'Close' }).first().click();
    await hers.getByRole('heading', { name: 'If I do not react' }).scrollIntoViewIfNeeded();
    await look(hers, 'stand-in-task-desktop-light');
    await his.getByRole('link', { name: 'Water the plants' }).tap();
    await press(his, 'Seen: Water the plants');
    await says(his, 'You have seen it');
    await says(hers, 'Seen today at 11:15.');
    await press(his, 'Snooze an hour: Water the plants');
    await says(his, 'You are told nothing more until today at 12:15.');
    await press(his, 'Done: Water the plants');
    await says(his, 'Done by you');
    await hers.getByRole('listitem').filter({ hasText: 'Done by Grace' }).waitFor();
    await press(his, 'Undo: Water the plants');
    await hers.getByRole('button', { name: 'Done', exact: true }).waitFor();

    await advanceTo('12:30');
    await his.getByRole('link', { name: /^Stand in\s*1/ }).waitFor();
    await look(his, 'stand-ins-phone-dark');
    await hers.getByRole('button', { name: 'Done', exact: true }).click();
    await says(his, 'Done by Ada');
    assert.equal(await his.getByRole('button', { name: 'Undo: Water the plants' }).count(), 0);
    await press(his, 'Stop standing in for Ada: “Water the plants”');
    await says(his, 'You do not stand in for Ada any more.');
    await says(his, 'Nothing has reached you');
    assert.deepEqual((await ada.ask('GET', '/v1/stand-ins')).body.data, []);
    assert.deepEqual([...owner.errors, ...other.errors], []);
  });

  testInFull(
    'a switch reminds both until one does it, a label is asked for in the settings, and one task is left out',
    async () => {
      const [ada, grace] = [await person('Ada'), await person('Grace')];
      const space = await createSpace(ada, grace);
      const shared = await createTask(ada, { title: 'Feed the cat', space_id: space, ...dueToday('14:00') });
      const labelled = await createTask(ada, { title: 'Take the pills', kind: 'medication', ...dueToday('15:00') });
      const owner = await open(ada, `/app/tasks/${shared}`, { ...PHONE, colorScheme: 'light' });
      const hers = owner.page;
      const agree = async () => {
        const asked = (await grace.ask('GET', '/v1/stand-ins')).body.data.filter(
          ({ state }: Asked) => state === 'asked',
        );
        assert.equal(asked.length, 1);
        assert.equal((await grace.ask('POST', `/v1/stand-ins/${asked[0].id}/agree`, {})).status, 200);
      };

      await hers.getByRole('switch', { name: 'Grace' }).click();
      await says(hers, 'Asked, not agreed yet');
      await agree();
      await says(hers, 'Both of you are reminded');
      await lookInFull(hers, 'stand-in-either-phone-light');

      await followLink(hers, '/app/settings/reminders');
      await press(hers, 'Ask somebody');
      await hers.getByLabel('About').selectOption('label');
      assert.equal(await hers.getByLabel('Label').inputValue(), 'medication');
      await lookInFull(hers, 'stand-in-label-phone-light');
      await press(hers, 'Ask');
      const row = hers.getByRole('listitem').filter({ hasText: 'everything with the label medication' });
      await row.getByText('asked, not agreed yet').waitFor();
      await agree();
      await row.getByText('agreed today at').waitFor();
      await hers.getByRole('heading', { name: 'People who stand in' }).scrollIntoViewIfNeeded();
      await look(hers, 'stand-in-settings-phone-light');

      await followLink(hers, `/app/tasks/${labelled}`);
      await says(hers, 'Asked for the label medication.');
      await press(hers, 'Do not tell Grace about this task');
      await says(hers, 'Grace is not told about this task.');
      await advanceTo('16:00');
      const reached = async () => (await grace.ask('GET', '/v1/stand-in/tasks')).body.data.length;
      assert.equal(await reached(), 1, 'only the cat has reached her');
      await press(hers, 'Tell Grace again');
      await says(hers, 'Will be told today at 17:00');
      await advanceTo('17:00');
      await waitUntil(async () => (await reached()) === 2);
      await says(hers, 'Told today at 17:00.');
      assert.deepEqual(owner.errors, []);
    },
  );
});
