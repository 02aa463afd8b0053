/** One run of the sweep of messages about requests at a time, without a dispatch. */
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { DirectDatabase } from '../../src/db/direct-executor.ts';
import type { Db } from '../../src/db/schema.ts';
import { SchemaWatch } from '../../src/db/schema-watch.ts';
import type { RequestMessageKind } from '../../src/db/tables/tasks.ts';
import { RequestSweep } from '../../src/engine/request-sweep.ts';
import type { AddOwnChannels } from '../../src/engine/sweep.ts';
import { AppError } from '../../src/lib/errors.ts';
import { newId } from '../../src/lib/ids.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { onEveryEngine } from '../support/engines.ts';
import { createPerson, type Person } from '../support/people.ts';
import { createSpace } from '../support/spaces.ts';
import { channelRow } from '../support/stored-channel.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

/** Ada asks, and Bob and Grace are asked. All have ntfy. */
async function begin(app: TestApp) {
  const { db, clock } = app;
  for (const table of ['deliveries', 'request_messages', 'channels', 'tasks'] as const)
    await db.deleteFrom(table).execute();
  const [ada, bob, grace] = [await createPerson(app), await createPerson(app), await createPerson(app)];
  const space = await createSpace(ada, bob, grace);
  const addChannel = ({ userId: user_id }: Person, provider: string, automatic = false, trx: Db = db) =>
    trx.insertInto('channels').values(channelRow(clock.now(), { user_id, provider, automatic })).execute();
  for (const person of [ada, bob, grace]) await addChannel(person, 'ntfy');
  let addOwnChannels: AddOwnChannels = async () => false;
  const sweep = new RequestSweep({
    db,
    clock,
    wallClock: clock,
    addOwnChannels: (...given) => addOwnChannels(...given),
    schema: new SchemaWatch(createLogger('silent')),
    logger: createLogger('silent'),
    dispatcher: {
      isConfigured: () => true,
      limitsOf: () => undefined,
      tellsRequests: () => true,
      reserve: () => true,
      release: () => undefined,
      send: () => undefined,
      checkOutbox: () => undefined,
    },
  });
  const askFor = async (owner: Person, title = 'milk') => {
    const { body } = await ada.ask('POST', '/v1/tasks', { title, owner_id: owner.userId, space_id: space });
    return body.data.id as string;
  };
  return {
    db,
    clock,
    ada,
    bob,
    grace,
    addChannel,
    askFor,
    run: () => sweep.runAll(new AbortController().signal),
    setOwnChannels: (add: AddOwnChannels) => {
      addOwnChannels = add;
    },
    messages: () => db.selectFrom('request_messages').selectAll().orderBy('created_at').orderBy('repeat').execute(),
    told: async () => {
      const rows = await db.selectFrom('deliveries').select(['recipient_id', 'provider']).execute();
      return rows.map(({ recipient_id, provider }) => `${recipient_id} ${provider}`).sort();
    },
  };
}

