/**
 * The ten commonest jobs with the keyboard alone. Each control is reached by Tab, as a person without a pointer reaches
 * it, and is found by the role and the name that a screen reader says. `docs/accessibility.md` describes the walks.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { screenStrings } from '../../web/src/screen-strings.ts';
import { strings } from '../../web/src/strings.ts';
import { closeBrowser, mailedCode, pauseClock, startWebTestApp, type WebTestApp } from '../support/browser.ts';
import { onSomeEngine } from '../support/engines.ts';
import { findStoredTask, waitForStoredTask } from '../support/stored-task.ts';
import { waitUntil } from '../support/wait-until.ts';

const EMAIL = 'keyboard@example.org';
const TITLE = 'call Grace';
/** More than any screen has between two controls of a job. */
const MOST_TABS = 60;

type Role = 'button' | 'link' | 'textbox' | 'switch' | 'region';

class Keyboard {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  async reach(role: Role, name: string | RegExp, isInDialog = false): Promise<void> {
    const place = isInDialog ? this.page.getByRole('dialog') : this.page;
    await this.#tabTo(place.getByRole(role, { name, exact: true }), `${role} “${name}”`);
  }

  /** A field without a role of its own, such as one for a time. */
  async reachField(label: string): Promise<void> {
    await this.#tabTo(this.page.getByLabel(label, { exact: true }), `field “${label}”`);
  }

  async #tabTo(wanted: Locator, what: string): Promise<void> {
    await wanted.first().waitFor();
    for (let tabs = 0; tabs < MOST_TABS; tabs += 1) {
      if ((await wanted.and(this.page.locator(':focus')).count()) > 0) return;
      await this.page.keyboard.press('Tab');
    }
    assert.fail(`${what} cannot be reached by Tab`);
  }

  async press(role: Role, name: string, isInDialog = false): Promise<void> {
    await this.reach(role, name, isInDialog);
    await this.page.keyboard.press('Enter');
  }

  async heading(name: string): Promise<void> {
    await this.page.getByRole('heading', { name, exact: true }).first().waitFor();
  }

  /** The place where the focus is, as a screen reader names it. A new screen takes the focus once it is drawn. */
  async expectFocus(name: string): Promise<void> {
    const focused = "document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent";
    await waitUntil(async () => (await this.page.evaluate<string>(focused)) === name);
  }
}

after(closeBrowser);

