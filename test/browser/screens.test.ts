/** The screens, on a phone and on a desktop, light and dark, checked by axe. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { look, seriousViolations } from '../support/accessibility.ts';
import { newProof, queryOf, register } from '../support/assistants.ts';
import {
  browserTests,
  followLink,
  goTo,
  goToSettings,
  openList,
  openToday,
  signInWith,
  type Visitor,
} from '../support/browser.ts';
import { createDemoData, DEMO_STARTS_AT } from '../support/demo-data.ts';
import { IS_FULL, sized } from '../support/size.ts';
import type { TestApp } from '../support/test-app.ts';

const SIZES = { phone: { width: 390, height: 844 }, desktop: { width: 1280, height: 900 } };

interface Variant {
  readonly size: keyof typeof SIZES;
  readonly colorScheme: 'light' | 'dark';
}

/**
 * By default every screen is looked at where most faults show, narrow and dark, and one of the app and one of the pages
 * wide and light as well (`lookTwice`). In a full run every screen is looked at in all four ways.
 */
const VARIANTS = sized<readonly Variant[]>(
  [{ size: 'phone', colorScheme: 'dark' }],
  (['phone', 'desktop'] as const).flatMap((size) =>
    (['light', 'dark'] as const).map((colorScheme) => ({ size, colorScheme })),
  ),
);

/** For the screens whose layout and colours the others share. Changing a page is cheaper than a second visit. */
async function lookTwice(page: Page, name: string, variant: string): Promise<void> {
  await look(page, `${name}-${variant}`);
  if (IS_FULL) return;
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize(SIZES.desktop);
  await look(page, `${name}-desktop-light`);
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.setViewportSize(SIZES.phone);
}
const PAGES = [
  ['/', 'front-page'],
  ['/guide', 'guide'],
  ['/docs/errors', 'errors'],
] as const;

async function lookAtAdministration(page: Page, variant: string): Promise<void> {
  await page.getByRole('link', { name: 'Open administration' }).click();
  await page.getByRole('link', { name: /^grace@/ }).waitFor();
  await look(page, `admin-${variant}`);
  await page.getByRole('link', { name: /^grace@/ }).click();
  await page.getByRole('heading', { name: 'What reaches them' }).waitFor();
  await look(page, `admin-person-${variant}`);
  await page.getByRole('button', { name: 'Suspend' }).click();
  await look(page, `admin-suspend-${variant}`);
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('link', { name: 'Administration' }).click();
  await page.getByRole('link', { name: 'Health' }).click();
  await page.getByText('Each is sent when it is due.').waitFor();
  await look(page, `admin-health-${variant}`);
}

/** What a new account sees: an invitation, and the introduction. */
async function walkIn({ page }: Visitor, app: TestApp, variant: string, inviteToken: string): Promise<void> {
  const heading = (name: string) => page.getByRole('heading', { name }).waitFor();
  await signInWith(page, app, `new-${variant}@example.org`);
  await heading('What may reach you?');
  await look(page, `first-run-reach-${variant}`);
  await page.getByRole('button', { name: 'Next' }).click();
  await heading('Quiet at night?');
  await look(page, `first-run-quiet-${variant}`);
  await page.getByRole('button', { name: 'No, at any hour' }).click();
  await heading('What must not be forgotten?');
  await look(page, `first-run-task-${variant}`);
  await page.getByRole('button', { name: 'Next' }).click();
  await heading('Watch a reminder grow');
  await look(page, `first-run-ladder-${variant}`);
  await page.goto(`/app/invites/${inviteToken}`);
  await heading('Join “Home”');
  await look(page, `join-${variant}`);
}

