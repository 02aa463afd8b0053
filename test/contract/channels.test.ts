import assert from 'node:assert/strict';
import { describe, test as nodeTest } from 'node:test';
import { newId } from '../../src/lib/ids.ts';
import { create, echo, type Refusal, verify } from '../support/channel-rig.ts';
import { CHANNEL_RIGS, EmailRig, NtfyRig, WebhookRig } from '../support/channel-rigs.ts';
import { ChannelScenario } from '../support/channel-scenario.ts';
import { type EngineName, onEveryEngine, runsOn } from '../support/engines.ts';
import { HttpRecorder } from '../support/http-recorder.ts';
import { createPerson, renewSignIn } from '../support/people.ts';
import { PROVIDER_RIGS } from '../support/provider-rigs.ts';
import { IS_FULL } from '../support/size.ts';
import { createSpace } from '../support/spaces.ts';
import { channelRow } from '../support/stored-channel.ts';
import { TelegramRig } from '../support/telegram-rig.ts';
import { waitUntil } from '../support/wait-until.ts';

/** ntfy in tier 0, and a webhook in each of the next two. */
async function openTiers(engine: EngineName) {
  const rig = await NtfyRig.start();
  const [hook, second] = [await HttpRecorder.start(echo), await HttpRecorder.start(echo)];
  const hosts = [rig.server, hook, second].map(({ host }) => host);
  const scenario = await ChannelScenario.open(engine, rig, { CHANNEL_HOSTS: hosts.join(',') });
  await rig.connect(scenario.ada);
  for (const [index, { origin, requests }] of [hook, second].entries()) {
    const fields = { url: `${origin}/x` };
    const { id } = await create(scenario.ada, { provider: 'webhook', tier: index + 1, fields });
    assert.equal((await verify(scenario.ada, id)).status, 200);
    requests.splice(0);
  }
  const dispose = async () => {
    for (const one of [scenario, hook, second]) await one[Symbol.asyncDispose]();
  };
  return { scenario, rig, hook, second, [Symbol.asyncDispose]: dispose };
}

/** A mail without the line breaks of quoted-printable. */
const readable = (raw = '') => raw.replaceAll(/=\r?\n/g, '');

const isOpen = async ({ ada }: ChannelScenario, id: string) =>
  (await ada.ask('GET', `/v1/tasks/${id}`)).body.data.status === 'open';

const STATE_AFTER: Readonly<Record<Refusal['means'], string>> = {
  retry: 'working',
  misconfigured: 'working',
  rejected: 'working',
  gone: 'needs_attention',
  credentials_refused: 'needs_attention',
};

async function checkConsequence(scenario: ChannelScenario, id: string, refusal: Refusal): Promise<void> {
  const { rig, clock, ada, app } = scenario;
  const { name, means } = refusal;
  const due_at = new Date(clock.now().getTime() + 60_000).toISOString();
  rig.refuse(refusal);
  const task = await scenario.create({ title: name, due_at });
  await clock.advance('1m');
  const [delivery] = await scenario.deliveries(task);
  const isTriedAgain = means === 'retry' || means === 'misconfigured';
  assert.equal(delivery?.status, isTriedAgain ? 'pending' : 'failed_permanent', name);
  if (means === 'credentials_refused') assert.equal(delivery?.reason, means);
  const channel = await scenario.channel(id);
  assert.equal(channel.state, STATE_AFTER[means], name);
  assert.notEqual(channel.problem, null);
  await ada.ask('POST', `/v1/tasks/${task}/complete`, {});
  // Switched on again, the channel starts afresh.
  await ada.ask('PATCH', `/v1/channels/${id}`, { enabled: true });
  await app.engine?.settled();
  if (means === 'misconfigured') await clock.advance('2m');
}

