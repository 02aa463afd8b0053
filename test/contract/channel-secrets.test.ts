/** A secret of a channel is in the answer of the request that made or contained it, and goes to no other server. */
import assert from 'node:assert/strict';
import type { ChannelKind } from '../../src/push/channel-provider.ts';
import { create, type Made, verify } from '../support/channel-rig.ts';
import { EmailRig } from '../support/channel-rigs.ts';
import { ChannelScenario } from '../support/channel-scenario.ts';
import { onEveryEngine } from '../support/engines.ts';
import { HttpRecorder } from '../support/http-recorder.ts';
import { createPerson, type Person, renewSignIn } from '../support/people.ts';
import { PushoverRig, SmsRig } from '../support/provider-rigs.ts';
import { TelegramRig } from '../support/telegram-rig.ts';
import type { Answer } from '../support/test-app.ts';

const SECRET = `whsec_${'A'.repeat(43)}=`;

type Entered = Readonly<Record<string, string>>;

/** For each kind, every field with a value; a kind without fields has none. */
const VALUES: Readonly<Record<string, Entered>> = {
  email: { email: 'other@example.org' },
  webhook: { url: 'https://one.example/hook-of-ada', secret: SECRET },
  ntfy: { server: 'https://one.example', topic: 'topic-of-ada', token: 'tk_of_ada' },
  telegram: {},
  pushover: {},
  sms: { number: '+447700900123' },
  apprise: { url: 'https://one.example', key: 'key-of-ada', tag: 'phone' },
};

const NEW_URLS = ['https://two.example/x', 'https://one.example:8443/hook-of-ada'];