onEveryEngine((engine, it) => {
  let app: TestApp;
  before(async () => {
    app = await startTestApp(engine);
    await app.engine?.stop();
  });
  after(() => app[Symbol.asyncDispose]());

  it('a message that cannot be decided is put off alone, and none while the database is away', async () => {
    const world = await begin(app);
    const { db, bob, grace } = world;
    await world.askFor(bob);
    await world.askFor(grace);
    const due = async () => (await world.messages()).map(({ due_at }) => due_at);
    const before = await due();
    const away = new AppError('database_unavailable');
    const faults = [new Error('One of them cannot be read.'), away];
    world.setOwnChannels(async () => {
      throw faults.shift();
    });
    await assert.rejects(world.run(), away);
    assert.deepEqual([faults.length, await due()], [0, before]);
    world.setOwnChannels(async () => false);
    await db.updateTable('users').set({ timezone: 'Nowhere/None' }).where('id', '=', bob.userId).execute();
    await world.run();
    assert.deepEqual(await world.told(), [`${grace.userId} ntfy`]);
    const [ofBob] = (await world.messages()).filter(({ recipient_id }) => recipient_id === bob.userId);
    assert.deepEqual(ofBob?.due_at, new Date('2026-03-02T09:15:00Z'));
  });

  it('a message that nothing can take counts as not sent, and its repeats go on, as they do while the person wants none', async () => {
    const world = await begin(app);
    const { db, bob, grace } = world;
    await db.updateTable('channels').set({ valid: false }).where('user_id', '=', bob.userId).execute();
    await db.updateTable('users').set({ hears_requests: false }).where('id', '=', grace.userId).execute();
    for (const person of [bob, grace]) await world.askFor(person);
    const unreached: (readonly string[])[] = [];
    world.setOwnChannels(async (_trx, userIds) => {
      unreached.push(userIds);
      return false;
    });
    await world.run();
    assert.deepEqual([await world.told(), unreached], [[], [[bob.userId]]], 'only Bob has nothing that reaches him');
    for (const { userId } of [bob, grace]) {
      const [first, repeat, ...more] = (await world.messages()).filter(({ recipient_id }) => recipient_id === userId);
      assert.deepEqual([first?.due_at, first?.sent_at, more], [null, null, []]);
      assert.deepEqual([repeat?.repeat, repeat?.due_at], [1, new Date('2026-03-03T09:00:00Z')]);
    }
  });

  it('the channel that the service made gets a message only while nothing else can, and at once when it was made', async () => {
    const world = await begin(app);
    const { db, bob, grace } = world;
    await world.addChannel(bob, 'email', true);
    await db.deleteFrom('channels').where('user_id', '=', grace.userId).execute();
    world.setOwnChannels(async (trx, userIds) => {
      if (userIds.length > 0) await world.addChannel(grace, 'email', true, trx);
      return userIds.length > 0;
    });
    for (const person of [bob, grace]) await world.askFor(person);
    await world.run();
    assert.deepEqual(await world.told(), [`${bob.userId} ntfy`, `${grace.userId} email`].sort());
  });

  it('the app of the person who asked hears that nobody answered', async () => {
    const world = await begin(app);
    const { db, ada, bob } = world;
    await world.askFor(bob);
    const swapped = { kind: 'unanswered', recipient_id: ada.userId, other_id: bob.userId } as const;
    await db.updateTable('request_messages').set(swapped).execute();
    const heard: string[] = [];
    assert.ok(db instanceof DirectDatabase);
    db.announcer = { announce: (ids) => void heard.push(...ids) };
    await world.run();
    assert.ok(heard.includes(ada.userId));
  });

  it('the messages of a whole day count, of their own kind alone, and what one run sends counts for the rest of it', async () => {
    app.clock.set('2026-03-02T23:50:00Z');
    const world = await begin(app);
    const { db, ada, bob, grace } = world;
    const task_id = await world.askFor(grace, 'another');
    await db.deleteFrom('request_messages').execute();
    const sentAt = (hour: string, kind: RequestMessageKind) => {
      const sent_at = new Date(`2026-03-02T${hour}:00Z`);
      const about = { id: newId(), task_id, recipient_id: bob.userId, other_id: grace.userId, kind };
      return { ...about, due_at: null, sent_at, settled_at: null, created_at: sent_at };
    };
    const hours = ['00:10', '00:20', '00:30', '00:40', '00:50', '01:00', '01:10', '01:20'];
    const rows = [...hours.map((hour) => sentAt(hour, 'accepted')), sentAt('02:00', 'stand_in_done')];
    await db.insertInto('request_messages').values(rows).execute();
    for (const title of ['first', 'second', 'third']) await world.askFor(bob, title);
    await world.run();
    const asked = (await world.messages()).filter(({ other_id, repeat }) => other_id === ada.userId && repeat === 0);
    assert.equal(asked.filter(({ sent_at }) => sent_at !== null).length, 2);
    assert.equal((await world.told()).length, 2);
  });

  it('one run decides every message that is due, however many there are', async () => {
    const world = await begin(app);
    const { db, clock, ada, bob } = world;
    const now = clock.now();
    const about = { task_id: null, recipient_id: bob.userId, other_id: ada.userId, kind: 'asked', repeat: 0 } as const;
    const rows = Array.from({ length: 120 }, () => ({ ...about, id: newId(), due_at: now, created_at: now }));
    await db.insertInto('request_messages').values(rows).execute();
    assert.equal(await world.run(), null);
    const waiting = db.selectFrom('request_messages').select('id').where('due_at', 'is not', null);
    assert.equal((await waiting.execute()).length, 0);
  });
});