/** The other lists, and what finds and handles many tasks. Ends on Today. */
async function lookAtLists(page: Page, variant: string): Promise<void> {
  const close = () => page.locator('dialog').getByRole('button', { name: 'Close' }).click();
  await openList(page, 'Upcoming');
  await page.getByRole('heading', { name: 'Tomorrow' }).waitFor();
  await look(page, `upcoming-${variant}`);
  await openList(page, 'Someday');
  await page.getByRole('link', { name: 'Sort the photographs' }).waitFor();
  await look(page, `someday-${variant}`);
  await openList(page, 'Today');
  await page.getByRole('button', { name: 'Filter' }).click();
  await page.getByRole('button', { name: 'Labels' }).click();
  await page.getByLabel('New name for health').waitFor();
  await look(page, `labels-${variant}`);
  await close();
  await look(page, `filters-${variant}`);
  await page.getByRole('button', { name: 'Filter' }).click();
  await page.getByRole('button', { name: 'Select', exact: true }).click();
  await page.getByRole('checkbox', { name: 'Select: Call the dentist' }).check();
  await page.getByText('1 selected').waitFor();
  await look(page, `select-${variant}`);
  for (const name of ['Reschedule', 'Drop']) {
    await page.getByRole('button', { name }).click();
    await look(page, `${name.toLowerCase()}-${variant}`);
    await close();
  }
  await page.getByRole('button', { name: 'Stop selecting' }).click();
  await page.getByRole('button', { name: 'Search' }).click();
  await page.getByLabel('Search tasks').fill('the');
  await page.getByRole('option', { name: /Call the dentist/ }).waitFor();
  await look(page, `search-${variant}`);
  await close();
  await page.keyboard.press('?');
  await page.getByRole('heading', { name: 'Keyboard shortcuts' }).waitFor();
  await look(page, `shortcuts-${variant}`);
  await close();
}

/** A rule with many parts, what is asked about its series, and a task that another app offers. Ends on Today. */
async function lookAtSeries(page: Page, variant: string): Promise<void> {
  await openList(page, 'Upcoming');
  await page.getByRole('link', { name: 'Take the antibiotic' }).first().click();
  await page.getByRole('button', { name: 'Drop' }).click();
  await page.getByText('Drop ends the series').waitFor();
  await look(page, `drop-series-${variant}`);
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Edit' }).click();
  await page.getByRole('region', { name: 'Next dates' }).getByRole('listitem').nth(4).waitFor();
  await look(page, `repeat-hours-${variant}`);
  await page.getByLabel('Time', { exact: true }).fill('19:00');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'Change this one, or all from here?' }).waitFor();
  await look(page, `repeat-which-${variant}`);
  await page.getByRole('button', { name: 'Keep editing' }).click();
  await page.getByLabel('Repeat', { exact: true }).selectOption('monthly');
  await page.getByRole('button', { name: 'Add day' }).click();
  await page.getByLabel('Of what').selectOption('Wednesday');
  await page.getByText('Months and exceptions').click();
  await page.getByText('It repeats on the 1st').waitFor();
  await look(page, `repeat-months-${variant}`);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Discard' }).click();
  await followLink(page, '/app/add?title=An+article&text=read+tomorrow&url=https://example.org/a-very-long-address');
  await page.getByText('Understood as').waitFor();
  await look(page, `add-shared-${variant}`);
  await page.getByLabel('Add a task in plain words').fill('');
  await goTo(page, 'Today');
}

