/**
 * Every screen, on a phone and on a desktop, light and dark, checked by axe. CRESCENDO_SCREENSHOTS=1 saves a
 * picture of each as well.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import {
  closeBrowser,
  openList,
  openToday,
  startWebTestApp,
  type Visitor,
  type WebTestApp,
} from '../support/browser.ts';
import { createDemoData, DEMO_STARTS_AT } from '../support/demo-data.ts';
import { onSomeEngine } from '../support/engines.ts';
import { sized } from '../support/size.ts';

const FOLDER = join(import.meta.dirname, '../../docs/screenshots');
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const SIZES = { phone: { width: 390, height: 844 }, desktop: { width: 1280, height: 900 } };
const SCHEMES = ['light', 'dark'] as const;
const SAVES_PICTURES = process.env.CRESCENDO_SCREENSHOTS !== undefined;

interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** What axe calls serious or critical, in a line each. */
async function seriousViolations(page: Page): Promise<string[]> {
  if (!(await page.evaluate<boolean>("'axe' in globalThis"))) await page.evaluate(AXE);
  // Half of a movement has half of its contrast.
  await page.evaluate(
    'Promise.all(document.getAnimations().filter((a) => a.effect.getTiming().iterations === 1).map((a) => a.finished))',
  );
  const violations = await page.evaluate<Violation[]>(
    "axe.run({ resultTypes: ['violations'] }).then(({ violations }) => violations)",
  );
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`));
}

async function look(page: Page, name: string): Promise<void> {
  assert.deepEqual(await seriousViolations(page), [], name);
  const overflow = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
  assert.equal(overflow, 0, `${name} scrolls sideways`);
  if (SAVES_PICTURES) await page.screenshot({ path: join(FOLDER, `${name}.png`), animations: 'disabled' });
}

/** The other lists, and what finds and handles many tasks. Ends on Today. */
async function lookAtLists(page: Page, variant: string): Promise<void> {
  const close = () => page.locator('dialog').getByRole('button', { name: 'Close' }).click();
  await openList(page, 'Upcoming');
  await page.getByRole('heading', { name: 'Snoozed' }).waitFor();
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
  await page.getByRole('button', { name: 'Reschedule' }).click();
  await look(page, `reschedule-${variant}`);
  await close();
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

/** One after another, as a person would come by them. */
async function walk({ page }: Visitor, variant: string): Promise<void> {
  const heading = (name: string) => page.getByRole('heading', { name, level: 1 }).waitFor();
  const close = () => page.locator('dialog').getByRole('button', { name: 'Close' }).click();
  await page.getByRole('heading', { name: 'Due today' }).waitFor();
  await page.getByText('from Grace').waitFor();
  await look(page, `today-${variant}`);
  await page.getByLabel('Add a task in plain words').fill('pay rent every 1st 9am !');
  await page.getByText('on the 1st of every month').waitFor();
  await look(page, `quick-add-${variant}`);
  await page.getByLabel('Add a task in plain words').fill('');
  await page.getByRole('button', { name: 'Snooze: Call the dentist' }).click();
  await page.getByRole('heading', { name: 'Snooze until' }).waitFor();
  await look(page, `snooze-${variant}`);
  await close();
  await lookAtLists(page, variant);
  await page.getByRole('link', { name: 'Call the dentist' }).click();
  await page.locator('[data-nudge=coming]').first().waitFor();
  await look(page, `task-${variant}`);
  await page.getByRole('button', { name: 'Edit' }).click();
  await page.getByRole('heading', { name: 'Edit task' }).waitFor();
  await look(page, `editor-${variant}`);
  await close();
  await page.getByRole('link', { name: 'Spaces' }).first().click();
  await page.getByRole('link', { name: 'Home' }).waitFor();
  await look(page, `spaces-${variant}`);
  await page.getByRole('link', { name: 'Home' }).click();
  await heading('Home');
  await page.getByText('Gym with Grace').waitFor();
  await look(page, `space-${variant}`);
  await page.getByRole('link', { name: 'History' }).click();
  await page.getByRole('heading', { name: 'Outcomes by week' }).waitFor();
  await look(page, `history-${variant}`);
  await page.getByRole('link', { name: 'Settings' }).click();
  await heading('Settings');
  await page.getByRole('button', { name: 'Turn on' }).waitFor();
  await look(page, `settings-${variant}`);
  await page.getByRole('link', { name: 'Choose what reaches you' }).click();
  await page.getByRole('button', { name: /^Webhook/ }).waitFor();
  await look(page, `channels-${variant}`);
  await page.getByRole('button', { name: /^Webhook/ }).click();
  await page.getByText('More, if you need it').click();
  await look(page, `add-channel-${variant}`);
  await close();
  await page.getByRole('navigation').getByRole('link', { name: 'Settings' }).click();
  await page.getByRole('button', { name: 'Turn on' }).click();
  await page.getByRole('img', { name: /QR code/ }).waitFor();
  await look(page, `second-factor-${variant}`);
  await close();
  await page.getByRole('button', { name: 'New token' }).click();
  await look(page, `token-${variant}`);
  await page.getByRole('button', { name: 'Create token' }).click();
  await page.getByLabel('For an MCP client').waitFor();
  assert.deepEqual(await seriousViolations(page), []);
  await page.getByRole('button', { name: 'I have copied it' }).click();
}

after(closeBrowser);

onSomeEngine('sqlite', (engine) => {
  let web: WebTestApp;
  before(async () => {
    web = await startWebTestApp(engine, { startsAt: DEMO_STARTS_AT });
    await createDemoData(web.app);
  });
  afterEach(() => web.closeVisitors());
  after(() => web[Symbol.asyncDispose]());

  // By default each size is seen in one scheme and each scheme in one size, in a full run all of them.
  for (const [index, [size, viewport]] of Object.entries(SIZES).entries()) {
    for (const colorScheme of sized<readonly (typeof SCHEMES)[number][]>(SCHEMES.slice(index, index + 1), SCHEMES)) {
      test(`no screen has a serious fault for those who cannot see, hear or point: ${size}, ${colorScheme}`, async () => {
        const visitor = await web.open({ viewport, colorScheme, reducedMotion: 'reduce' });
        await visitor.page.goto('/app');
        await visitor.page.getByLabel('Email address').waitFor();
        await look(visitor.page, `sign-in-${size}-${colorScheme}`);
        await openToday(visitor, web.app, 'ada@example.org');
        await walk(visitor, `${size}-${colorScheme}`);
        assert.deepEqual(visitor.errors, []);
        assert.deepEqual(visitor.foreignRequests, []);
      });
    }
  }

  test('everything on Today can be done without a mouse, and the focus stays where it belongs', async () => {
    const visitor = await web.open();
    await openToday(visitor, web.app, 'keys@example.org');
    const { page } = visitor;
    const focused = () =>
      page.evaluate<string>("document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent");
    await page.locator('body').press('n');
    await page.keyboard.type('call Grace at 23:00');
    await page.getByText('Understood as').waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'call Grace' }).waitFor();
    const snooze = page.getByRole('button', { name: 'Snooze: call Grace' });
    await snooze.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Snooze until' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: 'Snooze until' }).waitFor({ state: 'detached' });
    assert.equal(await focused(), 'Snooze: call Grace');
    await page.getByRole('link', { name: 'call Grace' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'call Grace', level: 1 }).waitFor();
    assert.equal(await focused(), 'call Grace');
  });
});
