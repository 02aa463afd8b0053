import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SchemaWatch } from '../../src/db/schema-watch.ts';
import type { Understudy } from '../../src/db/tables/understudies.ts';
import { newId } from '../../src/lib/ids.ts';
import { createLogger } from '../../src/lib/logger.ts';
import type { AnyPush } from '../../src/push/gateway.ts';
import { Holders } from '../../src/understudies/holders.ts';
import { listAmong, listPeople, listPlannedNudges } from '../../src/understudies/understudies.store.ts';
import { Understudies } from '../../src/understudies/understudies.ts';
import {
  insertUnderstudies,
  leaseWishes,
  recordFailure,
  recordHeld,
  recordReleased,
  updateWish,
  wishRelease,
} from '../../src/understudies/wishes.store.ts';
import { insertDueTasks } from '../support/due-tasks.ts';
import { createDatabase, onEveryEngine } from '../support/engines.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { FakeHolder } from '../support/fake-holder.ts';
import { createPerson } from '../support/people.ts';
import { createSpace } from '../support/spaces.ts';
import { channelRow } from '../support/stored-channel.ts';
import { understudyRow } from '../support/stored-understudy.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

const NEVER = new AbortController().signal;

/** What keeps held messages in step, beside an engine that has no provider. */
function partsOf({ db }: TestApp, clock: FakeClock) {
  const parts = {
    db,
    clock,
    wallClock: clock,
    clockSpeed: 1,
    gateways: { telegram: new FakeHolder(clock) },
    schema: new SchemaWatch(createLogger('silent')),
    counts: { placed: 0, moved: 0, cancelled: 0, sounded: 0, failed: 0 },
    countOfDay: async () => 0,
    isNudging: () => false,
    onWish: () => undefined,
  };
  return { ...parts, holders: new Holders(parts) };
}

const there = (now: Date, user_id: string, given = {}) =>
  channelRow(now, { user_id, provider: 'telegram', server: 'https://there.test', ...given });

