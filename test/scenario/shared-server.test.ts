/**
 * Accounts whose messages go to one server with four places, through the gateway of a provider of channels. What begins
 * is counted and not timed: a server that takes 300 ms for a message begins four in that time.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { ChannelSenders } from '../../src/channels/channel-senders.ts';
import { fillServers } from '../../src/channels/channel-servers.ts';
import { setServer } from '../../src/channels/channels.store.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { ChannelGateway } from '../../src/push/channel-gateway.ts';
import type { ChannelMessage, ChannelProvider } from '../../src/push/channel-provider.ts';
import type { Gateway, PushResult } from '../../src/push/gateway.ts';
import { insertDueTasks } from '../support/due-tasks.ts';
import { createDatabase, type EngineName, onEveryEngine } from '../support/engines.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { addDevice } from '../support/fake-phones.ts';
import { createPerson, type Person } from '../support/people.ts';
import { messageOf } from '../support/sample-messages.ts';
import { sized } from '../support/size.ts';
import { channelRow } from '../support/stored-channel.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { waitUntil } from '../support/wait-until.ts';

const PROVIDER = 'telegram';
const SHARED = 'https://shared.example';
const OTHER = 'https://other.example';
const DUE = '2026-03-02T09:00:00Z';
const PLACES = 4;
const SERVER_TAKES_MS = 300;
const MESSAGES_TO_CANCEL = sized(16, 40);
/** Twice as many messages as may begin before those of a quiet person. Four of them take 100 ms on PostgreSQL. */
const LOUD: readonly (readonly [accounts: number, messages: number])[] = [
  [1, sized(60, 300)],
  [6, sized(120, 300)],
];

/** Servers that keep every message until the gate opens, and answer a little later from then on. */
class Servers {
  readonly #gate = Promise.withResolvers<void>();
  /** Whose message began, in this order. */
  readonly begun: { readonly owner: string; readonly taskId: string | null }[] = [];
  readonly #inFlight = new Map<string, number>();
  mostAtOnce = 0;

  readonly gateway = new ChannelGateway(
    {
      kind: { provider: PROVIDER },
      maxInFlight: 200,
      placesPerServer: PLACES,
      // Longer than a slow machine takes to set a test up.
      sendWithinMs: 60_000,
      originOf: ({ server = '' }) => server,
      send: (message: ChannelMessage, { server = '' }) => this.#take(message, server),
    } as unknown as ChannelProvider,
    {
      clock: new FakeClock(),
      logger: createLogger('silent'),
      openAddress: (_channelId, sealed) => ({ server: sealed }),
      codeOf: () => '#CODE',
      actionsFor: () => messageOf().actions ?? assert.fail('A nudge has actions.'),
      allowsUnproven: async () => true,
      allowsToken: async () => true,
      countRefusedToken: async () => undefined,
      countOfDay: async () => undefined,
    },
  );

  async #take({ userId: owner, taskId }: ChannelMessage, server: string): Promise<PushResult> {
    this.begun.push({ owner, taskId });
    this.#count(server, 1);
    await this.#gate.promise;
    for (let turn = 0; turn < 5; turn += 1) await setImmediate();
    this.#count(server, -1);
    return { kind: 'accepted' };
  }

  #count(server: string, change: 1 | -1): void {
    const inFlight = (this.#inFlight.get(server) ?? 0) + change;
    this.#inFlight.set(server, inFlight);
    this.mostAtOnce = Math.max(this.mostAtOnce, inFlight);
  }

  open(): void {
    this.#gate.resolve();
  }

  /** How many messages of others began before the last one of this account. */
  countBefore(owner: string): number {
    const last = this.begun.findLastIndex((message) => message.owner === owner);
    return this.begun.slice(0, last).filter((message) => message.owner !== owner).length;
  }
}

async function start(engine: EngineName) {
  const servers = new Servers();
  const app = await startTestApp(engine, { extra: { gateways: { [PROVIDER]: servers.gateway } } });
  return {
    app,
    servers,
    async [Symbol.asyncDispose]() {
      // The engine stops only after every message was answered.
      servers.open();
      await app[Symbol.asyncDispose]();
    },
  };
}

const addChannel = ({ db, clock }: TestApp, user_id: string, server = SHARED) =>
  db
    .insertInto('channels')
    .values(channelRow(clock.now(), { user_id, provider: PROVIDER, address: server, server }))
    .execute();

/** Accounts with many tasks that have been due for a minute. */
async function addLoud(app: TestApp, accounts: number, tasksEach: number): Promise<string[]> {
  const dueAt = new Date(app.clock.now().getTime() - 60_000);
  const owners = await insertDueTasks(app.db, {
    tasks: accounts * tasksEach,
    owners: accounts,
    dueAt: new Date(app.clock.now().getTime() + 3_600_000),
    withDevices: false,
  });
  for (const owner of owners) await addChannel(app, owner);
  await app.db
    .updateTable('tasks')
    .set({ due_at: dueAt, due_written: dueAt.toISOString(), next_fire_at: dueAt, wanted_at: dueAt })
    .where('owner_id', 'in', owners)
    .execute();
  return owners;
}

async function addPerson(app: TestApp, server?: string): Promise<Person> {
  const person = await createPerson(app);
  await addChannel(app, person.userId, server);
  return person;
}

async function addTasks(person: Person, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    await person.ask('POST', '/v1/tasks', { title: `task ${index}`, due_at: DUE, has_time: true });
  }
}

const waitingOf = async ({ db }: TestApp, owner: string) =>
  (
    await db
      .selectFrom('deliveries')
      .select('entry_id')
      .where('recipient_id', '=', owner)
      .where('status', '=', 'pending')
      .execute()
  ).length;

