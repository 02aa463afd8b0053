/** Channels of an archive: what an import brings back of them, and what it never does. */
import assert from 'node:assert/strict';
import { create, verify } from '../support/channel-rig.ts';
import { EmailRig, WebhookRig } from '../support/channel-rigs.ts';
import { type EngineName, onEveryEngine } from '../support/engines.ts';
import { createPerson, type Person, renewSignIn } from '../support/people.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

interface Restored {
  readonly provider: string;
  readonly name: string | null;
  readonly id: string;
  readonly result: string;
  readonly reason: string | null;
}

async function restore(person: Person, document: object, query = ''): Promise<Restored[]> {
  const { status, body } = await person.ask('POST', `/v1/me/import${query}`, document);
  assert.equal(status, 200, JSON.stringify(body));
  return body.data.channels;
}

const exportOf = async (person: Person) => (await person.ask('GET', '/v1/me/export')).body.data;
const channelsOf = async (person: Person) => (await person.ask('GET', '/v1/channels')).body.data;
const resultsOf = (restored: readonly Restored[]) =>
  restored.map(({ provider, result }) => `${provider} ${result}`).toSorted();

interface Servers extends AsyncDisposable {
  readonly webhook: WebhookRig;
  readonly email: EmailRig;
  start(): Promise<TestApp>;
}