/** One after another, as a person would come by them. */
async function walk({ page }: Visitor, variant: string): Promise<void> {
  const heading = (name: string) => page.getByRole('heading', { name, level: 1 }).waitFor();
  const close = () => page.locator('dialog').getByRole('button', { name: 'Close' }).click();
  await page.getByRole('heading', { name: 'Due today' }).waitFor();
  await page.getByText('from Grace').waitFor();
  await lookTwice(page, 'today', variant);
  await page.getByLabel('Add a task in plain words').fill('pay rent every 1st 9am !');
  await page.getByText('on the 1st of every month').waitFor();
  await look(page, `quick-add-${variant}`);
  await page.getByLabel('Add a task in plain words').fill('wendsday at 4 haircut #hair !! // bring the picture');
  await page.getByText('Did you mean Wednesday?').waitFor();
  await look(page, `quick-add-guess-${variant}`);
  await page.getByLabel('Add a task in plain words').fill('buy milk tomorrow\ncall mum friday 5pm\nfix the bike');
  await page.getByText('Add 3 tasks, or one with notes?').waitFor();
  await look(page, `quick-add-lines-${variant}`);
  await page.getByLabel('Add a task in plain words').fill('');
  await page.getByRole('button', { name: 'Snooze: Call the dentist' }).click();
  await page.getByRole('heading', { name: 'Snooze until' }).waitFor();
  await look(page, `snooze-${variant}`);
  await close();
  await lookAtLists(page, variant);
  await lookAtSeries(page, variant);
  await page.getByRole('link', { name: 'Call the dentist' }).click();
  await page.locator('[data-nudge=coming]').first().waitFor();
  await look(page, `task-${variant}`);
  await page.getByRole('button', { name: 'Edit' }).click();
  await page.getByRole('heading', { name: 'Edit task' }).waitFor();
  await look(page, `editor-${variant}`);
  await close();
  await goTo(page, 'Spaces');
  await page.getByRole('link', { name: 'Home' }).waitFor();
  await look(page, `spaces-${variant}`);
  await page.getByRole('link', { name: 'Home' }).click();
  await heading('Home');
  await page.getByText('Gym with Grace').waitFor();
  await page.getByRole('heading', { name: 'Open invitations' }).waitFor();
  await look(page, `space-${variant}`);
  await page.getByRole('button', { name: 'Remove Grace' }).click();
  await look(page, `remove-member-${variant}`);
  await close();
  await page.getByRole('button', { name: 'Rename space' }).click();
  await look(page, `rename-space-${variant}`);
  await close();
  await goTo(page, 'History');
  await page.getByRole('heading', { name: 'Outcomes by week' }).waitFor();
  await look(page, `history-${variant}`);
  await goTo(page, 'Settings');
  await look(page, `settings-${variant}`);
  for (const part of ['Sign-in and security', 'Your data', 'You and this app', 'Assistants', 'Reminders'] as const) {
    await goToSettings(page, part);
    await page.getByRole('heading', { level: 2 }).first().waitFor();
    await look(page, `settings-${part.split(' ')[0]?.toLowerCase()}-${variant}`);
  }
  await page.getByRole('link', { name: 'Choose what reaches you' }).click();
  await page.getByRole('button', { name: /^Webhook/ }).waitFor();
  await look(page, `channels-${variant}`);
  await page.getByRole('button', { name: /^Webhook/ }).click();
  await page.getByText('More, if you need it').click();
  await look(page, `add-channel-${variant}`);
  await close();
  await goToSettings(page, 'You and this app');
  await lookAtAdministration(page, variant);
  await goToSettings(page, 'Sign-in and security');
  await page.getByRole('button', { name: 'Turn on' }).click();
  await page.getByRole('img', { name: /QR code/ }).waitFor();
  await look(page, `second-factor-${variant}`);
  await close();
  await goToSettings(page, 'Assistants');
  await page.getByRole('button', { name: 'New token' }).click();
  await look(page, `token-${variant}`);
  await page.getByRole('button', { name: 'Create token' }).click();
  await page.getByLabel('For any other MCP client').waitFor();
  assert.deepEqual(await seriousViolations(page), []);
  await page.getByRole('button', { name: 'I have copied it' }).click();
}

/** The consent page, for an assistant that nobody vouches for, on the person's own machine. */
async function lookAtConsent({ page }: Visitor, app: TestApp, variant: string): Promise<void> {
  const redirect_uri = 'http://127.0.0.1:33418/';
  const { client_id } = await register(app, { client_name: 'Visual Studio Code', redirect_uris: [redirect_uri] });
  await page.goto(
    `/oauth/authorize?${queryOf(client_id, newProof().challenge, { redirect_uri, resource: undefined })}`,
  );
  await page.getByRole('heading', { name: 'Connect Visual Studio Code?' }).waitFor();
  await page.getByText('ada@example.org').waitFor();
  await look(page, `connect-${variant}`);
}