onEveryEngine((engine, it) => {
  for (const [accounts, messages] of LOUD) {
    test(`a person waits for a few messages of ${accounts} loud accounts on the same server, and not for all`, async () => {
      await using world = await start(engine);
      const { app, servers } = world;
      const loud = await addLoud(app, accounts, messages / accounts);
      app.engine?.wakeUp();
      await waitUntil(async () => (await waitingOf(app, loud.at(-1) ?? '')) > 0 && servers.begun.length > 0);
      const quiet = await addPerson(app);
      await addTasks(quiet, 5);
      await waitUntil(async () => (await waitingOf(app, quiet.userId)) === 5);
      const before = servers.begun.length;
      servers.open();
      await waitUntil(() => servers.begun.length === messages + 5);
      const first = servers.countBefore(quiet.userId) - before;
      const lateMs = Math.ceil(first / PLACES) * SERVER_TAKES_MS;
      assert.ok(first <= 5 * (accounts + PLACES), `${first} messages of others began first: ${lateMs} ms`);
      assert.ok(servers.mostAtOnce <= PLACES);
    });
  }

  test('Done cancels every message that has not begun at its server', async () => {
    await using world = await start(engine);
    const { app, servers } = world;
    const ada = await addPerson(app);
    await addTasks(ada, MESSAGES_TO_CANCEL);
    await waitUntil(async () => (await waitingOf(app, ada.userId)) === MESSAGES_TO_CANCEL && servers.begun.length > 0);
    const { body } = await ada.ask('GET', '/v1/tasks?limit=100');
    const ids: string[] = body.data.map(({ id }: { id: string }) => id);
    assert.equal(ids.length, MESSAGES_TO_CANCEL);
    for (const id of ids) assert.equal((await ada.ask('POST', `/v1/tasks/${id}/complete`)).status, 200);
    const before = servers.begun.length;
    servers.open();
    await app.engine?.settled();
    assert.equal(servers.begun.length - before, 0, 'messages began after their Done was acknowledged');
  });

  test('a sweep takes no more places of a push service than there are, and the others follow', async () => {
    const [inFlight, sent, gate] = [new Map<string, number>(), [] as string[], Promise.withResolvers<void>()];
    const gateway: Gateway = {
      placesPerServer: PLACES,
      capacity: () => 200,
      close: async () => undefined,
      send: async (push) => {
        const { origin } = new URL('token' in push.target ? push.target.token : '');
        inFlight.set(origin, (inFlight.get(origin) ?? 0) + 1);
        assert.ok((inFlight.get(origin) ?? 0) <= PLACES);
        sent.push(origin);
        await gate.promise;
        inFlight.set(origin, (inFlight.get(origin) ?? 0) - 1);
        return { kind: 'accepted' };
      },
    };
    await using app = await startTestApp(engine, { extra: { gateways: { web_push: gateway } } });
    try {
      const people = [await createPerson(app), await createPerson(app), await createPerson(app)];
      for (const { userId } of people) {
        for (const [index, server] of [SHARED, SHARED, SHARED, OTHER].entries()) {
          const id = await addDevice(app, userId, 'web');
          await app.db
            .updateTable('devices')
            .set({ token: `${server}/${index}/${id}` })
            .where('id', '=', id)
            .execute();
        }
      }
      for (const person of people) await addTasks(person, 2);
      await waitUntil(() => sent.length >= 2 * PLACES);
      assert.deepEqual([inFlight.get(SHARED), inFlight.get(OTHER)], [PLACES, PLACES]);
    } finally {
      gate.resolve();
    }
    await waitUntil(() => sent.length === 24);
  });

  test('a channel knows its server, and one from before servers were stored learns it when the service starts', async () => {
    const database = await createDatabase(engine);
    const serverOf = async ({ db }: TestApp) =>
      (await db.selectFrom('channels').select('server').where('provider', '=', 'webhook').executeTakeFirst())?.server;
    {
      await using before = await startTestApp(engine, { databaseUrl: database.url });
      const ada = await createPerson(before);
      const fields = { url: 'https://HOOK.example.:443/secret' };
      assert.equal((await ada.ask('POST', '/v1/channels', { provider: 'webhook', fields })).status, 200);
      assert.equal(await serverOf(before), 'https://hook.example');
      await before.db.updateTable('channels').set({ server: null }).execute();
    }
    {
      await using after = await startTestApp(engine, { databaseUrl: database.url });
      await waitUntil(async () => (await serverOf(after)) === 'https://hook.example');
    }
    await database.drop();
  });

  it('channels from before servers were stored get theirs, also those after the first hundred', async () => {
    await using app = await startTestApp(engine);
    const { db, clock } = app;
    const { userId: user_id } = await createPerson(app);
    const rows = Array.from({ length: 101 }, (_, index) =>
      channelRow(clock.now(), { user_id, provider: 'webhook', address_hash: `${index}`, label: 'x' }),
    );
    await db.insertInto('channels').values(rows).execute();
    const senders = { findAddress: () => ({ url: 'https://hook.example/x' }) } as unknown as ChannelSenders;
    const provider = { kind: { provider: 'webhook' }, placesPerServer: 4, originOf: () => 'https://hook.example' };
    await fillServers(db, senders, provider as unknown as ChannelProvider, new AbortController().signal);
    // The owner of the first one has entered another address since it was read.
    await setServer(db, rows[0]?.id ?? '', 'https://former.example');
    const servers = await db.selectFrom('channels').select('server').distinct().execute();
    assert.deepEqual(servers, [{ server: 'https://hook.example' }]);
  });
});