onSomeEngine('sqlite', (engine) => {
  let web: WebTestApp;
  let keys: Keyboard;
  let page: Page;
  before(async () => {
    web = await startWebTestApp(engine);
    ({ page } = await web.open());
    keys = new Keyboard(page);
    await page.goto('/app');
  });
  after(() => web[Symbol.asyncDispose]());

  const toToday = async () => {
    await keys.press('link', strings.nav.today);
    await keys.heading(strings.today.title);
  };

  /** The jobs follow each other, as on one morning: each starts where the one before it ended. */
  let isReady = true;
  const job = (name: string, run: () => Promise<void>) =>
    test(name, async () => {
      assert.ok(isReady, 'the job before it failed');
      isReady = false;
      await run();
      isReady = true;
    });

  job('1. a person signs in', async () => {
    await keys.reach('textbox', strings.signIn.email);
    await page.keyboard.type(EMAIL);
    await page.keyboard.press('Enter');
    await keys.reach('textbox', strings.signIn.code);
    await page.keyboard.type(mailedCode(web.app, EMAIL));
    await page.keyboard.press('Enter');
    await keys.heading(strings.today.title);
  });

  job('2. a person adds a task', async () => {
    await page.keyboard.press('n');
    await keys.reach('textbox', strings.add.label);
    await page.keyboard.type(`${TITLE} at 23:00`);
    await page.getByText(strings.add.understood).waitFor();
    await page.keyboard.press('Enter');
    await waitForStoredTask(web.app, TITLE);
  });

  job('3. a person snoozes a task, and the focus returns to its row', async () => {
    await keys.press('button', strings.task.snoozeNamed(TITLE));
    await keys.heading(strings.snooze.title);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await keys.expectFocus(strings.task.snoozeNamed(TITLE));
    await page.keyboard.press('Enter');
    // The name goes on with the time that it means.
    await keys.reach('button', new RegExp(`^${strings.snooze.hour}`));
    // So that Undo stays.
    await pauseClock(page);
    await page.keyboard.press('Enter');
    await page.getByText('snoozed until').waitFor();
  });

  job('4. a person takes the snooze back', async () => {
    await keys.press('button', strings.undo);
    await page.getByText('snoozed until').waitFor({ state: 'detached' });
    await page.clock.resume();
    assert.equal((await findStoredTask(web.app, TITLE))?.deferred_until, null);
  });

  job('5. a person reads when a task will nudge, as a list', async () => {
    await keys.press('link', TITLE);
    await keys.heading(TITLE);
    await keys.expectFocus(TITLE);
    await keys.reach('region', strings.detail.ladder);
    await page.keyboard.press('Tab');
    await keys.expectFocus(strings.detail.tableToggle);
    await page.keyboard.press('Enter');
    const { when, what, how } = strings.detail.tableHead;
    for (const name of [when, what, how]) await page.getByRole('columnheader', { name, exact: true }).waitFor();
    assert.ok((await page.getByRole('row').count()) > 2);
  });

  job('6. a person moves a task to another time', async () => {
    await keys.press('button', strings.detail.edit);
    await keys.heading(screenStrings.editor.title);
    await keys.reachField(screenStrings.editor.time);
    // The hour comes first in the field; its figures depend on the region of the browser.
    await page.keyboard.press('ArrowDown');
    await keys.press('button', strings.save);
    await waitForStoredTask(web.app, TITLE, ({ due_at }) => due_at === '2026-03-02T21:00:00.000Z');
  });

  job('7. a person finishes a task', async () => {
    await toToday();
    await keys.press('button', strings.task.doneNamed(TITLE));
    await page.getByRole('status').getByText(strings.task.confirmation.complete(TITLE)).waitFor();
    await waitForStoredTask(web.app, TITLE, ({ status }) => status === 'done');
  });

  job('8. a person drops a task, after being asked', async () => {
    await page.keyboard.press('n');
    await page.keyboard.type('paint the fence today');
    await page.getByText(strings.add.understood).waitFor();
    await page.keyboard.press('Enter');
    await waitForStoredTask(web.app, 'paint the fence');
    await keys.press('link', 'paint the fence');
    await keys.heading('paint the fence');
    await keys.press('button', strings.task.drop);
    await keys.heading(strings.detail.dropSure);
    await keys.press('button', strings.task.drop, true);
    await waitForStoredTask(web.app, 'paint the fence', ({ status }) => status === 'dropped');
  });

  job('9. a person creates a space and a link that invites to it', async () => {
    await keys.press('link', strings.nav.spaces);
    await keys.heading(screenStrings.spaces.title);
    await keys.press('button', screenStrings.spaces.create);
    await keys.reach('textbox', screenStrings.spaces.name);
    await page.keyboard.type('Home');
    await page.keyboard.press('Enter');
    await keys.heading('Home');
    await keys.press('button', screenStrings.spaces.invite);
    await keys.press('button', screenStrings.spaces.inviteMake);
    await keys.reachField(screenStrings.spaces.inviteLink);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  job('10. a person sets quiet hours', async () => {
    await keys.press('link', strings.nav.settings);
    await keys.heading(screenStrings.settings.title);
    await keys.reach('switch', screenStrings.settings.quiet);
    await page.keyboard.press('Space');
    await keys.reachField(screenStrings.settings.quietFrom);
    await page.keyboard.press('ArrowDown');
    await keys.reachField(screenStrings.settings.quietTo);
    await waitUntil(async () => {
      const users = web.app.db.selectFrom('users').select('quiet_hours_start').where('email', '=', EMAIL);
      return (await users.executeTakeFirst())?.quiet_hours_start === '21:00';
    });
  });
});