/** The service with every kind of channel. */
async function openWithAll(engine: Parameters<typeof ChannelScenario.open>[0]) {
  await using parts = new AsyncDisposableStack();
  const rigs = [await TelegramRig.start(), await PushoverRig.start(), await SmsRig.start()];
  for (const rig of rigs) parts.use(rig);
  const settings = Object.assign({ SMS_COUNTRIES: '+44' }, ...rigs.map((rig) => rig.settings));
  const scenario = parts.use(await ChannelScenario.open(engine, await EmailRig.start(), settings));
  const owned = parts.move();
  return { scenario, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** Sends every request that could show a secret again. */
async function askLater(ada: Person, id: string, { fields }: ChannelKind, entered: Entered): Promise<Answer[]> {
  const change = (changes: object) => ada.ask('PATCH', `/v1/channels/${id}`, changes);
  const shown = fields.filter(({ secret, type }) => !secret && type !== 'url').map(({ name }) => [name, entered[name]]);
  return [
    ...(fields.length > 0 ? [await change({ fields: {} }), await change({ fields: Object.fromEntries(shown) })] : []),
    await change({ name: 'mine', enabled: true }),
    await verify(ada, id),
    await ada.ask('GET', '/v1/channels'),
    await ada.ask('GET', '/v1/me/export'),
  ];
}

/** Changes the URL without each of the secrets in turn, and then with all of them. */
async function checkMoves(ada: Person, id: string, { provider, fields }: ChannelKind, entered: Entered): Promise<void> {
  const change = (changed: object) => ada.ask('PATCH', `/v1/channels/${id}`, { fields: changed });
  const urls = fields
    .filter(({ type }) => type === 'url')
    .flatMap(({ name }) => NEW_URLS.map((url) => ({ name, url })));
  for (const { name, url } of urls) {
    const secrets = fields.filter((field) => field.secret && field.name !== name).map((field) => field.name);
    const given = (names: readonly string[]) => Object.fromEntries(names.map((secret) => [secret, entered[secret]]));
    for (const missing of secrets) {
      const others = given(secrets.filter((secret) => secret !== missing));
      const { status, body } = await change({ [name]: url, ...others });
      assert.deepEqual([status, body.detail?.[0]?.loc], [422, ['body', 'fields', missing]], `${provider} ${url}`);
    }
    assert.equal((await change({ [name]: url, ...given(secrets) })).status, 200, `${provider} ${url}`);
  }
}

onEveryEngine((engine, it) => {
  it('no later answer holds a secret of a channel, and a new destination asks for each secret again', async () => {
    await using opened = await openWithAll(engine);
    const { ada: first, app } = opened.scenario;
    const kinds: ChannelKind[] = (await first.ask('GET', '/v1/channels/kinds')).body.data;
    assert.deepEqual(kinds.map(({ provider }) => provider).toSorted(), Object.keys(VALUES).toSorted());
    for (const kind of kinds) {
      const { provider, fields } = kind;
      const ada = await createPerson(app);
      const entered = VALUES[provider] ?? {};
      assert.deepEqual(fields.map(({ name }) => name).toSorted(), Object.keys(entered).toSorted(), provider);
      const { id, made } = await create(ada, { provider, fields: entered });
      const secrets = fields.filter(({ secret }) => secret).map(({ name }) => entered[name] ?? '');
      const shown = Object.values(made.set_up ?? {}).filter((text) => text !== entered.server);
      for (const { body } of await askLater(ada, id, kind, entered)) {
        for (const text of [...secrets, ...shown])
          assert.ok(!JSON.stringify(body).includes(text), `${provider}: ${text}`);
      }
      await checkMoves(ada, id, kind, entered);
    }
  });

  it('a token of ntfy is never sent to a server that it was not entered for', async () => {
    await using one = await HttpRecorder.start();
    await using two = await HttpRecorder.start();
    const settings = { CHANNEL_HOSTS: [one, two].map(({ host }) => host).join(',') };
    await using scenario = await ChannelScenario.open(engine, await EmailRig.start(), settings);
    const { ada } = scenario;
    const fields = { server: one.origin, topic: 'alerts', token: 'tk_secret' };
    const { id } = await create(ada, { provider: 'ntfy', fields });
    const change = (changed: object) => ada.ask('PATCH', `/v1/channels/${id}`, { fields: changed });
    for (const server of [two.origin, `${two.origin}/`, two.origin.replace('http', 'HTTP')]) {
      assert.equal((await change({ server })).status, 422);
      assert.equal((await change({ server, topic: 'alerts' })).status, 422);
    }
    assert.equal(two.seen, 0);
    const { body } = await change({ server: two.origin, topic: '', token: '' });
    assert.match(body.data.set_up.topic, /^crescendo-/);
    assert.deepEqual(
      two.requests.map(({ headers }) => headers.authorization),
      [undefined],
    );
  });

  it('what a request made or contained is in its own answer, and a new server gets no signature by a former secret', async () => {
    await using one = await HttpRecorder.start();
    await using two = await HttpRecorder.start();
    const settings = { CHANNEL_HOSTS: [one, two].map(({ host }) => host).join(',') };
    await using scenario = await ChannelScenario.open(engine, await EmailRig.start(), settings);
    const { ada } = scenario;
    const { id, made } = await create(ada, { provider: 'webhook', fields: { url: one.origin } });
    const change = async (fields: object): Promise<Made> =>
      (await ada.ask('PATCH', `/v1/channels/${id}`, { fields })).body.data;
    const rotated = (await change({ secret: '' })).set_up?.secret ?? '';
    assert.match(rotated, /^whsec_/);
    assert.notEqual(rotated, made.set_up?.secret);
    assert.equal((await change({ secret: SECRET })).set_up?.secret, SECRET);
    assert.equal((await change({ url: one.origin })).set_up, null);
    assert.equal((await verify(ada, id)).body.data.set_up, null);
    assert.match((await change({ url: two.origin, secret: '' })).set_up?.secret ?? '', /^whsec_/);
    await verify(ada, id);
    const signaturesAt = ({ requests }: HttpRecorder) =>
      String(requests[0]?.headers['webhook-signature']).split(' ').length;
    assert.deepEqual([signaturesAt(one), signaturesAt(two)], [2, 1]);
  });

  it('wrong tokens reach a server so seldom that it locks out nobody, and right ones still work', async () => {
    const right = new Set([undefined, 'Bearer tk_operator', 'Bearer tk_right']);
    await using server = await HttpRecorder.start(({ headers }) => ({
      status: right.has(headers.authorization) ? 200 : 401,
      body: {},
    }));
    const wrong = () => server.requests.filter(({ headers }) => !right.has(headers.authorization)).length;
    const settings = { NTFY_SERVER: server.origin, NTFY_TOKEN: 'tk_operator' };
    await using scenario = await ChannelScenario.open(engine, await EmailRig.start(), settings);
    const { ada, app, clock } = scenario;
    const addNtfy = (person: Person, fields: object) => create(person, { provider: 'ntfy', fields });
    const connect = async (person: Person, fields: object) => {
      const { id } = await addNtfy(person, fields);
      const code = /\d{6}/.exec(JSON.parse(server.requests.at(-1)?.body ?? '{}').message)?.[0];
      assert.equal((await verify(person, id, code)).status, 200);
      return id;
    };
    const test = async (person: Person, id: string) => (await person.ask('POST', `/v1/channels/${id}/test`)).body.data;
    const bob = await createPerson(app);
    const his = await connect(bob, { token: 'tk_right' });
    // The address stays the same, so it stays confirmed.
    const id = await connect(ada, {});
    for (const token of ['tk_1', 'tk_2', 'tk_3', 'tk_4']) {
      await ada.ask('PATCH', `/v1/channels/${id}`, { fields: { token } });
      assert.equal((await test(ada, id)).status, 'failed_permanent');
      assert.equal((await scenario.channel(id)).state, 'needs_attention');
    }
    assert.match((await test(ada, id)).problem, /hour/);
    await ada.ask('PATCH', `/v1/channels/${id}`, { fields: { token: 'tk_5' } });
    await scenario.create({ due_at: new Date(clock.now().getTime() + 60_000).toISOString() });
    await clock.advance('1m');
    assert.match((await addNtfy(ada, { topic: 'mine', token: 'tk_6' })).made.sent ?? '', /hour/);
    assert.equal(wrong(), 3, 'of one account');
    for (let account = 0; account < 5; account += 1) {
      const eve = await createPerson(app);
      for (let count = 0; count < 3; count += 1) await addNtfy(eve, { topic: `t${account}${count}`, token: 'tk_0' });
    }
    assert.equal(wrong(), 10, 'of all accounts');
    assert.equal((await test(bob, his)).status, 'sent');
    assert.equal((await addNtfy(await createPerson(app), {})).made.sent, 'sent');
    await clock.advance('1h');
    await renewSignIn(app, ada);
    await ada.ask('PATCH', `/v1/channels/${id}`, { fields: { token: 'tk_right' } });
    assert.equal((await test(ada, id)).status, 'sent');
    assert.equal((await scenario.channel(id)).state, 'working');
  });

  it('a topic that a change invented is in its answer, and a channel that becomes public hides titles', async () => {
    await using one = await HttpRecorder.start();
    const settings = { CHANNEL_HOSTS: `*,${one.host}` };
    await using scenario = await ChannelScenario.open(engine, await EmailRig.start(), settings);
    const { ada } = scenario;
    const { id } = await create(ada, { provider: 'ntfy', fields: { server: one.origin } });
    const change = async (changes: object) => (await ada.ask('PATCH', `/v1/channels/${id}`, changes)).body.data;
    const hides = async () => (await scenario.channel(id)).private_title;
    assert.equal(await hides(), false);
    const moved = await change({ fields: { server: 'https://ntfy.test', topic: '' } });
    assert.match(moved.set_up?.topic ?? '', /^crescendo-/);
    assert.equal(await hides(), true);
    assert.match((await change({ fields: { topic: '', token: '' } })).set_up?.topic ?? '', /^crescendo-/);
    // What its owner chooses then, stays.
    await change({ private_title: false });
    await change({ fields: { topic: 'other' } });
    assert.equal(await hides(), false);
    await change({ fields: { token: 'tk_new' } });
    await change({ fields: { token: '' }, private_title: false });
    assert.equal(await hides(), false, 'in the same request too');
  });
});
