/** What becomes of a channel while its owner sets it up, confirms and changes it, and who learns of that. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { findByCode, listToldTaskIds, saveCode } from '../../src/channels/channels.store.ts';
import { Vault } from '../../src/keys/vault.ts';
import { newId } from '../../src/lib/ids.ts';
import type { Resolve } from '../../src/outbound/name-resolver.ts';
import { create, echo, verify } from '../support/channel-rig.ts';
import { WebhookRig } from '../support/channel-rigs.ts';
import { ChannelScenario } from '../support/channel-scenario.ts';
import { onEveryEngine } from '../support/engines.ts';
import { createPerson, renewSignIn } from '../support/people.ts';
import { PushoverRig } from '../support/provider-rigs.ts';
import { channelRow } from '../support/stored-channel.ts';
import { TelegramRig } from '../support/telegram-rig.ts';

/** No name leads anywhere. */
const resolve: Resolve = (_name, _options, done) =>
  done(Object.assign(new Error('unknown'), { code: 'ENOTFOUND' }), []);

onEveryEngine((engine, it) => {
  let opened: Promise<ChannelScenario<WebhookRig>> | undefined;
  after(async () => (await opened)?.[Symbol.asyncDispose]());

  /** A person of their own in the service that most tests share. Its server returns challenges. */
  async function visit() {
    opened ??= WebhookRig.start().then((rig) => ChannelScenario.open(engine, rig));
    const { app, clock, rig } = await opened;
    rig.server.respondTo = echo;
    const ada = await createPerson(app);
    const channel = async (id: string) => {
      const { channels } = (await ada.ask('GET', '/v1/channels')).body.data;
      return channels.find((one: { id: string }) => one.id === id);
    };
    return { app, clock, rig, ada, channel };
  }

  test('a code ends after half an hour or five wrong tries, and a new one begins anew', async () => {
    const { rig, ada, app, clock } = await visit();
    rig.server.respondTo = () => ({ status: 200 });
    const { id } = await create(ada, { provider: 'webhook', fields: { url: rig.server.origin } });
    const ask = async (): Promise<string> => {
      await renewSignIn(app, ada);
      assert.equal((await verify(ada, id)).body.data.confirmation, 'code');
      return JSON.parse(rig.server.requests.at(-1)?.body ?? '').data.code;
    };
    const enter = async (code: string) => {
      await renewSignIn(app, ada);
      return (await verify(ada, id, code)).status;
    };
    const first = await ask();
    for (let times = 0; times < 5; times += 1) assert.equal(await enter(first === '000000' ? '000001' : '000000'), 403);
    assert.equal(await enter(first), 403);
    await clock.advance('29m');
    const second = await ask();
    await clock.advance('30m');
    assert.equal(await enter(second), 403);
    await clock.advance('1m');
    assert.equal(await enter(second), 403);
    const third = await ask();
    await clock.advance('29m');
    assert.equal(await enter(third), 200);
    // The code of a link, which is looked for alone.
    const expires_at = clock.now();
    await saveCode(app.db, { channel_id: id, code_hash: 'of a link', tries: 0, expires_at });
    assert.equal((await findByCode(app.db, ['of a link'], new Date(expires_at.getTime() - 1)))?.id, id);
    assert.equal(await findByCode(app.db, ['of a link'], expires_at), undefined);
  });

  it('the codes of open tasks that were nudged are shown to their owner, and to no access token', async () => {
    // An access token is taken over https only where BASE_URL says so.
    await using scenario = await ChannelScenario.open(engine, await WebhookRig.start(), { BASE_URL: '' });
    const { rig, ada } = scenario;
    await rig.connect(ada, { private_title: true });
    const { token } = (await ada.ask('POST', '/v1/tokens', { scopes: ['tasks:read'] })).body.data;
    const codes = async (bearer?: string): Promise<string[]> =>
      (await ada.ask('GET', '/v1/channels', undefined, bearer)).body.data.task_codes.map(
        (one: { task_id: string }) => one.task_id,
      );
    await scenario.create({ title: 'later', due_at: '2026-03-03T10:00:00Z' });
    const task = await scenario.due();
    assert.deepEqual([await codes(), await codes(token)], [[task], []]);
    await ada.ask('POST', `/v1/tasks/${task}/complete`, {});
    assert.deepEqual(await codes(), []);
  });

  it('of many codes those of the newest messages are shown', async () => {
    const { app, clock, ada } = await visit();
    const tasks = await Promise.all([1, 2, 3, 4, 5].map(() => ada.ask('POST', '/v1/tasks', { title: 'pills' })));
    const [nudged = '', lastNudged = '', asked = '', lastAsked = '', unsent = ''] = tasks.map(
      ({ body }) => body.data.id as string,
    );
    const minutesAgo = (minutes: number) => new Date(clock.now().getTime() - minutes * 60_000);
    const nudge = (id: string, last_nudge_at: Date) =>
      app.db.updateTable('tasks').set({ last_nudge_at }).where('id', '=', id).execute();
    const tell = (task_id: string, sent_at: Date | null) => {
      const people = { recipient_id: ada.userId, other_id: ada.userId };
      const message = { id: newId(), task_id, ...people, kind: 'asked' as const, repeat: 0, created_at: clock.now() };
      return app.db
        .insertInto('request_messages')
        .values({ ...message, sent_at })
        .execute();
    };
    await nudge(nudged, minutesAgo(2));
    await nudge(lastNudged, minutesAgo(1));
    await tell(asked, minutesAgo(2));
    await tell(lastAsked, minutesAgo(1));
    await tell(unsent, null);
    assert.deepEqual(await listToldTaskIds(app.db, ada.userId, 1), [lastNudged, lastAsked]);
    assert.deepEqual(await listToldTaskIds(app.db, ada.userId, 9), [lastNudged, nudged, lastAsked, asked]);
  });

  it('asking again for a code to the same address counts, however it is asked for', async () => {
    await using scenario = await ChannelScenario.open(engine, await WebhookRig.start(), {}, { resolve });
    const { ada } = scenario;
    const fields = { server: 'https://hooks.example', topic: 'mine' };
    const { id } = await create(ada, { provider: 'ntfy', fields });
    const answers: number[] = [];
    for (let times = 0; times < 12; times += 1)
      answers.push((await ada.ask('PATCH', `/v1/channels/${id}`, { fields })).status);
    assert.equal(answers.at(0), 200);
    assert.equal(answers.at(-1), 429);
  });

  it('the log has a line for each channel that is added, confirmed, changed or removed', async () => {
    const { rig, ada, app } = await visit();
    const id = await rig.connect(ada);
    await ada.ask('PATCH', `/v1/channels/${id}`, { name: 'mine' });
    await ada.ask('DELETE', `/v1/channels/${id}`);
    const lines = app.log.filter(({ audit, channel_id }) => audit !== undefined && channel_id === id);
    assert.deepEqual(
      lines.map(({ audit, user_id }) => [audit, user_id]),
      ['channel_added', 'channel_confirmed', 'channel_changed', 'channel_removed'].map((event) => [event, ada.userId]),
    );
  });

  it('what a test finds out counts for its address alone, and starts no count of refusals again', async () => {
    const { rig, ada, app, channel } = await visit();
    const id = await rig.connect(ada);
    const refusals = async () =>
      (await app.db.selectFrom('channels').select('refusals').where('id', '=', id).executeTakeFirstOrThrow()).refusals;
    rig.refuse({ name: '401', means: 'credentials_refused' }, 2);
    for (const [before, after] of [
      [0, 1],
      [2, 2],
    ] as const) {
      await app.db.updateTable('channels').set({ refusals: before }).where('id', '=', id).execute();
      assert.equal((await ada.ask('POST', `/v1/channels/${id}/test`)).body.data.status, 'failed_permanent');
      assert.equal(await refusals(), after);
    }
    const fields = { url: `${rig.server.origin}/other`, secret: '' };
    rig.server.respondTo = async () => {
      assert.equal((await ada.ask('PATCH', `/v1/channels/${id}`, { fields })).status, 200);
      return { status: 410 };
    };
    assert.equal((await ada.ask('POST', `/v1/channels/${id}/test`)).body.data.reason, 'http_410');
    const { state, problem } = await channel(id);
    assert.deepEqual([state, problem], ['unconfirmed', null]);
  });

  it('the same address in the spelling of an earlier release stays confirmed when it is entered again', async () => {
    const { rig, ada, app } = await visit();
    const id = await rig.connect(ada);
    await app.db.updateTable('channels').set({ address_hash: 'of another spelling' }).where('id', '=', id).execute();
    const { status, body } = await ada.ask('PATCH', `/v1/channels/${id}`, { fields: { secret: '' } });
    assert.deepEqual([status, body.data.confirmation, body.data.channel.state], [200, 'none', 'working']);
  });

  it('a person who chooses when a channel is used has it for themselves, and one who names it has not', async () => {
    const { ada, app, clock } = await visit();
    for (const [changes, automatic] of [
      [{ name: 'mine', private_title: true }, true],
      [{ tier: 1 }, false],
      [{ stages: [2] }, false],
      [{ enabled: true }, false],
    ] as const) {
      const row = channelRow(clock.now(), { user_id: ada.userId, provider: 'webhook', automatic: true });
      await app.db.insertInto('channels').values(row).execute();
      const { body } = await ada.ask('PATCH', `/v1/channels/${row.id}`, changes);
      assert.equal(body.data.channel.automatic, automatic, JSON.stringify(changes));
      await ada.ask('DELETE', `/v1/channels/${row.id}`);
    }
  });

  it('an account asks a server for its challenge twenty times in a day, and for few links to connect', async () => {
    await using rig = await WebhookRig.start();
    await using scenario = await ChannelScenario.open(engine, await PushoverRig.start(), rig.settings);
    const { ada } = scenario;
    rig.server.respondTo = () => ({ status: 200 });
    /** How many are answered, and how the next one is. */
    const ask = async (id: string): Promise<[number, number]> => {
      let times = 0;
      for (; times < 30; times += 1) {
        const { status } = await verify(ada, id);
        if (status !== 200) return [times, status];
      }
      return [times, 200];
    };
    const { id } = await create(ada, { provider: 'webhook', fields: { url: rig.server.origin } });
    assert.deepEqual(await ask(id), [20, 429]);
    const { id: linked } = await scenario.rig.begin(ada);
    assert.deepEqual(await ask(linked), [4, 429], 'the first came with the channel');
  });

  it('whatever ended it before, a channel that is connected or confirmed again works', async () => {
    await using hook = await WebhookRig.start();
    await using scenario = await ChannelScenario.open(engine, await TelegramRig.start(), hook.settings);
    const { rig, ada } = scenario;
    const chat = await rig.connect(ada);
    const blocked = { my_chat_member: { chat: { id: 77 }, new_chat_member: { status: 'kicked' } } };
    assert.equal(await rig.report({ update_id: 2, ...blocked }), 200);
    assert.equal((await scenario.channel(chat)).state, 'needs_attention');
    await rig.connect(ada);
    assert.equal((await scenario.channel(chat)).state, 'working');
    const { id } = await create(ada, { provider: 'webhook', fields: { url: hook.server.origin } });
    hook.refuse({ name: '410', means: 'gone' });
    assert.equal((await verify(ada, id)).status, 409);
    assert.equal((await verify(ada, id)).body.data.channel.state, 'working');
    const asked = hook.server.seen;
    assert.equal((await verify(ada, id)).body.data.confirmation, 'none', 'and is not asked once more');
    assert.equal(hook.server.seen, asked);
  });

  it('what was made under a former key counts: an address, a code, a link, and the links in messages', async () => {
    const FORMER = 'a former key for tests, long enough';
    await using hook = await WebhookRig.start();
    const settings = { ...hook.settings, SECRET_KEY_OLD: JSON.stringify([FORMER]) };
    await using scenario = await ChannelScenario.open(engine, await TelegramRig.start(), settings);
    const { rig, ada, app, clock } = scenario;
    const vault = new Vault([FORMER]);
    const formerly = async (id: string, provider: string, identity: string) => {
      const address_hash = vault.hash('channel address', provider, identity);
      await app.db.updateTable('channels').set({ address_hash }).where('id', '=', id).execute();
      return address_hash;
    };
    const hashOf = async (id: string) =>
      (await app.db.selectFrom('channels').select('address_hash').where('id', '=', id).executeTakeFirst())
        ?.address_hash;
    const codeIs = (channel_id: string, code_hash: string) =>
      saveCode(app.db, { channel_id, code_hash, tries: 0, expires_at: new Date(clock.now().getTime() + 60_000) });

    const url = `${hook.server.origin}/own`;
    hook.server.respondTo = () => ({ status: 200 });
    const { id } = await create(ada, { provider: 'webhook', fields: { url } });
    const hash = await formerly(id, 'webhook', url);
    const again = { provider: 'webhook', fields: { url } };
    assert.equal((await ada.ask('POST', '/v1/channels', again)).status, 409, 'the address is known');
    await codeIs(id, vault.hash('channel code', id, hash, '123456'));
    assert.equal((await verify(ada, id, '123456')).status, 200);
    assert.equal((await ada.ask('PATCH', `/v1/channels/${id}`, { fields: { secret: '' } })).status, 200);
    assert.equal(await hashOf(id), hash, 'links in messages know the address by it');

    const chat = await rig.connect(ada);
    const chatHash = await formerly(chat, 'telegram', '77');
    const code = 'c'.repeat(24);
    await codeIs(chat, vault.hash('channel link', code));
    const start = { text: `/start ${code}`, chat: { id: 77, type: 'private', username: 'renamed' } };
    assert.equal(await rig.report({ update_id: 2, message: start }), 200);
    assert.equal((await scenario.channel(chat)).label, '@renamed', 'the link connects');
    const stranger = { ...start, chat: { id: 78, type: 'private', username: 'eve' } };
    assert.equal(await rig.report({ update_id: 3, message: stranger }), 200);
    assert.equal((await scenario.channel(chat)).label, '@renamed', 'and only once');
    assert.equal(await hashOf(chat), chatHash);
  });

  it('a channel belongs to the server of the address that it has', async () => {
    const { ada, app } = await visit();
    const { id } = await create(ada, { provider: 'webhook', fields: { url: 'https://one.test/x' } });
    const server = async () =>
      (await app.db.selectFrom('channels').select('server').where('id', '=', id).executeTakeFirst())?.server;
    assert.equal(await server(), 'https://one.test');
    await ada.ask('PATCH', `/v1/channels/${id}`, { fields: { url: 'https://two.test/x', secret: '' } });
    assert.equal(await server(), 'https://two.test');
  });

  test('of channels that are added at the same time, no more are stored than an account may have', async () => {
    const { ada, app, clock } = await visit();
    const rows = Array.from({ length: 18 }, (_, index) =>
      channelRow(clock.now(), { user_id: ada.userId, provider: 'webhook', address_hash: `${index}` }),
    );
    await app.db.insertInto('channels').values(rows).execute();
    const added = await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        ada.ask('POST', '/v1/channels', { provider: 'webhook', fields: { url: `https://example.org/${index}` } }),
      ),
    );
    assert.deepEqual(added.map(({ status }) => status).toSorted(), [200, 200, 429, 429, 429, 429]);
    assert.equal((await ada.ask('GET', '/v1/channels')).body.data.channels.length, 20);
  });

  it('a tier waits for one to five minutes', async () => {
    const { ada } = await visit();
    for (const [fallback_minutes, status] of [
      [0, 422],
      [1, 200],
      [5, 200],
      [6, 422],
    ])
      assert.equal((await ada.ask('PATCH', '/v1/channels', { fallback_minutes })).status, status);
    assert.equal((await ada.ask('GET', '/v1/channels')).body.data.fallback_minutes, 5);
  });
});