onEveryEngine((engine, it) => {
  for (const [index, { name, start }] of [...CHANNEL_RIGS, ...PROVIDER_RIGS].entries()) {
    // The providers share the engines out among themselves, except in a full run.
    if (!runsOn(index % 4 === 1 ? 'postgres' : 'sqlite', engine)) continue;
    describe(name, () => {
      const test = (guarantee: string, run: (scenario: ChannelScenario) => Promise<void>) =>
        void nodeTest(guarantee, async () => {
          await using scenario = await ChannelScenario.open(engine, await start());
          await run(scenario);
        });
      let turn = 0;
      /** For what is the same for every provider: on one or two of them in turn, and on all in a full run. */
      const it: typeof test = (guarantee, run) => {
        turn += 1;
        if (IS_FULL || (turn + index) % 4 === 0) test(guarantee, run);
      };

      test('is offered, set up, confirmed and tested, and shows no secret', async (scenario) => {
        const { ada, rig } = scenario;
        const kinds = (await ada.ask('GET', '/v1/channels/kinds')).body.data;
        assert.ok(kinds.some(({ provider }: { provider: string }) => provider === name));
        const id = await rig.connect(ada, { name: 'mine' });
        const channel = await scenario.channel(id);
        assert.equal(channel.state, 'working');
        assert.equal(channel.name, 'mine');
        assert.equal((await ada.ask('POST', `/v1/channels/${id}/test`)).body.data.status, 'sent');
        const { address } = await scenario.app.db
          .selectFrom('channels')
          .select('address')
          .where('id', '=', id)
          .executeTakeFirstOrThrow();
        assert.match(address ?? '', /^v1\./, 'the address is sealed');
        assert.doesNotMatch(JSON.stringify(channel), /whsec|\/hook\//);
      });

      it('gets nothing but its confirmation before it is confirmed', async (scenario) => {
        const { ada, rig } = scenario;
        const id = await rig.connect(ada);
        await scenario.app.db.updateTable('channels').set({ verified_at: null }).where('id', '=', id).execute();
        const answer = await ada.ask('POST', `/v1/channels/${id}/test`);
        assert.equal(answer.body.data.reason, 'not_confirmed');
        const task = await scenario.due();
        assert.deepEqual(rig.take(), []);
        assert.deepEqual(await scenario.deliveries(task), []);
      });

      test('gets each stage as a message with a link, and a private one without the title', async (scenario) => {
        const { ada, rig, clock } = scenario;
        const id = await rig.connect(ada);
        const task = await scenario.due({ lead_time_days: 0 });
        for (let nudge = 0; nudge < 4; nudge += 1) await clock.advance('15m');
        const messages = rig.take();
        assert.equal(messages.length, 5);
        assert.ok(messages.every(({ title }) => title.startsWith('pills')));
        assert.ok(messages.every(({ page }) => /^\/a\/[\w-]{62}$/.test(page)));
        if (messages[0]?.stage !== undefined)
          assert.deepEqual(
            messages.map(({ stage }) => stage),
            [0, 1, 1, 1, 2],
          );
        const deliveries = await scenario.deliveries(task);
        assert.deepEqual([...new Set(deliveries.map(({ status }) => status))], ['sent']);
        await ada.ask('PATCH', `/v1/channels/${id}`, { private_title: true });
        await clock.advance('60m');
        const [secret] = rig.take();
        const code = (await scenario.taskCodes())[task] ?? 'none';
        assert.match(code, /^#[2-9B-Z]{4}$/);
        assert.ok(secret?.title.startsWith(`Task ${code} is still open`));
        const page = await scenario.app.fastify.inject({ url: secret?.page ?? '', headers: { accept: 'text/html' } });
        assert.doesNotMatch(page.body, /pills/);
        assert.ok(page.body.includes(`Task ${code}`));
      });

      it('is used only for the stages that its owner chose', async (scenario) => {
        await scenario.rig.connect(scenario.ada, { stages: [1] });
        await scenario.due();
        assert.deepEqual(scenario.rig.take(), []);
        await scenario.clock.advance('15m');
        assert.equal(scenario.rig.take().length, 1);
      });

      test('Done by its link finishes the task, takes messages back, and can be undone', async (scenario) => {
        const { ada, rig, app } = scenario;
        await rig.connect(ada);
        const task = await scenario.due();
        const [message] = rig.take();
        const page = message?.page ?? '';
        assert.equal((await scenario.press(page, 'done')).body.data.state, 'done');
        assert.equal(await isOpen(scenario, task), false);
        await app.engine?.settled();
        assert.equal(rig.takeRetracted(), rig.abilities.retracts ? 1 : 0);
        const timeline = (await ada.ask('GET', `/v1/tasks/${task}/timeline`)).body.data;
        assert.equal(timeline[0].kind, 'done');
        assert.equal(timeline[0].via, name);
        assert.equal((await scenario.press(page, 'undo')).body.data.state, 'undone');
        assert.equal(await isOpen(scenario, task), true);
      });

      it('pressing twice does nothing twice, and a late press never touches the next occurrence', async (scenario) => {
        const { ada, rig, clock } = scenario;
        await rig.connect(ada);
        const task = await scenario.due({ recurrence: { freq: 'daily' } });
        const page = rig.take()[0]?.page ?? '';
        assert.equal((await scenario.press(page, 'done')).body.data.state, 'done');
        assert.equal((await scenario.press(page, 'done')).body.data.state, 'done');
        assert.equal((await scenario.press(page, 'snooze')).body.data.state, 'passed');
        const outcomes = (await ada.ask('GET', '/v1/outcomes')).body.data;
        assert.equal(outcomes.length, 1);
        await clock.advance('1d');
        assert.equal((await scenario.press(page, 'done')).body.data.state, 'done');
        assert.equal(await isOpen(scenario, task), true);
        assert.equal((await ada.ask('GET', '/v1/outcomes')).body.data.length, 1);
        // A pause, because a week of nudges would take long.
        await ada.ask('POST', '/v1/me/pause', { until: '2026-03-20T00:00:00Z', keep_must_not_miss: false });
        await clock.advance('7d');
        assert.equal((await scenario.press(page, 'done')).status, 410);
      });

      it('Snooze by its link snoozes for an hour, and says if quiet hours hold it for longer', async (scenario) => {
        const { rig, clock } = scenario;
        await rig.connect(scenario.ada);
        await scenario.due();
        assert.equal((await scenario.press(rig.take()[0]?.page ?? '', 'snooze')).body.data.state, 'snoozed');
        await clock.advance('59m');
        assert.deepEqual(rig.take(), []);
        await clock.advance('1m');
        const [second, ...more] = rig.take();
        assert.ok(second && more.length === 0);
        await scenario.ada.ask('PATCH', '/v1/me', { quiet_hours_start: '00:00', quiet_hours_end: '23:59' });
        assert.equal((await scenario.press(second.page ?? '', 'snooze')).body.data.state, 'snoozed_held');
      });

      it('opening a link, or asking for its headers, changes nothing', async (scenario) => {
        const { rig, app } = scenario;
        const id = await rig.connect(scenario.ada);
        const task = await scenario.due();
        const page = rig.take()[0]?.page ?? '';
        for (const action of ['done', 'snooze', 'seen', 'stop', 'undo']) {
          for (const method of ['GET', 'HEAD'] as const) {
            const answer = await app.fastify.inject({
              method,
              url: `${page}?do=${action}`,
              headers: { accept: 'text/html' },
            });
            assert.equal(answer.statusCode, 200);
            assert.equal(answer.headers['cache-control'], 'no-store');
            assert.doesNotMatch(answer.body, /<script/);
          }
        }
        assert.equal(await isOpen(scenario, task), true);
        assert.equal((await scenario.channel(id)).state, 'working');
        assert.equal((await scenario.deliveries(task))[0]?.acked_at, null);
      });

      it('a link that the service did not make does nothing', async (scenario) => {
        await scenario.rig.connect(scenario.ada);
        const task = await scenario.due();
        const token = (scenario.rig.take()[0]?.page ?? '').slice('/a/'.length);
        const bytes = Buffer.from(token, 'base64url');
        for (const place of [0, 20, 35]) {
          const forged = Buffer.from(bytes);
          forged[place] = (forged[place] ?? 0) ^ 1;
          assert.equal((await scenario.press(`/a/${forged.toString('base64url')}`, 'done')).status, 404);
        }
        assert.equal(await isOpen(scenario, task), true);
      });

      it('one press of the unsubscribe link switches it off, without a sign-in', async (scenario) => {
        const { rig, app, clock } = scenario;
        const id = await rig.connect(scenario.ada);
        await scenario.due();
        const url = `${rig.take()[0]?.page}?do=stop`;
        const headers = { 'content-type': 'application/x-www-form-urlencoded' };
        const answer = await app.ask({ method: 'POST', url, headers, payload: 'List-Unsubscribe=One-Click' });
        assert.equal(answer.status, 200);
        assert.equal((await scenario.channel(id)).state, 'off');
        await clock.advance('15m');
        assert.deepEqual(rig.take(), []);
        await scenario.ada.ask('PATCH', `/v1/channels/${id}`, { enabled: true });
        await clock.advance('15m');
        assert.equal(rig.take().length, 1);
      });

      test('each answer of the provider has its consequence', async (scenario) => {
        const { rig, ada } = scenario;
        const id = await rig.connect(ada);
        for (const refusal of rig.refusals) await checkConsequence(scenario, id, refusal);
      });

      test('a provider that was down gets the nudge when it is back', async (scenario) => {
        const { rig, clock } = scenario;
        await rig.connect(scenario.ada);
        const down = rig.refusals.find(({ means }) => means === 'retry');
        assert.ok(down);
        rig.refuse(down, 3);
        const task = await scenario.due();
        assert.deepEqual(rig.take(), []);
        await clock.advance('1m');
        assert.equal(rig.take().length, 1);
        assert.equal((await scenario.deliveries(task))[0]?.status, 'sent');
      });

      it('a channel that is removed while a nudge waits gets nothing', async (scenario) => {
        const { rig, clock, ada } = scenario;
        const id = await rig.connect(ada);
        const down = rig.refusals.find(({ means }) => means === 'retry');
        assert.ok(down);
        rig.refuse(down);
        const task = await scenario.due();
        await ada.ask('DELETE', `/v1/channels/${id}`);
        await clock.advance('1m');
        assert.deepEqual(rig.take(), []);
        assert.equal((await scenario.deliveries(task))[0]?.reason, 'channel_removed');
      });

      it('the key of the service can be rotated, and links made before still act', async (scenario) => {
        const { rig, clock, app } = scenario;
        await rig.connect(scenario.ada);
        const task = await scenario.due();
        const page = rig.take()[0]?.page ?? '';
        const { RotationService } = await import('../../src/keys/rotation.service.ts');
        const { Vault } = await import('../../src/keys/vault.ts');
        const keys = ['another key for tests, long enough', 'a key for tests, long enough to be taken'] as const;
        const vault = new Vault(keys as unknown as ConstructorParameters<typeof Vault>[0]);
        const rotation = new RotationService(app.db, clock, vault);
        const resealed = await rotation.reseal(new AbortController().signal);
        assert.ok(JSON.stringify(resealed).includes('channels'));
        const { address } = await app.db.selectFrom('channels').select('address').executeTakeFirstOrThrow();
        assert.equal(vault.keyStatusOf(address ?? ''), 'current');
        assert.equal((await scenario.press(page, 'done')).body.data.state, 'done');
        assert.equal(await isOpen(scenario, task), false);
      });
    });
  }

  it('Undo by a link never reopens a later occurrence, nor what was not done', async () => {
    await using scenario = await ChannelScenario.open(engine, await NtfyRig.start());
    const { rig, ada, clock } = scenario;
    await rig.connect(ada);
    const task = await scenario.due({ recurrence: { freq: 'daily' } });
    const page = rig.take()[0]?.page ?? '';
    assert.equal((await scenario.press(page, 'done')).body.data.state, 'done');
    assert.equal((await scenario.press(page, 'undo')).body.data.state, 'undone');
    assert.equal((await scenario.press(page, 'undo')).body.data.state, 'undone');
    assert.equal((await scenario.press(page, 'done')).body.data.state, 'done');
    await clock.advance('23h');
    await ada.ask('POST', `/v1/tasks/${task}/complete`, {});
    assert.equal((await scenario.press(page, 'undo')).body.data.state, 'too_late_to_undo');
    assert.equal((await ada.ask('GET', '/v1/outcomes')).body.data.length, 2);
    await ada.ask('POST', `/v1/tasks/${task}/reopen`);
    assert.equal((await scenario.press(page, 'undo')).body.data.state, 'too_late_to_undo');
    await ada.ask('POST', `/v1/tasks/${task}/skip`, {});
    assert.equal((await scenario.press(page, 'undo')).body.data.state, 'too_late_to_undo');
    assert.equal((await ada.ask('GET', '/v1/outcomes')).body.data.length, 2);
  });

  for (const Rig of [NtfyRig, WebhookRig]) {
    it(`${Rig.name}: a message whose answer was lost is taken back with its task, a refused one is not`, async () => {
      const rig = await (Rig === NtfyRig ? NtfyRig.start() : WebhookRig.start());
      await using scenario = await ChannelScenario.open(engine, rig);
      const { ada, app, clock } = scenario;
      await rig.connect(ada);
      rig.server.faults.next('drop');
      const task = await scenario.due();
      await ada.ask('POST', `/v1/tasks/${task}/complete`, {});
      await app.engine?.settled();
      assert.equal(rig.takeRetracted(), 1);
      rig.refuse({ name: rig instanceof NtfyRig ? '404 40401' : '404', means: 'rejected' });
      const refused = await scenario.create({ due_at: '2026-03-02T10:01:00Z' });
      await clock.advance('1m');
      await ada.ask('POST', `/v1/tasks/${refused}/complete`, {});
      await app.engine?.settled();
      assert.equal(rig.takeRetracted(), 0);
    });
  }

  it('a webhook whose secret was rotated is signed with both, and its URL is asked only at allowed hosts', async () => {
    const rig = await WebhookRig.start();
    await using scenario = await ChannelScenario.open(engine, rig);
    const id = await rig.connect(scenario.ada);
    await scenario.due();
    assert.equal(rig.take().length, 1);
    rig.forget();
    await renewSignIn(scenario.app, scenario.ada);
    await rig.rotate(scenario.ada, id);
    await scenario.clock.advance('15m');
    assert.equal(rig.take().length, 1);
    assert.equal(String(rig.server.requests[0]?.headers['webhook-signature']).split(' ').length, 2);
  });

  it('no channel can be pointed at the network of the server', async () => {
    await using internal = await HttpRecorder.start();
    await using scenario = await ChannelScenario.open(engine, await WebhookRig.start());
    const { ada } = scenario;
    const port = internal.host.split(':')[1];
    const urls = [
      internal.origin,
      `https://127.0.0.1:${port}/`,
      `http://[::1]:${port}/`,
      `http://0x7f000001:${port}/`,
      'http://169.254.169.254/latest/meta-data/',
      'http://example.org/',
      'https://user:password@example.org/',
      'file:///etc/passwd',
      'ftp://example.org/',
    ];
    for (const url of urls) {
      const { status, body } = await ada.ask('POST', '/v1/channels', { provider: 'webhook', fields: { url } });
      assert.equal(status, 422, url);
      assert.deepEqual(body.detail[0].loc, ['body', 'fields', 'url']);
      assert.match(body.detail[0].msg, /CHANNEL_HOSTS/);
      assert.ok(!JSON.stringify(body).includes(url));
    }
    // A public name that leads to a private address is found out when it is called.
    const { id } = await create(ada, { provider: 'webhook', fields: { url: `https://localhost:${port}/` } });
    const { status, body } = await verify(ada, id);
    assert.equal(status, 409);
    assert.match(body.error, /CHANNEL_HOSTS/);
    assert.equal(internal.seen, 0);
  });

  it('a redirect is not followed, and the body of an answer is neither shown nor logged', async () => {
    await using internal = await HttpRecorder.start();
    await using scenario = await ChannelScenario.open(engine, await WebhookRig.start());
    const { rig, ada } = scenario;
    const { id } = await create(ada, { provider: 'webhook', fields: { url: `${rig.server.origin}/hook/abcd` } });
    rig.server.faults.next({ status: 302, headers: { location: internal.origin }, body: 'internal secret' });
    const { status, body } = await verify(ada, id);
    assert.equal(status, 409);
    assert.equal(internal.seen, 0);
    assert.doesNotMatch(JSON.stringify([body, scenario.app.log]), /internal secret|hook\/abcd/);
    assert.equal((await ada.ask('GET', '/v1/channels')).body.data.reason, 'not_confirmed');
  });

  it('a refused token stops the channel before the server locks everybody out, and a new one starts it again', async () => {
    await using scenario = await ChannelScenario.open(engine, await NtfyRig.start());
    const { rig, ada, clock } = scenario;
    const id = await rig.connect(ada);
    rig.refuse({ name: '401 40101', means: 'credentials_refused' }, 3);
    await scenario.due();
    for (let nudge = 0; nudge < 4; nudge += 1) await clock.advance('15m');
    const seen = rig.server.seen;
    const channel = await scenario.channel(id);
    assert.equal(channel.state, 'needs_attention');
    assert.match(channel.problem, /token/);
    await clock.advance('60m');
    assert.equal(rig.server.seen, seen);
    await renewSignIn(scenario.app, ada);
    await rig.rotate(ada, id);
    assert.equal((await scenario.channel(id)).state, 'working');
    await clock.advance('60m');
    assert.equal(rig.take().length, 1);
  });

  it('refusals with messages between them that arrive never stop a channel', async () => {
    await using scenario = await ChannelScenario.open(engine, await NtfyRig.start());
    const { rig, ada, clock } = scenario;
    const id = await rig.connect(ada);
    await scenario.due();
    /** Waits for one of the next nudges. */
    const until = async (isSent: () => boolean) => {
      for (let quarters = 0; quarters < 12 && !isSent(); quarters += 1) await clock.advance('15m');
    };
    for (let refusal = 0; refusal < 4; refusal += 1) {
      rig.take();
      await until(() => rig.take().length > 0);
      rig.refuse({ name: '401 40101', means: 'credentials_refused' });
      const { seen } = rig.server;
      await until(() => rig.server.seen > seen);
      assert.equal((await scenario.channel(id)).state, 'needs_attention');
    }
    await until(() => rig.take().length > 0);
    assert.equal((await scenario.channel(id)).state, 'working');
  });

  it('a topic on the operator’s own server gets titles, and an ntfy server that cannot delete is not asked to', async () => {
    await using server = await HttpRecorder.start(() => ({ status: 200, body: { id: 'x', event: 'message' } }));
    await using scenario = await ChannelScenario.open(engine, await WebhookRig.start(), { NTFY_SERVER: server.origin });
    const { ada, app } = scenario;
    const { id, made } = await create(ada, { provider: 'ntfy' });
    assert.match(made.set_up?.app ?? '', /^ntfy:\/\/127\.0\.0\.1:\d+\/crescendo-[0-9a-f]{40}\?secure=false$/);
    const { actions } = JSON.parse(server.requests.at(-1)?.body ?? '{}');
    const { pathname, search } = new URL(actions[0].url);
    assert.equal((await app.ask({ method: 'POST', url: `${pathname}${search}` })).status, 200);
    assert.equal((await scenario.channel(id)).private_title, false);
    const task = await scenario.due();
    const nudge = JSON.parse(server.requests.at(-1)?.body ?? '{}');
    assert.deepEqual([nudge.title, nudge.sequence_id, nudge.actions.length], ['pills', task, 2]);
    await ada.ask('POST', `/v1/tasks/${task}/complete`, {});
    await app.engine?.settled();
    assert.ok(server.requests.every(({ method }) => method === 'POST'));
  });

  it('in Telegram the newest message replaces the others, and its buttons act for the connected person alone', async () => {
    await using scenario = await ChannelScenario.open(engine, await TelegramRig.start());
    const { rig, ada, clock, app } = scenario;
    await rig.connect(ada);
    const task = await scenario.due();
    await clock.advance('15m');
    // Nothing waits for the older one to be deleted.
    await waitUntil(() => rig.chat.size === 1);
    const [message] = rig.chat.values();
    const press = (from: number, data = message?.data) =>
      rig.report({ update_id: 2, callback_query: { id: '9', data, from: { id: from } } });
    assert.equal(await press(78), 200);
    assert.equal(await isOpen(scenario, task), true);
    assert.equal(await rig.report({ callback_query: { id: '9', data: message?.data, from: { id: 77 } } }, 'x'), 401);
    assert.equal(await isOpen(scenario, task), true);
    assert.equal(await press(77), 200);
    assert.equal(await isOpen(scenario, task), false);
    await app.engine?.settled();
    assert.equal(rig.chat.size, 0);
    assert.deepEqual(rig.answers, ['This did nothing.', 'Done.']);
    assert.equal(await rig.report({ update_id: 3, edited_message: {} }), 200);
    const blocked = { chat: { id: 77 }, new_chat_member: { status: 'kicked' } };
    assert.equal(await rig.report({ update_id: 4, my_chat_member: blocked }), 200);
    assert.equal((await ada.ask('GET', '/v1/channels')).body.data.reason, 'not_working');
  });

  nodeTest(
    'where Telegram cannot call us, one process asks for news, and after a crash nothing is lost or done twice',
    async () => {
      await using scenario = await ChannelScenario.open(engine, await TelegramRig.start(), {
        BASE_URL: 'http://localhost:8080',
      });
      const { rig, ada, app, clock } = scenario;
      const { id, made } = await create(ada, { provider: 'telegram' });
      const code = made.link?.split('=')[1];
      const chat = { id: 77, type: 'private', first_name: 'Ada' };
      rig.updates.push({ update_id: 41, message: { text: `/start ${code}`, chat } });
      await waitUntil(async () => {
        await clock.advance('2s');
        const turn = await app.db.selectFrom('channel_turns').select('cursor').executeTakeFirst();
        return turn?.cursor === '42';
      });
      assert.equal((await scenario.channel(id)).state, 'working');
      const { claimTurn, saveCursor } = await import('../../src/channels/channel-turns.store.ts');
      const [now, later] = [clock.now(), new Date(clock.now().getTime() + 60_000)];
      assert.equal(await claimTurn(app.db, 'telegram', ada.userId, now, later), undefined);
      assert.equal((await claimTurn(app.db, 'telegram', ada.userId, later, later))?.cursor, '42');
      // A process whose turn is over, and that is answered late, moves nothing.
      await saveCursor(app.db, 'telegram', newId(), '7');
      assert.equal((await claimTurn(app.db, 'telegram', ada.userId, later, later))?.cursor, '42');
    },
  );

  it('a nudge that nobody answers falls to the next tier, on a clock that later nudges do not start again', async () => {
    await using tiers = await openTiers(engine);
    const { scenario, rig, hook, second } = tiers;
    const { ada, clock } = scenario;
    const task = await scenario.create();
    const [forecast] = (await ada.ask('GET', `/v1/tasks/${task}/forecast`)).body.data;
    const falls = forecast.falls.map(({ at, via }: { at: string; via: string[] }) => `${at.slice(11, 16)} ${via}`);
    assert.deepEqual(falls, ['10:03 webhook', '10:06 webhook']);
    await clock.advance('1h');
    assert.equal(rig.take().length, 1);
    await clock.advance('179s');
    assert.deepEqual([hook.requests.length, second.requests.length], [0, 0]);
    await clock.advance('1s');
    assert.deepEqual([hook.requests.length, second.requests.length], [1, 0]);
    await clock.advance('3m');
    assert.deepEqual([hook.requests.length, second.requests.length], [1, 1]);
    const timeline = (await ada.ask('GET', `/v1/tasks/${task}/timeline`)).body.data;
    const fell = timeline.filter(({ kind }: { kind: string }) => kind === 'fell_back');
    assert.equal(fell.length, 2);
    assert.deepEqual(
      [fell[0].via, fell[0].since.slice(11, 16), fell[0].at.slice(11, 16)],
      ['webhook', '10:00', '10:06'],
    );
    // A tier that was reached is used at once by the next nudge.
    await clock.advance('9m');
    assert.deepEqual([rig.take().length, hook.requests.length, second.requests.length], [1, 2, 2]);
    await ada.ask('POST', `/v1/tasks/${task}/complete`, {});
    await clock.advance('1h');
    const types = hook.requests.map(({ body }) => JSON.parse(body).type);
    assert.deepEqual(types, ['nudge.sent', 'nudge.sent', 'nudge.retracted']);
  });

  it('an answer ends the fall: an action, Seen, or a report that the message arrived', async () => {
    for (const answer of ['done', 'seen', 'confirmed'] as const) {
      await using tiers = await openTiers(engine);
      const { scenario, rig, hook } = tiers;
      const { clock, app } = scenario;
      const task = await scenario.due();
      await clock.advance('1m');
      if (answer === 'confirmed') {
        const confirmed = await app.db
          .updateTable('deliveries')
          .set({ confirmed_at: clock.now(), answered_nudge: 1 })
          .where('task_id', '=', task)
          .where('tier', '=', 0)
          .returning(['task_id', 'recipient_id', 'tier', 'run'])
          .executeTakeFirstOrThrow();
        const { cancelWaitingTiers } = await import('../../src/deliveries/waiting-tiers.ts');
        await cancelWaitingTiers(app.db, confirmed);
      } else await scenario.press(rig.take()[0]?.page ?? '', answer);
      await clock.advance('10m');
      assert.equal(hook.requests.length, 0, answer);
      if (answer === 'done') continue;
      // The next nudge is unanswered again, and its clock starts with it.
      await clock.advance('4m');
      assert.equal(hook.requests.length, 0);
      await clock.advance('3m');
      assert.equal(hook.requests.length, 1);
    }
  });

  it('an answer to an old nudge counts for the later ones of its run, and for none of the next run (seed 446)', async () => {
    await using tiers = await openTiers(engine);
    const { scenario, rig, hook, second } = tiers;
    const { ada, clock } = scenario;
    const counts = () =>
      [hook, second].map((to) => to.requests.filter(({ body }) => body.includes('nudge.sent')).length);
    const task = await scenario.due();
    const old = rig.take()[0]?.page ?? assert.fail('Nothing was sent.');
    await clock.advance('4m');
    const { seen } = JSON.parse(hook.requests[0]?.body ?? '').data.actions;
    await scenario.app.ask({ method: 'POST', url: new URL(seen).pathname + new URL(seen).search });
    await clock.advance('11m');
    const [later] = rig.take();
    assert.deepEqual(counts(), [2, 0]);
    await clock.advance('5m');
    await scenario.press(old, 'seen');
    await clock.advance('9m');
    assert.deepEqual(counts(), [2, 0], 'the second nudge falls no further');
    await clock.advance('1m');
    assert.deepEqual(counts(), [3, 0], 'the clock of the third nudge starts with it');
    await clock.advance('6m');
    assert.deepEqual(counts(), [3, 1]);
    const until = new Date(clock.now().getTime() + 30 * 60_000).toISOString();
    assert.equal((await ada.ask('POST', `/v1/tasks/${task}/snooze`, { until })).status, 200);
    await clock.advance('31m');
    await scenario.press(later?.page ?? '', 'seen');
    await clock.advance('5m');
    assert.deepEqual(counts(), [4, 2], 'a nudge after the snooze falls, because nobody has seen it');
  });

  nodeTest('a tier that failed for good hands over at once, and one that is only late does not', async () => {
    await using tiers = await openTiers(engine);
    const { scenario, rig, hook, second } = tiers;
    const { ada, clock } = scenario;
    rig.refuse({ name: '404 40401', means: 'rejected' });
    const task = await scenario.due();
    assert.deepEqual([hook.requests.length, second.requests.length], [1, 0]);
    const timeline = (await ada.ask('GET', `/v1/tasks/${task}/timeline`)).body.data;
    const fell = timeline.find(({ kind }: { kind: string }) => kind === 'fell_back');
    assert.deepEqual([fell.via, fell.since], ['webhook', null]);
    rig.refuse({ name: '500 50001', means: 'retry' }, 2);
    const late = await scenario.create({ due_at: '2026-03-02T10:02:00Z' });
    await clock.advance('2m');
    const deliveries = await scenario.deliveries(late);
    assert.deepEqual(
      deliveries.filter(({ tier }) => tier > 0).map(({ status, attempts }) => [status, attempts]),
      [
        ['pending', 0],
        ['pending', 0],
      ],
    );
  });

  it('a mail server may take half a minute to accept a nudge, and holds up no sign-in code meanwhile', async (context) => {
    const timeout = context.mock.method(AbortSignal, 'timeout');
    await using scenario = await ChannelScenario.open(engine, await EmailRig.start());
    const { rig: mail, ada, clock, app } = scenario;
    const held = mail.catcher.holdWhile(/pills \d/);
    const due_at = '2026-03-02T10:00:00Z';
    // Nobody alone may use all connections.
    for (const person of [ada, await createPerson(app), await createPerson(app)]) {
      await mail.connect(person);
      for (let count = 0; count < 3; count += 1)
        await person.ask('POST', '/v1/tasks', { title: `pills ${count}`, due_at, has_time: true });
    }
    clock.set(due_at);
    app.engine?.wakeUp();
    await waitUntil(() => held.count === 5);
    assert.ok(timeout.mock.calls.some(({ arguments: [ms] }) => ms === 30_000));
    const leases = await app.db
      .selectFrom('deliveries')
      .select('next_attempt_at')
      .where('next_attempt_at', '>', clock.now())
      .execute();
    assert.deepEqual(
      leases.map(({ next_attempt_at }) => next_attempt_at.getTime() - clock.now().getTime()),
      Array(5).fill(32_000),
    );
    const { status } = await app.ask({
      method: 'POST',
      url: '/v1/auth/email/request',
      payload: { email: 'ben@example.org' },
    });
    assert.equal(status, 200);
    await waitUntil(() => mail.catcher.mails.at(-1)?.to[0] === 'ben@example.org');
    held.release();
    await app.engine?.settled();
    assert.equal(mail.catcher.mails.filter(({ raw }) => /pills \d/.test(raw)).length, 9);
  });

  it('where the service can mail, an account that nothing else reaches is mailed at every stage, within limits', async () => {
    const mail = await EmailRig.start();
    await using hook = await HttpRecorder.start(echo);
    await using scenario = await ChannelScenario.open(engine, mail, { CHANNEL_HOSTS: hook.host });
    const { ada, clock, app } = scenario;
    const task = await scenario.due();
    const [first] = mail.take();
    assert.equal(mail.catcher.mails.at(-1)?.to[0], ada.email);
    const { reachable, channels } = (await ada.ask('GET', '/v1/channels')).body.data;
    assert.deepEqual([reachable, channels.length, channels[0].automatic], [true, 1, true]);
    // Three of stage 1, then four of stage 2 and no more today.
    await clock.advance('45m');
    await clock.advance('10h');
    assert.equal(mail.take().length, 7);
    await clock.advance('16h');
    assert.equal(mail.take().length, 3);
    // Something else works.
    await renewSignIn(app, ada);
    const { id } = await create(ada, { provider: 'webhook', fields: { url: `${hook.origin}/x` } });
    await verify(ada, id);
    await clock.advance('24h');
    assert.equal(mail.take().length, 0);
    await ada.ask('DELETE', `/v1/channels/${id}`);
    const seen = (days: number) =>
      app.db
        .updateTable('sessions')
        .set({ expires_at: new Date(clock.now().getTime() + (90 - days) * 86_400_000) })
        .execute();
    const LAST = /This is the last mail for now/;
    // Two tasks in the same moment, and again after the owner came back: each time one mail says it.
    await scenario.create({ title: 'water', due_at: clock.now().toISOString() });
    mail.take();
    for (let times = 0; times < 2; times += 1) {
      await seen(15);
      await clock.advance('3h');
      assert.equal(mail.take().length, 1);
      assert.match(readable(mail.catcher.mails.at(-1)?.raw), LAST);
      await seen(1);
      await clock.advance('1h');
      assert.equal(mail.take().length, 2);
      assert.doesNotMatch(readable(mail.catcher.mails.at(-1)?.raw), LAST);
      // As if that had been before the owner came back.
      const last_mail_at = new Date(clock.now().getTime() - 16 * 86_400_000);
      await app.db.updateTable('channels').set({ last_mail_at }).where('last_mail_at', 'is not', null).execute();
    }
    assert.equal((await scenario.press(first?.page ?? '', 'stop')).status, 200);
    await clock.advance('24h');
    assert.equal(mail.take().length, 0);
    assert.equal((await ada.ask('GET', '/v1/channels')).body.data.reason, 'switched_off');
    assert.equal(await isOpen(scenario, task), true);
  });

  it('a mail that was never sent, because somebody answered before, does not count against the eight of a day', async () => {
    await using hook = await HttpRecorder.start(echo);
    const settings = { CHANNEL_HOSTS: hook.host };
    await using scenario = await ChannelScenario.open(engine, await EmailRig.start(), settings);
    const { rig: mail, ada, clock, app } = scenario;
    const { id } = await create(ada, { provider: 'webhook', fields: { url: `${hook.origin}/x` } });
    await verify(ada, id);
    await mail.connect(ada, { tier: 1, stages: [2] });
    const seeLast = async () => {
      const { pathname, search } = new URL(JSON.parse(hook.requests.at(-1)?.body ?? '').data.actions.seen);
      assert.equal((await app.ask({ method: 'POST', url: `${pathname}${search}` })).body.data.state, 'seen');
    };
    await scenario.due();
    // The last of stage 1, then four of stage 2, each seen within its fallback minutes.
    for (const wait of ['59m', '1m', '1h', '1h', '1h']) {
      await clock.advance(wait);
      await seeLast();
    }
    assert.equal(mail.take().length, 0);
    await clock.advance('1h');
    await clock.advance('3m');
    assert.equal(mail.take().length, 1, 'the fifth is not answered, and falls to the mailbox');
    await clock.advance('9h');
    assert.equal(mail.take().length, 7, 'eight in a day, and no more');
  });

  it('the last mail to an idle owner is one that was sent, not one that an answer cancelled', async () => {
    await using hook = await HttpRecorder.start(echo);
    const settings = { CHANNEL_HOSTS: hook.host };
    await using scenario = await ChannelScenario.open(engine, await EmailRig.start(), settings);
    const { rig: mail, ada, clock, app } = scenario;
    const { id } = await create(ada, { provider: 'webhook', fields: { url: `${hook.origin}/x` } });
    await verify(ada, id);
    await mail.connect(ada, { tier: 1 });
    const expires_at = new Date(clock.now().getTime() + (90 - 15) * 86_400_000);
    await scenario.create({ title: 'water', due_at: '2026-03-02T10:00:00Z' });
    await scenario.create();
    await app.db.updateTable('sessions').set({ expires_at }).execute();
    await clock.advance('1h');
    for (const { body } of hook.requests.slice(-2)) {
      const { pathname, search } = new URL(JSON.parse(body).data.actions.seen);
      await app.ask({ method: 'POST', url: `${pathname}${search}` });
    }
    await clock.advance('14m');
    assert.equal(mail.take().length, 0);
    // The next two nudges are not answered: one falls to the mailbox and says that no more come.
    await clock.advance('4m');
    assert.equal(mail.take().length, 1);
    assert.match(readable(mail.catcher.mails.at(-1)?.raw), /This is the last mail for now/);
    await clock.advance('5h');
    assert.equal(mail.take().length, 0);
  });

  it('the last mail to an idle owner, who used no browser for long, comes also if it is refused at first', async () => {
    await using scenario = await ChannelScenario.open(engine, await EmailRig.start());
    const { rig: mail, ada, clock, app } = scenario;
    await mail.connect(ada);
    const [own] = await app.db.selectFrom('sessions').selectAll().where('user_id', '=', ada.userId).execute();
    assert.ok(own);
    const sessions = [own, { ...own, id: newId(), token_hash: 'of another browser' }];
    await app.db.insertInto('sessions').values(sessions.slice(1)).execute();
    /** How many days ago each browser was used. */
    const seen = async (...daysAgo: number[]) => {
      for (const [index, days] of daysAgo.entries()) {
        const expires_at = new Date(clock.now().getTime() + (90 - days) * 86_400_000);
        const session = app.db.updateTable('sessions').set({ expires_at });
        await session.where('id', '=', sessions[index]?.id ?? '').execute();
      }
    };
    /** In a minute. A request of the owner is a use of their browser. */
    const remindOnce = async () => {
      await scenario.create({ due_at: new Date(clock.now().getTime() + 60_000).toISOString(), mode: 'notify_once' });
      mail.take();
    };
    const LAST = /This is the last mail for now/;
    for (const daysAgo of [
      [1, 20],
      [20, 1],
    ]) {
      await remindOnce();
      await seen(...daysAgo);
      await clock.advance('1m');
      assert.equal(mail.take().length, 1);
      assert.doesNotMatch(readable(mail.catcher.mails.at(-1)?.raw), LAST);
    }
    await remindOnce();
    await seen(20, 15);
    mail.refuse({ name: '451 DATA 4.7.1 Try again', means: 'retry' });
    await clock.advance('5m');
    assert.equal(mail.take().length, 1);
    assert.match(readable(mail.catcher.mails.at(-1)?.raw), LAST);
  });

  it('a stand-in who wants no more messages ends none of the owner', async () => {
    await using scenario = await ChannelScenario.open(engine, await WebhookRig.start());
    const { rig, ada, clock, app } = scenario;
    const grace = await createPerson(app);
    const id = await rig.connect(ada);
    const space = await createSpace(grace, ada);
    const asked = { person_id: ada.userId, space_id: space, from_rung: 0 };
    const { id: standIn } = (await grace.ask('POST', '/v1/stand-ins', asked)).body.data;
    await ada.ask('POST', `/v1/stand-ins/${standIn}/agree`, {});
    const own = [ada, grace].map(({ userId: user_id }) =>
      channelRow(clock.now(), { user_id, provider: 'webhook', automatic: true }),
    );
    await app.db.insertInto('channels').values(own).execute();
    rig.take();
    await grace.ask('POST', '/v1/tasks', { title: 'pills', due_at: '2026-03-02T10:00:00Z', has_time: true });
    await clock.advance('1h');
    const page = rig.take().at(-1)?.page ?? '';
    assert.equal((await scenario.press(page, 'stop')).body.data.state, 'stopped');
    const channels = await app.db.selectFrom('channels').select(['id', 'valid']).execute();
    const valid = channels.filter((channel) => channel.valid).map((channel) => channel.id);
    assert.deepEqual([channels.length, valid], [3, [own[1]?.id]], `${id} is off`);
  });

  it('a link expires after a week, when only unsubscribing still works', async () => {
    await using scenario = await ChannelScenario.open(engine, await WebhookRig.start());
    const { rig, ada, clock, app } = scenario;
    const id = await rig.connect(ada);
    const task = await scenario.due({ mode: 'notify_once' });
    const page = rig.take()[0]?.page ?? '';
    const look = async () => (await app.ask({ url: page })).status;
    await clock.advance('167h');
    assert.equal(await look(), 200);
    await clock.advance('61m');
    assert.equal(await look(), 410);
    for (const action of ['done', 'snooze', 'seen', 'undo']) {
      const { status, body } = await scenario.press(page, action);
      assert.deepEqual([status, body.data.state], [410, 'expired'], action);
    }
    assert.equal(await isOpen(scenario, task), true);
    // Such as the mail that the service makes for an account.
    const other = channelRow(clock.now(), { user_id: ada.userId, provider: 'webhook', automatic: true });
    const chosen = { ...other, id: newId(), address_hash: 'chosen', automatic: false };
    await app.db.insertInto('channels').values([other, chosen]).execute();
    assert.equal((await scenario.press(page, 'stop')).body.data.state, 'stopped');
    for (const one of [id, other.id]) assert.equal((await scenario.channel(one)).state, 'off');
    assert.equal((await scenario.channel(chosen.id)).state, 'working', 'what the person set up beside it goes on');
  });

  it('a wrong code confirms nothing, and a few of them end the right one', async () => {
    await using scenario = await ChannelScenario.open(engine, await EmailRig.start());
    const { rig, ada } = scenario;
    const { id } = await create(ada, { provider: 'email', fields: { email: 'eve@example.org' } });
    const code = /Your code is (\d{6})/.exec(rig.catcher.mails.at(-1)?.raw ?? '')?.[1] ?? '';
    const wrong = code === '000000' ? '000001' : '000000';
    for (let times = 0; times < 5; times += 1) assert.equal((await verify(ada, id, wrong)).status, 403);
    assert.equal((await verify(ada, id, code)).status, 403);
    assert.equal((await scenario.channel(id)).state, 'unconfirmed');
  });

  it('the confirm link shows a page, and its button confirms, once and for all', async () => {
    await using scenario = await ChannelScenario.open(engine, await EmailRig.start());
    const { rig, ada, app } = scenario;
    const { id } = await create(ada, { provider: 'email', fields: { email: 'eve@example.org' } });
    const raw = (rig.catcher.mails.at(-1)?.raw ?? '').replaceAll(/=\r?\n/g, '');
    const path = /crescendo\.example(\/a\/c[\w-]{22}\d{6})/.exec(raw)?.[1] ?? '';
    const page = await app.fastify.inject({ url: path, headers: { accept: 'text/html' } });
    assert.match(page.body, /do=confirm/);
    assert.equal((await scenario.channel(id)).state, 'unconfirmed');
    for (let times = 0; times < 2; times += 1) {
      assert.equal((await scenario.press(path, 'confirm')).body.data.state, 'confirmed');
    }
    assert.equal((await scenario.channel(id)).state, 'working');
  });

  it("an account's own address needs no code; a mail has the headers of RFC 8058 and one thread per task", async () => {
    await using scenario = await ChannelScenario.open(engine, await EmailRig.start());
    const { rig, ada, clock } = scenario;
    const { made } = await create(ada, { provider: 'email', fields: { email: ada.email }, stages: [0, 1] });
    assert.equal(made.confirmation, 'none');
    const task = await scenario.due();
    await clock.advance('15m');
    const [first, second] = rig.catcher.mails.slice(-2).map(({ raw }) => raw.replaceAll(/\r\n[ \t]+/g, ' '));
    for (const raw of [first, second]) {
      assert.match(raw ?? '', new RegExp(`References: <${task}@crescendo.example>`, 'i'));
      assert.match(raw ?? '', /List-Unsubscribe: <https:\/\/crescendo\.example\/a\/[\w-]{62}\?do=stop>/i);
      assert.match(raw ?? '', /List-Unsubscribe-Post: List-Unsubscribe=One-Click/i);
      assert.match(raw ?? '', /Auto-Submitted: auto-generated/i);
    }
    assert.match(second ?? '', /Importance: high/i);
  });

  it('the same address is added once, and an account has a limited number of channels', async () => {
    await using scenario = await ChannelScenario.open(engine, await WebhookRig.start());
    const { ada } = scenario;
    const add = (path: number) =>
      ada.ask('POST', '/v1/channels', { provider: 'webhook', fields: { url: `https://example.org/${path}` } });
    for (let path = 0; path < 20; path += 1) assert.equal((await add(path)).status, 200);
    assert.equal((await add(20)).status, 429);
    await ada.ask('DELETE', `/v1/channels/${(await ada.ask('GET', '/v1/channels')).body.data.channels[0].id}`);
    assert.equal((await add(1)).status, 409);
    assert.equal((await add(20)).status, 200);
  });

  it("an access token lists channels without their addresses, and another's channel does not exist", async () => {
    await using scenario = await ChannelScenario.open(engine, await WebhookRig.start());
    const { rig, ada, app } = scenario;
    const id = await rig.connect(ada);
    const { token } = (await ada.ask('POST', '/v1/tokens', { scopes: ['tasks:read'] })).body.data;
    const headers = { authorization: `Bearer ${token}`, 'x-forwarded-proto': 'https' };
    await using plain = await ChannelScenario.open(engine, await WebhookRig.start(), { BASE_URL: '' });
    const own = await plain.rig.connect(plain.ada);
    const minted = (await plain.ada.ask('POST', '/v1/tokens', { scopes: ['tasks:read'] })).body.data.token;
    const { body } = await plain.ada.ask('GET', '/v1/channels', undefined, minted);
    assert.deepEqual(
      body.data.channels.map((channel: { id: string }) => channel.id),
      [own],
    );
    assert.equal(body.data.channels[0].label, null);
    // Without BASE_URL the links in messages lead to localhost, which a phone cannot open.
    assert.equal(body.data.local_links, true);
    assert.equal((await ada.ask('GET', '/v1/channels')).body.data.local_links, false);
    const bob = await createPerson(app);
    for (const [method, path] of [
      ['PATCH', ''],
      ['DELETE', ''],
      ['POST', '/test'],
      ['POST', '/verify'],
    ] as const) {
      assert.equal((await bob.ask(method, `/v1/channels/${id}${path}`, {})).status, 404);
    }
    assert.equal((await app.ask({ method: 'DELETE', url: `/v1/channels/${id}`, headers })).status, 403);
  });

  it('an assistant learns that mail, the only channel, has stopped until its owner opens the app', async () => {
    // An access token is taken over https only where BASE_URL says so.
    await using scenario = await ChannelScenario.open(engine, await EmailRig.start(), { BASE_URL: '' });
    const { ada, app, clock } = scenario;
    const { token } = (await ada.ask('POST', '/v1/tokens', { scopes: ['tasks:read'] })).body.data;
    const reach = async (bearer?: string) => {
      const { reachable, reason } = (await ada.ask('GET', '/v1/channels', undefined, bearer)).body.data;
      return [reachable, reason];
    };
    assert.deepEqual(await reach(token), [true, null]);
    const expires_at = new Date(clock.now().getTime() + (90 - 14) * 86_400_000);
    await app.db.updateTable('sessions').set({ expires_at }).execute();
    assert.deepEqual(await reach(token), [false, 'mail_paused']);
    assert.deepEqual(
      [await reach(), await reach(token)],
      [
        [true, null],
        [true, null],
      ],
    );
  });
});