onEveryEngine((engine, it) => {
  it('when the operator switches it off, what is held is taken back', async () => {
    const clock = new FakeClock();
    const holder = new FakeHolder(clock);
    const database = await createDatabase(engine);
    await using parts = new AsyncDisposableStack();
    parts.defer(database.drop);
    {
      await using app = await startTestApp(engine, {
        clock,
        databaseUrl: database.url,
        extra: { gateways: { telegram: holder } },
      });
      const ada = await createPerson(app);
      const row = channelRow(clock.now(), { user_id: ada.userId, provider: 'telegram', server: 'https://there.test' });
      await app.db.insertInto('channels').values(row).execute();
      await ada.ask('POST', '/v1/tasks', { title: 'pills', due_at: '2026-03-02T10:00:00Z', has_time: true });
      app.engine?.noteChanges([ada.userId]);
      await app.engine?.settled();
      assert.equal(holder.waiting.size, 3);
    }
    const off = { send: (push: AnyPush) => holder.send(push), capacity: () => 100, close: async () => undefined };
    // Without ntfy, no provider at all holds messages.
    await using app = await startTestApp(engine, {
      clock,
      databaseUrl: database.url,
      settings: { UNDERSTUDIES: 'off' },
      extra: { gateways: { telegram: off } },
    });
    await clock.advance('15m');
    assert.equal(holder.waiting.size, 0);
    assert.deepEqual(await app.db.selectFrom('understudies').select('id').execute(), []);
  });

  it('what changed when the process died is found by the next one, which looks at everybody', async () => {
    const clock = new FakeClock();
    const holder = new FakeHolder(clock);
    const database = await createDatabase(engine);
    await using parts = new AsyncDisposableStack();
    parts.defer(database.drop);
    const start = () =>
      startTestApp(engine, { clock, databaseUrl: database.url, extra: { gateways: { telegram: holder } } });
    {
      await using app = await start();
      const ada = await createPerson(app);
      const row = channelRow(clock.now(), { user_id: ada.userId, provider: 'telegram', server: 'https://there.test' });
      await app.db.insertInto('channels').values(row).execute();
      await ada.ask('POST', '/v1/tasks', { title: 'pills', due_at: '2026-03-02T10:00:00Z', has_time: true });
      app.engine?.noteChanges([ada.userId]);
      await app.engine?.settled();
      assert.equal(holder.waiting.size, 3);
      // It was stored, and the process died before it announced it.
      const pause_until = new Date('2026-03-02T20:00:00Z');
      await app.db.updateTable('users').set({ pause_from: clock.now(), pause_until }).execute();
    }
    await using app = await start();
    await app.engine?.settled();
    // What is only put off waits for five minutes; without a reason, a person is looked at every ten.
    await clock.advance('6m');
    const moments = [...holder.waiting.values()].map(({ at }) => at.toISOString());
    assert.deepEqual([...new Set(moments)], ['2026-03-02T20:00:00.000Z']);
  });

  test('a new wish waits for the answer of the one on its way, and that an attempt was made is not forgotten', async () => {
    await using app = await startTestApp(engine);
    const { db } = app;
    // It would take the wish.
    await app.engine?.stop();
    const now = new Date('2026-03-03T09:00:00Z');
    const later = (seconds: number) => new Date(now.getTime() + seconds * 1_000);
    const row: Understudy = {
      id: newId(),
      user_id: newId(),
      channel_id: newId(),
      slot: 'first',
      provider: 'telegram',
      server: null,
      address: 'sealed',
      sounds_at: later(3_600),
      content: '{}',
      stage: 0,
      version: 1,
      stored_version: 0,
      held_until: null,
      ref: 'chosen by us',
      moved_at: null,
      attempts: 0,
      next_attempt_at: now,
      error: null,
    };
    await insertUnderstudies(db, [row]);
    const lease = async (seconds: number) =>
      (await leaseWishes(db, { now: later(seconds), latest: later(seconds + 900), until: later(seconds + 30) }, 10))[0];
    const first = await lease(0);
    assert.equal(first?.version, 1);
    await wishRelease(db, row, later(1), 'first');
    assert.equal(await lease(1), undefined);
    await recordHeld(db, first ?? row, { ref: 'chosen by them', heldUntil: later(3_600), wallNow: later(2) });
    const second = await lease(2);
    assert.deepEqual([second?.version, second?.ref, second?.attempts], [2, 'chosen by them', 1]);
    await updateWish(db, { ...row, sounds_at: later(7_200) }, later(3));
    // The process that sends it has died: its lease ends.
    assert.equal(await lease(31), undefined);
    const third = await lease(33);
    assert.deepEqual([third?.version, third?.attempts], [3, 2]);
    await recordFailure(db, third ?? row, 'away', later(900), later(34));
    assert.equal(await lease(35), undefined);
    await updateWish(db, { ...row, sounds_at: later(9_000) }, later(36));
    assert.equal((await lease(36))?.version, 4);
  });

  it('a change that was noted is looked at again if the database fails during the look', async () => {
    await using app = await startTestApp(engine);
    // It would take the wishes.
    await app.engine?.stop();
    const ada = await createPerson(app);
    await app.db.insertInto('channels').values(there(app.clock.now(), ada.userId)).execute();
    await ada.ask('POST', '/v1/tasks', { title: 'pills', due_at: '2026-03-02T10:00:00Z', has_time: true });
    const { holders, ...parts } = partsOf(app, app.clock);
    const understudies = new Understudies({ ...parts, holders });
    await understudies.runAll(NEVER);
    const listHeld = () => app.db.selectFrom('understudies').select('id').execute();
    assert.equal((await listHeld()).length, 3);
    await app.db.deleteFrom('tasks').execute();
    understudies.note([ada.userId]);
    const { findChannel } = Holders.prototype;
    holders.findChannel = () => Promise.reject(new Error('disk I/O error'));
    await assert.rejects(understudies.runAll(NEVER), /disk I\/O error/);
    holders.findChannel = findChannel;
    await understudies.runAll(NEVER);
    // What says that the service is silent stays, without a task.
    assert.equal((await listHeld()).length, 1);
  });

  it('a person whose nudge is overdue is looked at again long before what is held would sound', async () => {
    await using app = await startTestApp(engine);
    const ada = await createPerson(app);
    const row = channelRow(app.clock.now(), {
      user_id: ada.userId,
      provider: 'telegram',
      server: 'https://there.test',
    });
    await app.db.insertInto('channels').values(row).execute();
    await ada.ask('POST', '/v1/tasks', { title: 'pills', due_at: '2026-03-02T10:00:00Z', has_time: true });
    // For the engine it is 09:00, so the nudge of 10:00 is not sent.
    const clock = new FakeClock('2026-03-02T10:00:00Z');
    const understudies = new Understudies(partsOf(app, clock));
    assert.deepEqual(await understudies.runAll(NEVER), new Date('2026-03-02T10:01:00Z'));
  });

  test('what is wanted again while it is taken back is placed anew', async () => {
    await using app = await startTestApp(engine);
    await app.engine?.stop();
    const { db } = app;
    const now = new Date('2026-03-03T09:00:00Z');
    const channel = there(now, newId());
    const row = understudyRow(channel, { sounds_at: now, held_until: now, stored_version: 1, next_attempt_at: now });
    await insertUnderstudies(db, [row]);
    await wishRelease(db, row, now, 'first');
    const lease = async () => (await leaseWishes(db, { now, latest: now, until: now }, 10))[0];
    const taken = await lease();
    await updateWish(db, { ...row, sounds_at: new Date('2026-03-03T12:00:00Z') }, now);
    await recordReleased(db, taken ?? row, now);
    const again = await lease();
    assert.deepEqual([again?.version, again?.held_until, again?.sounds_at?.getUTCHours()], [3, null, 12]);
    await recordReleased(db, again ?? row, now);
    assert.equal(await lease(), undefined);
  });

  it('if the server of one channel cannot hold messages, another channel does, and the first is asked again later', async () => {
    await using app = await startTestApp(engine);
    const { userId } = await createPerson(app);
    const clock = new FakeClock();
    const [first, second] = [
      there(clock.now(), userId),
      there(clock.now(), userId, { tier: 1, address_hash: 'second' }),
    ];
    await app.db.insertInto('channels').values([first, second]).execute();
    const { holders } = partsOf(app, clock);
    const holding = async () => (await holders.findChannel(app.db, userId))?.id;
    assert.equal(await holding(), first.id);
    holders.noteUnfit(first.id);
    assert.equal(await holding(), second.id);
    holders.noteUnfit(second.id);
    assert.equal(await holding(), first.id);
    await clock.advance('61m');
    holders.noteUnfit(second.id);
    assert.equal(await holding(), first.id);
  });

  it('a change in a space concerns its members, and what a channel may hold is asked for the channel that holds', async () => {
    await using app = await startTestApp(engine);
    const clock = new FakeClock();
    const [ada, bob] = [await createPerson(app), await createPerson(app)];
    const space = await createSpace(ada, bob);
    await ada.ask('POST', '/v1/tasks', { title: 'pills', due_at: '2026-03-02T12:00:00Z', has_time: true });
    const first = there(clock.now(), ada.userId);
    const second = there(clock.now(), ada.userId, { tier: 1, address_hash: 'second' });
    await app.db.insertInto('channels').values([first, second]).execute();
    assert.deepEqual(await listAmong(app.db, ['telegram'], [space]), [ada.userId]);
    const parts = partsOf(app, clock);
    const understudies = new Understudies(parts);
    const { allowedBy } = parts.holders;
    // The first channel is lost between the question and the transaction.
    parts.holders.allowedBy = async (userId, channel) => {
      parts.holders.noteUnfit(first.id);
      return allowedBy.call(parts.holders, userId, channel);
    };
    const holding = async () => {
      await understudies.runAll(NEVER);
      const held = await app.db.selectFrom('understudies').select('channel_id').distinct().execute();
      return held.map(({ channel_id }) => channel_id);
    };
    assert.deepEqual(await holding(), []);
    assert.deepEqual(await holding(), [second.id]);
  });

  it('a round goes through all people, however many they are', async () => {
    await using app = await startTestApp(engine);
    const clock = new FakeClock();
    const people = await insertDueTasks(app.db, { tasks: 0, owners: 201, dueAt: clock.now(), withDevices: false });
    const channels = people.map((id) => there(clock.now(), id));
    for (const channel of channels) await app.db.insertInto('channels').values(channel).execute();
    const understudies = new Understudies(partsOf(app, clock));
    assert.deepEqual(await understudies.runAll(NEVER), clock.now(), 'the rest comes at once');
    await understudies.runAll(NEVER);
    const seen = await app.db.selectFrom('understudy_people').select('user_id').execute();
    assert.deepEqual(seen.map(({ user_id }) => user_id).sort(), [...people].sort());
  });

  test('the next people of a round have a channel or something held, each once, in the order of their ids', async () => {
    await using app = await startTestApp(engine);
    const { db, clock } = app;
    // Only what the test stores is there.
    await app.engine?.stop();
    const people = await insertDueTasks(db, { tasks: 0, owners: 5, dueAt: clock.now(), withDevices: false });
    const [ada = '', bob = '', cem = '', dan = '', eve = ''] = people.toSorted();
    const now = clock.now();
    const rows = [
      there(now, ada),
      there(now, ada, { address_hash: 'another of hers' }),
      there(now, bob),
      there(now, dan),
      there(now, eve, { provider: 'webhook' }),
    ];
    await db.insertInto('channels').values(rows).execute();
    const look = { first_at: null, check_at: now, state: 'no_channel', channel_id: null } as const;
    for (const user_id of [cem, ada])
      await db
        .insertInto('understudy_people')
        .values({ user_id, horizon_seconds: null, ...look })
        .execute();
    const next = (after: string | null) => listPeople(db, ['telegram'], after, 2);
    assert.deepEqual([await next(null), await next(bob), await next(dan)], [[ada, bob], [cem, dan], []]);
  });

  it('a change of which nobody was told is found by the next round, a minute later', async () => {
    await using app = await startTestApp(engine);
    await app.engine?.stop();
    const clock = new FakeClock();
    const ada = await createPerson(app);
    await app.db.insertInto('channels').values(there(clock.now(), ada.userId)).execute();
    await ada.ask('POST', '/v1/tasks', { title: 'pills', due_at: '2026-03-02T12:00:00Z', has_time: true });
    const understudies = new Understudies(partsOf(app, clock));
    const firstMoment = async () => {
      await understudies.runAll(NEVER);
      const held = app.db.selectFrom('understudies').select('sounds_at').where('slot', '=', 'first');
      return (await held.executeTakeFirstOrThrow()).sounds_at?.toISOString().slice(11, 16);
    };
    assert.equal(await firstMoment(), '12:10');
    await app.db
      .updateTable('tasks')
      .set({ next_fire_at: new Date('2026-03-02T10:00:00Z') })
      .execute();
    await clock.advance('59s');
    assert.equal(await firstMoment(), '12:10');
    await clock.advance('1s');
    assert.equal(await firstMoment(), '10:10');
  });

  it('a first round that failed is made again at once', async () => {
    await using app = await startTestApp(engine);
    await app.engine?.stop();
    const ada = await createPerson(app);
    await app.db.insertInto('channels').values(there(app.clock.now(), ada.userId)).execute();
    const { holders, ...parts } = partsOf(app, app.clock);
    const understudies = new Understudies({ ...parts, holders });
    const { findChannel } = Holders.prototype;
    holders.findChannel = () => Promise.reject(new Error('disk I/O error'));
    await assert.rejects(understudies.runAll(NEVER), /disk I\/O error/);
    holders.findChannel = findChannel;
    await understudies.runAll(NEVER);
    assert.equal((await app.db.selectFrom('understudies').select('id').execute()).length, 1);
  });

  it('what is taken back may sound until the latest moment that its provider was ever asked for', async () => {
    await using app = await startTestApp(engine);
    await app.engine?.stop();
    const { db, clock } = app;
    const later = (hours: number) => new Date(clock.now().getTime() + hours * 3_600_000);
    for (const [wanted, held] of [
      [1, 3],
      [3, 1],
    ] as const) {
      const given = { sounds_at: later(wanted), held_until: later(held), stored_version: 1 };
      const row = understudyRow(there(clock.now(), newId()), given);
      await insertUnderstudies(db, [row]);
      await wishRelease(db, row, clock.now(), row.slot);
      const released = db.selectFrom('understudies').select(['sounds_at', 'held_until']).where('id', '=', row.id);
      assert.deepEqual(await released.executeTakeFirst(), { sounds_at: null, held_until: later(3) });
    }
  });

  it('a must-not-miss task is read, however many others come before it', async () => {
    await using app = await startTestApp(engine);
    const dueAt = new Date('2026-03-04T09:00:00Z');
    const bulk = { tasks: 101, owners: 1, dueAt, intervalMs: 60_000, withDevices: false };
    const [owner = ''] = await insertDueTasks(app.db, bulk);
    const strong = { break_quiet_hours: true };
    const last = new Date(dueAt.getTime() + 100 * 60_000);
    await app.db.updateTable('tasks').set(strong).where('next_fire_at', '=', last).execute();
    const nudges = await listPlannedNudges(app.db, owner);
    assert.deepEqual([nudges.length, nudges.at(-1)?.next_fire_at], [101, last]);
  });
});