/** Two installations can use the same receivers. */
async function openServers(engine: EngineName): Promise<Servers> {
  await using parts = new AsyncDisposableStack();
  const webhook = parts.use(await WebhookRig.start());
  const email = parts.use(await EmailRig.start());
  const settings = { BASE_URL: 'https://crescendo.example', ...webhook.settings, ...email.settings };
  const owned = parts.move();
  return {
    webhook,
    email,
    start: async () => owned.use(await startTestApp(engine, { settings })),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

const TASK = { title: 'pills', due_at: '2026-03-02T10:00:00Z', has_time: true };

const forged = (fields: object) => ({
  id: '01900000-0000-7000-8000-000000000001',
  provider: 'webhook',
  stages: 15,
  tier: 0,
  private_title: false,
  ...fields,
});

onEveryEngine((engine, it) => {
  it('channels come back with their settings, and none gets a nudge before its owner has confirmed it again', async () => {
    await using servers = await openServers(engine);
    const { webhook } = servers;
    const before = await createPerson(await servers.start(), 'ada@example.org');
    await webhook.connect(before, { name: 'lamp', tier: 1, stages: [1, 2], private_title: true });
    const bell = { provider: 'webhook', name: 'bell', fields: { url: `${webhook.server.origin}/bell` } };
    const { id: bellId } = await create(before, bell);
    await before.ask('PATCH', `/v1/channels/${bellId}`, { enabled: false });
    const { channels } = await channelsOf(before);
    const ownMail = channels.find(({ provider }: Restored) => provider === 'email');
    await before.ask('PATCH', `/v1/channels/${ownMail.id}`, { stages: [2], tier: 2 });
    await before.ask('PATCH', '/v1/channels', { fallback_minutes: 4 });
    await before.ask('PUT', '/v1/me/request-messages', { enabled: false });
    await before.ask('POST', '/v1/tasks', TASK);
    const document = await exportOf(before);

    const app = await servers.start();
    const after = await createPerson(app, 'ada@example.org');
    const restored = await restore(after, document);
    assert.deepEqual(resultsOf(restored), ['email restored', 'webhook to_set_up', 'webhook to_set_up']);
    const { channels: back, fallback_minutes, reachable } = await channelsOf(after);
    assert.equal(fallback_minutes, 4);
    assert.deepEqual((await after.ask('GET', '/v1/me/request-messages')).body.data, { enabled: false });
    const shown = back.map(({ provider, name, state, stages, tier, private_title }: Record<string, unknown>) =>
      [provider, name, state, stages, tier, private_title].join(' '),
    );
    assert.deepEqual(shown.toSorted(), [
      'email  working 2 2 false',
      'webhook bell off -1,0,1,2 0 false',
      'webhook lamp incomplete 1,2 1 true',
    ]);
    assert.equal(reachable, true, 'by the mail to the sign-in address');

    const lamp = restored.find(({ name }) => name === 'lamp');
    assert.ok(lamp);
    webhook.take();
    const refusal = await verify(after, lamp.id);
    assert.match(refusal.body.error, /^channel_not_reached: .*Enter its address first/);
    await app.clock.advance('5h');
    assert.deepEqual(webhook.take(), [], 'a nudge before the confirmation');
    const url = `${webhook.server.origin}/hook/abcd`;
    await renewSignIn(app, after);
    const { body } = await after.ask('PATCH', `/v1/channels/${lamp.id}`, { fields: { url } });
    assert.deepEqual([body.data.channel.state, body.data.confirmation], ['unconfirmed', 'answer']);
    assert.equal((await verify(after, lamp.id)).body.data.channel.state, 'working');
  });

  it('a second import of the same file changes nothing, whatever its owner has done with the channels', async () => {
    await using servers = await openServers(engine);
    const { webhook } = servers;
    const before = await createPerson(await servers.start());
    await webhook.connect(before, { tier: 1 });
    await before.ask('PATCH', '/v1/channels', { fallback_minutes: 5 });
    await before.ask('PUT', '/v1/me/request-messages', { enabled: false });
    const document = { ...(await exportOf(before)), tasks: [] };
    assert.deepEqual(resultsOf(await restore(before, document)), ['webhook already_there']);

    const after = await createPerson(await servers.start());
    const [first] = await restore(after, document);
    const fields = { url: `${webhook.server.origin}/hook/other` };
    await after.ask('PATCH', `/v1/channels/${first?.id}`, { fields, name: 'mine', tier: 3 });
    await after.ask('PATCH', '/v1/channels', { fallback_minutes: 2 });
    const state = await channelsOf(after);
    assert.deepEqual(await restore(after, document), [
      { provider: 'webhook', name: null, id: first?.id, result: 'already_there', reason: null },
    ]);
    assert.deepEqual(await channelsOf(after), state);

    // Who has set up channels here has decided the rest, too.
    const other = await createPerson(await servers.start());
    await webhook.connect(other, { fields: { url: `${webhook.server.origin}/hook/mine` } });
    assert.deepEqual(resultsOf(await restore(other, document)), ['webhook to_set_up']);
    assert.notEqual((await channelsOf(other)).fallback_minutes, 5);
    assert.deepEqual((await other.ask('GET', '/v1/me/request-messages')).body.data, { enabled: true });
  });

  it('a forged file confirms no address, sends nothing, and touches no other account', async () => {
    await using servers = await openServers(engine);
    const { webhook, email } = servers;
    const app = await servers.start();
    const [victim, mallory] = [await createPerson(app), await createPerson(app)];
    const hers = await webhook.connect(victim, { name: 'hers' });
    const url = `${webhook.server.origin}/hook/abcd`;
    const seen = webhook.server.seen;
    const sealed = await app.db.selectFrom('channels').selectAll().where('id', '=', hers).executeTakeFirstOrThrow();
    const claims = { valid: true, verified_at: '2026-01-01T00:00:00Z', user_id: victim.userId, fields: { url } };
    const restored = await restore(mallory, {
      fallback_minutes: 4_000,
      tasks: [],
      channels: [
        forged({ ...sealed, ...claims, label: url, stages: 15, automatic: false }),
        forged({ ...claims, provider: 'email', label: victim.email, address: JSON.stringify({ email: victim.email }) }),
        forged({ ...claims, id: '01900000-0000-7000-8000-000000000002', provider: 'email', automatic: true }),
        forged({ id: '01900000-0000-7000-8000-000000000003', provider: 'pigeon' }),
        forged({ id: 'no id' }),
        forged({ tier: 9 }),
        null,
        ...Array.from({ length: 60 }, (_, index) =>
          forged({ id: `01900000-0000-7000-8000-0000000001${String(index).padStart(2, '0')}` }),
        ),
      ],
    });
    assert.equal(restored.filter(({ result }) => result === 'to_set_up').length, 19, 'at most 20, with the own mail');
    assert.ok(restored.some(({ reason }) => reason?.includes('does not offer')));
    assert.ok(restored.some(({ reason }) => reason?.includes('at most 20')));
    assert.ok(restored.length <= 50, 'a long list is not read to its end');
    await mallory.ask('POST', '/v1/tasks', TASK);
    await app.clock.advance('5h');
    const rows = await app.db.selectFrom('channels').selectAll().where('user_id', '=', mallory.userId).execute();
    const confirmed = rows.filter(({ verified_at }) => verified_at !== null);
    assert.deepEqual(
      confirmed.map(({ address, label }) => [address, label]),
      [[null, mallory.email]],
      'only the address that the account signs in with',
    );
    assert.equal(webhook.server.seen, seen, 'something was sent to the webhook');
    assert.ok(email.catcher.mails.every(({ to }) => !to.includes(victim.email)));
    assert.equal((await channelsOf(mallory)).fallback_minutes, 3);
    assert.deepEqual(
      await app.db.selectFrom('channels').selectAll().where('id', '=', hers).executeTakeFirstOrThrow(),
      sealed,
    );
  });

  it('channels come with the first part of a file, and only if its tasks are accepted', async () => {
    await using servers = await openServers(engine);
    const ada = await createPerson(await servers.start());
    const document = { tasks: [TASK, { title: '' }], channels: [forged({})] };
    assert.deepEqual(await restore(ada, document), []);
    assert.deepEqual(await restore(ada, document, '?partial=true&from=1'), []);
    assert.deepEqual(resultsOf(await restore(ada, document, '?partial=true')), ['webhook to_set_up']);
  });
});