browserTests('sqlite', { startsAt: DEMO_STARTS_AT }, (web) => {
  let inviteToken = '';
  before(async () => {
    const { ada, spaceId } = await createDemoData(web.app);
    const invited = await ada.ask('POST', `/v1/spaces/${spaceId}/invites`, { invitee_contact: 'Linus, by phone' });
    inviteToken = invited.body.data.token;
    const hours = { freq: 'hourly', interval: 6, from: 'completion', between: ['08:00', '22:00'], per_day: 3 };
    const tomorrow = { due_at: '2026-03-03T18:00:00', has_time: true };
    await ada.ask('POST', '/v1/tasks', { title: 'Take the antibiotic', ...tomorrow, recurrence: hours });
  });

  for (const { size, colorScheme } of VARIANTS) {
    test(`no screen has a serious fault for those who cannot see, hear or point: ${size}, ${colorScheme}`, async () => {
      const options = { viewport: SIZES[size], colorScheme, reducedMotion: 'reduce' } as const;
      const visitor = await web.open(options);
      await visitor.page.goto('/app');
      await visitor.page.getByLabel('Email address').waitFor();
      await look(visitor.page, `sign-in-${size}-${colorScheme}`);
      await visitor.page.getByLabel('Email address').fill('ada@example.org');
      await visitor.page.getByRole('button', { name: 'Mail me a code' }).click();
      await visitor.page.getByLabel('Code from the mail').waitFor();
      await look(visitor.page, `sign-in-code-${size}-${colorScheme}`);
      await openToday(visitor, web.app, 'ada@example.org');
      await walk(visitor, `${size}-${colorScheme}`);
      await lookAtConsent(visitor, web.app, `${size}-${colorScheme}`);
      const newcomer = await web.open(options);
      await walkIn(newcomer, web.app, `${size}-${colorScheme}`, inviteToken);
      assert.deepEqual([...visitor.errors, ...newcomer.errors], []);
      assert.deepEqual(visitor.foreignRequests, []);
    });
  }

  for (const { size, colorScheme } of VARIANTS) {
    test(`no page around the app has a serious fault, and no command scrolls: ${size}, ${colorScheme}`, async () => {
      const { page, errors, foreignRequests } = await web.open({ viewport: SIZES[size], colorScheme });
      const variant = `${size}-${colorScheme}`;
      for (const [path, name] of PAGES) {
        await page.goto(path);
        await (path === '/' ? lookTwice(page, name, variant) : look(page, `${name}-${variant}`));
        const scrolling = "[...document.querySelectorAll('pre, table')].filter((e) => e.scrollWidth > e.clientWidth)";
        assert.equal(await page.evaluate(`${scrolling}.length`), 0, name);
      }
      assert.deepEqual([...errors, ...foreignRequests], []);
    });
  }

  test('the front page shows the ladder on the first screen of a phone, and a still one to who asked for it', async () => {
    const { page } = await web.open({ viewport: SIZES.phone, reducedMotion: 'no-preference' });
    await page.goto('/');
    const box = await page.getByRole('list', { name: 'A task and its nudges' }).boundingBox();
    assert.ok(box && box.y + box.height < SIZES.phone.height, 'the ladder is below the fold');
    assert.ok((await page.getByRole('listitem').count()) > 7);
    const moving = 'document.getAnimations().map((a) => a.effect.getComputedTiming().endTime)';
    const ends = await page.evaluate<number[]>(moving);
    assert.ok(ends.length >= 7 && ends.every((end) => end <= 5_000), 'what moves must stop within five seconds');
    await page.emulateMedia({ reducedMotion: 'reduce' });
    assert.deepEqual(await page.evaluate(moving), []);
  });

  // Swagger UI is a script of 1.5 MB, and works five seconds on the description of all operations.
  if (IS_FULL)
    test('the documentation begins with the operations, finds one by a word of its summary, and tries it', async () => {
      const { page, errors } = await web.open({ viewport: SIZES.phone, time: 'real' });
      await page.goto('/docs');
      const operations = page.locator('.opblock');
      await operations.first().waitFor({ timeout: 60_000 });
      const box = await operations.first().boundingBox();
      assert.ok(box && box.y < SIZES.phone.height, 'the first operation is below the fold');
      const all = await operations.count();
      await page.getByRole('searchbox').fill('health of the service');
      await page.waitForFunction(`document.querySelectorAll('.opblock').length < ${all}`);
      for (const text of await operations.allTextContents()) assert.match(text, /health of the service/i);
      await operations.getByText('/health', { exact: true }).click();
      await page.getByRole('button', { name: 'Execute' }).click();
      await page.locator('.live-responses-table').getByText('200').first().waitFor();
      await page.getByRole('searchbox').fill('no such operation');
      await page.waitForFunction("document.querySelectorAll('.opblock').length === 0");
      assert.deepEqual(errors, []);
    });
});
