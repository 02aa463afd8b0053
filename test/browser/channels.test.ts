import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { browserTests, goTo, goToSettings, openAppAs, startWebTestApp } from '../support/browser.ts';
import { echo } from '../support/channel-rig.ts';
import { EmailRig, WebhookRig } from '../support/channel-rigs.ts';
import { createPerson, type Person } from '../support/people.ts';
import { testInFull } from '../support/size.ts';
import { TelegramRig } from '../support/telegram-rig.ts';
import { waitUntil } from '../support/wait-until.ts';

const openReach = async (page: Page) => {
  await goToSettings(page, 'Reminders');
  await page.getByRole('link', { name: 'Choose what reaches you' }).click();
  await page.getByRole('heading', { name: 'What reaches you', level: 1 }).waitFor();
};

const choose = (page: Page, kind: string) => page.getByRole('button', { name: new RegExp(`^${kind}`) }).click();

let hook: WebhookRig;
let telegram: TelegramRig;

async function startRigs(parts: AsyncDisposableStack) {
  hook = parts.use(await WebhookRig.start());
  telegram = parts.use(await TelegramRig.start());
  return { settings: { ...hook.settings, ...telegram.settings } };
}

browserTests('sqlite', startRigs, (web, engine) => {
  before(() => {
    telegram.app = web.app;
  });

  const visit = async (path = '/app') => {
    const person = await createPerson(web.app);
    const visitor = await web.open();
    await openAppAs(visitor, person.sessionToken, path);
    return { ...visitor, person };
  };
  const listed = async (person: Person) => (await person.ask('GET', '/v1/channels')).body.data;

  test('Today says that nothing reaches a person until a webhook is confirmed, and again once it is removed', async () => {
    const { page, person } = await visit();
    const banner = page.getByText('No nudge can reach you yet.');
    await banner.waitFor();
    await page.getByRole('link', { name: 'Add a channel' }).click();
    await page.getByText('Nothing reaches you yet.').waitFor();

    await choose(page, 'Webhook');
    await page.getByLabel('URL').fill('http://10.0.0.1/hook');
    await page.getByRole('button', { name: 'Go on' }).click();
    await page.getByRole('alert').getByText('CHANNEL_HOSTS').waitFor();
    assert.equal(await page.getByLabel('URL').getAttribute('aria-invalid'), 'true');
    await page.getByLabel('URL').fill(`${hook.server.origin}/hook/abcd`);
    await page.getByRole('button', { name: 'Go on' }).click();
    await page.getByRole('button', { name: 'Send the request' }).waitFor();
    assert.match(await page.getByLabel('Signing secret').inputValue(), /^whsec_/);
    hook.server.faults.next({ status: 404 });
    await page.getByRole('button', { name: 'Send the request' }).click();
    await page.getByRole('alert').getByText('knows nothing at this address').waitFor();
    // A receiver that cannot return the challenge, such as Home Assistant, shows the code.
    hook.server.respondTo = () => ({ status: 200 });
    await page.getByRole('button', { name: 'Send the request' }).click();
    await page.getByText('Type the code that it shows you').waitFor();
    hook.server.respondTo = echo;
    const { code } = JSON.parse(hook.server.requests.at(-1)?.body ?? '{}').data;
    await page.getByLabel('Code from the message').fill(code);
    await page.getByRole('button', { name: 'Confirm', exact: true }).click();
    await page.getByText('Nudges come here from now on.').waitFor();
    await page.getByRole('button', { name: 'Done', exact: true }).click();

    await page.getByText('works', { exact: true }).waitFor();
    // The service of the tests has no address that a phone could open.
    await page.getByText('sets BASE_URL to one that your phone can open').waitFor();
    const received = hook.server.requests.length;
    await page.getByRole('button', { name: /^Test Webhook/ }).click();
    await page.getByText('Sent. It should be there in a moment.').waitFor();
    assert.equal(hook.server.requests.length, received + 1);
    await goTo(page, 'Today');
    await page.getByText("You're all caught up").waitFor();
    await banner.waitFor({ state: 'detached' });

    await openReach(page);
    await page.getByRole('button', { name: /^Change Webhook/ }).click();
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    assert.equal((await listed(person)).channels.length, 1, 'it is removed only after the question');
    await page.locator('dialog').getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByText('Webhook was removed').waitFor();
    assert.deepEqual((await listed(person)).channels, []);
    await goTo(page, 'Today');
    await banner.waitFor();
    await page.getByRole('button', { name: 'Hide for now' }).click();
    await page.reload();
    await page.getByText("You're all caught up").waitFor();
    assert.equal(await banner.count(), 0, 'it stays hidden for the session');
  });

  testInFull(
    'a chat is connected by its link, which the screen shows as a QR code and notices; the order, the stages and the private titles of a channel are kept, and the screen tells the order',
    async () => {
      const { page, person, foreignRequests } = await visit('/app/settings/channels');
      await choose(page, 'Telegram');
      await page.getByRole('button', { name: 'Go on' }).click();
      await page.getByRole('img', { name: 'QR code with the link' }).waitFor();
      const link = await page.getByRole('link', { name: 'Open the link' }).getAttribute('href');
      const code = /^https:\/\/t\.me\/nudge_bot\?start=([\w-]+)$/.exec(link ?? '')?.[1];
      const chat = { id: 77, type: 'private', username: 'ada' };
      assert.equal(await telegram.report({ update_id: 1, message: { text: `/start ${code}`, chat } }), 200);
      await page.getByText('Nudges come here from now on.').waitFor();
      await page.getByRole('button', { name: 'Done', exact: true }).click();
      assert.deepEqual(foreignRequests, []);

      await goToSettings(page, 'Reminders');
      await hook.connect(person);
      await page.getByRole('link', { name: 'Choose what reaches you' }).click();
      await page.getByRole('button', { name: /^Change Webhook/ }).click();
      await page.getByLabel('Name').fill('The lamp');
      await page.getByLabel('Used for').selectOption({ label: 'Only when it insists' });
      await page.getByLabel('Order').selectOption({ label: 'Second, if you do not answer' });
      await page.getByLabel('Keep titles private').check();
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('heading', { name: 'If you do not answer in 3 minutes' }).waitFor();
      await page.getByLabel('Wait for an answer').selectOption('5');
      await page.getByRole('heading', { name: 'If you do not answer in 5 minutes' }).waitFor();
      const { fallback_minutes, channels } = await listed(person);
      assert.equal(fallback_minutes, 5);
      const { name, stages, tier, private_title } = channels.find(
        ({ provider }: { provider: string }) => provider === 'webhook',
      );
      assert.deepEqual(
        { name, stages, tier, private_title },
        { name: 'The lamp', stages: [2], tier: 1, private_title: true },
      );

      await page.getByRole('button', { name: /^Change The lamp/ }).click();
      await page.getByLabel('Use it').uncheck();
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('switched off').waitFor();
    },
  );

  test('a new token for the same server leaves the topic as it is', async () => {
    const { page, person } = await visit('/app/settings/channels');
    const fields = { server: hook.server.origin, topic: 'alerts-of-home', token: 'tk_old' };
    await person.ask('POST', '/v1/channels', { provider: 'ntfy', fields });
    await page.reload();
    await page.getByRole('button', { name: /^Change ntfy/ }).click();
    await page.getByText('Enter the address again').click();
    await page.getByLabel('Server', { exact: true }).fill(`${hook.server.origin}/`);
    await page.getByLabel('Access token').fill('tk_new');
    await page.getByRole('button', { name: 'Save' }).click();
    await waitUntil(() => hook.server.requests.at(-1)?.headers.authorization === 'Bearer tk_new');
    assert.match((await listed(person)).channels[0].label, /home$/);
  });

  test('the page of a task says beforehand what a nudge goes on to, and afterwards that it did', async () => {
    const person = await createPerson(web.app);
    await hook.connect(person);
    await telegram.connect(person, { tier: 1 });
    const due = { due_at: new Date(web.app.clock.now().getTime() + 1_800_000).toISOString(), has_time: true };
    const { id } = (await person.ask('POST', '/v1/tasks', { title: 'Water the roses', ...due })).body.data;
    const visitor = await web.open();
    await openAppAs(visitor, person.sessionToken, `/app/tasks/${id}`);
    const { page } = visitor;
    await page.getByText('As a list').click();
    await page
      .getByText(/^Telegram at \d\d:\d\d, if not answered$/)
      .first()
      .waitFor();
    await web.advance('30m');
    await web.advance('3m');
    await page.reload();
    await page.getByText('Went on to Telegram').waitFor();
    await page.getByText('not answered in 3 minutes').waitFor();
  });

  testInFull(
    'two messages without titles are told apart by codes that the app shows beside the titles, and their page shows the title to the signed-in owner, wherever they come from',
    async () => {
      const { page, person, context } = await visit();
      await hook.connect(person, { private_title: true });
      hook.server.requests.splice(0);
      const due_at = new Date(web.app.clock.now().getTime() + 1_800_000).toISOString();
      const ids: string[] = [];
      for (const title of ['take the pills', 'feed the cat'])
        ids.push((await person.ask('POST', '/v1/tasks', { title, due_at, has_time: true })).body.data.id);
      await web.advance('30m');
      const sent = () => hook.server.requests.map(({ body }) => JSON.parse(body).data);
      const nudgeOf = (id: string) => sent().find(({ task_id }) => task_id === id);
      await waitUntil(() => ids.every(nudgeOf));
      const messages = ids.map(nudgeOf);
      const codes = messages.map(({ title }) => /^Task (#\w{4}) is due$/.exec(title)?.[1] ?? title);
      assert.equal(new Set(codes).size, 2);
      const [message] = messages;
      // The page reads the codes with its channels, perhaps a moment before the nudges.
      await page.reload();
      const row = page.locator('[data-task]', { hasText: codes[0] ?? '' });
      const title = (await row.getByRole('link').first().textContent()) ?? '';
      assert.match(title, /^(?:take the pills|feed the cat)$/);
      await row.getByRole('link').first().click();
      await page.getByRole('heading', { name: title, level: 1 }).waitFor();
      await page.getByText(codes[0] ?? '').waitFor();

      const mailbox = await context.newPage();
      await mailbox.goto(`${web.origin.replace('127.0.0.1', 'crescendo.test')}/`);
      await mailbox.evaluate(`location.href = ${JSON.stringify(web.origin + new URL(message.actions.page).pathname)}`);
      await mailbox.getByText(title, { exact: true }).waitFor();
      await context.clearCookies();
      await mailbox.reload();
      await mailbox.getByText(`Task ${codes[0]}`, { exact: true }).waitFor();
      assert.doesNotMatch(await mailbox.content(), /pills|cat/);
    },
  );

  testInFull('a mailbox is confirmed by its code, or from the mail while the screen is open', async () => {
    await using mail = await EmailRig.start();
    await using posted = await startWebTestApp(engine, { settings: mail.settings });
    const person = await createPerson(posted.app);
    const visitor = await posted.open();
    await openAppAs(visitor, person.sessionToken, '/app/settings/channels');
    const { page } = visitor;
    const add = async (address: string) => {
      await choose(page, 'Email');
      await page.getByLabel('Email address').fill(address);
      await page.getByRole('button', { name: 'Go on' }).click();
      await page.getByText(`went to ${address}`).waitFor();
      await waitUntil(() => mail.catcher.mails.at(-1)?.raw.includes(address) ?? false);
      const raw =
        mail.catcher.mails
          .at(-1)
          ?.raw.replaceAll(/=\r?\n/g, '')
          .replaceAll('=3D', '=') ?? '';
      return { code: /Your code is (\d{6})/.exec(raw)?.[1] ?? '', path: /(\/a\/[\w-]+)/.exec(raw)?.[1] ?? '' };
    };
    const confirmed = page.getByText('Nudges come here from now on.');

    const { code } = await add('ada@elsewhere.example');
    await page.getByLabel('Code from the message').fill(code === '000000' ? '000001' : '000000');
    await page.getByRole('button', { name: 'Confirm', exact: true }).click();
    await page.getByRole('alert').getByText('That code is wrong').waitFor();
    await page.getByLabel('Code from the message').fill(code);
    await page.getByRole('button', { name: 'Confirm', exact: true }).click();
    await confirmed.waitFor();
    await page.getByRole('button', { name: 'Done', exact: true }).click();

    const { path } = await add('ada@third.example');
    await posted.app.ask({ method: 'POST', url: `${path}?do=confirm` });
    await confirmed.waitFor();
    const states = (await listed(person)).channels.map(
      ({ label, state }: Record<string, string>) => `${label} ${state}`,
    );
    assert.ok(states.includes('ada@elsewhere.example working') && states.includes('ada@third.example working'), states);
    assert.deepEqual(visitor.foreignRequests, []);
  });
});
