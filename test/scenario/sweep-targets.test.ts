/** Whom one batch of the sweep nudges, where, and when what it stores is due. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DirectDatabase } from '../../src/db/direct-executor.ts';
import type { Db } from '../../src/db/schema.ts';
import type { DeliveryKind } from '../../src/db/tables/deliveries.ts';
import { listValidDevices } from '../../src/engine/nudge-targets.store.ts';
import { findStandInTargets } from '../../src/engine/stand-in-targets.ts';
import { addNudges, supersedeDeliveries } from '../../src/engine/sweep.store.ts';
import { insertDueTasks } from '../support/due-tasks.ts';
import { onEveryEngine } from '../support/engines.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { startSweep, storeSpace, storeStandIn } from '../support/lone-sweep.ts';
import { channelRow } from '../support/stored-channel.ts';
import { storedDelivery } from '../support/stored-delivery.ts';

const DUE = new Date('2026-03-02T08:00:00Z');

const deliveriesTo = async (db: Db, id: string) => {
  const rows = await db.selectFrom('deliveries').selectAll().where('target_id', '=', id).where('run', '=', 1).execute();
  return rows.map(({ waits_for, next_attempt_at }) => `${waits_for} ${next_attempt_at.toISOString().slice(0, 19)}`);
};

onEveryEngine((engine, it) => {
  it('over the budget a message waits for its part, and a fall also for its time, as fast as the clock of the service runs', async () => {
    const wallClock = new FakeClock('2026-02-27T09:00:00Z');
    await using world = await startSweep(engine, { wallClock, clockSpeed: 2 });
    const { db, sweep } = world;
    const [owner = ''] = await insertDueTasks(db, { tasks: 1, owners: 1, dueAt: DUE, withDevices: false });
    const now = wallClock.now();
    const counts = { open: 1, done: 0, skipped: 0, nudges_sent: 0, seconds_to_done: 0 };
    // A minute beyond the burst of half a minute.
    const booked = { booked_ms: 90_000, booked_at_ms: now.getTime() };
    await db
      .insertInto('task_counts')
      .values({ user_id: owner, ...counts, ...booked })
      .execute();
    const channels = (['ntfy', 'telegram'] as const).map((provider, tier) =>
      channelRow(now, { user_id: owner, provider, tier }),
    );
    await db.insertInto('channels').values(channels).execute();
    await sweep.runOnce();
    const due = await Promise.all(channels.map(({ id }) => deliveriesTo(db, id)));
    // The fall comes after three minutes of a clock that runs twice as fast.
    assert.deepEqual(due, [['budget 2026-02-27T09:01:00'], ['tier 2026-02-27T09:01:30']]);
  });

  it('a phone whose provider is not configured is waited for by no tier, and its owner gets the channel that the service makes', async () => {
    const asked: (readonly string[])[] = [];
    await using world = await startSweep(engine, {
      notConfigured: 'apns',
      addOwnChannels: async (trx, userIds, now) => {
        asked.push(userIds);
        const own = userIds.map((user_id) => channelRow(now, { user_id, provider: 'email', automatic: true }));
        if (own.length > 0) await trx.insertInto('channels').values(own).execute();
        return own.length > 0;
      },
    });
    const { db, clock, sweep } = world;
    const [ada = '', bob = ''] = await insertDueTasks(db, { tasks: 2, owners: 2, dueAt: DUE });
    const telegram = channelRow(clock.now(), { user_id: ada, provider: 'telegram', tier: 1 });
    await db.insertInto('channels').values(telegram).execute();
    await sweep.runOnce();
    assert.deepEqual(asked, [[bob]]);
    assert.deepEqual(await deliveriesTo(db, telegram.id), ['capacity 1970-01-01T00:00:00']);
    const rows = await db.selectFrom('deliveries').select('provider').where('recipient_id', '=', bob).execute();
    assert.deepEqual(rows.map(({ provider }) => provider).sort(), ['apns', 'email']);
  });

  it('a stand-in is told by the tiers that their own run has reached, and only of what is due, and all apps hear of it', async () => {
    await using world = await startSweep(engine);
    const { db, clock, sweep } = world;
    const [ada = '', grace = ''] = await insertDueTasks(db, { tasks: 1, owners: 2, dueAt: DUE });
    const space = await storeStandIn(db, [ada, grace], DUE);
    await db.updateTable('tasks').set({ space_id: space }).execute();
    const telegram = channelRow(DUE, { user_id: grace, provider: 'telegram', tier: 1 });
    await db.insertInto('channels').values(telegram).execute();
    const task = await db.selectFrom('tasks').select(['id', 'owner_id', 'run']).executeTakeFirstOrThrow();
    const earlier = { recipient_id: grace, run: task.run, provider: 'telegram', tier: 1, status: 'sent' } as const;
    await db
      .insertInto('deliveries')
      .values(storedDelivery(task, { ...earlier, attempts: 1, created_at: DUE }))
      .execute();
    const heard: string[] = [];
    assert.ok(db instanceof DirectDatabase);
    db.announcer = { announce: (ids) => void heard.push(...ids) };
    await sweep.runOnce();
    assert.deepEqual(await deliveriesTo(db, telegram.id), ['capacity 1970-01-01T00:00:00'], 'it does not wait again');
    assert.deepEqual(new Set(heard), new Set([ada, grace, space]));
    const { changed_at } = await db.selectFrom('tasks').select('changed_at').executeTakeFirstOrThrow();
    assert.ok(changed_at > DUE, 'the next sync of an app finds it');

    await db.deleteFrom('timeline').execute();
    const headsUp = { step: 0, heads_ups: '[{"minutes":5}]', due_at: new Date(clock.now().getTime() + 60_000) };
    const due_written = headsUp.due_at.toISOString();
    await db
      .updateTable('tasks')
      .set({ ...headsUp, due_written, next_fire_at: clock.now(), last_nudge_at: null, heads_up_at: null })
      .execute();
    await sweep.runOnce();
    const entries = await db.selectFrom('timeline').select(['kind', 'stage']).execute();
    assert.deepEqual(entries, [{ kind: 'nudge', stage: -1 }]);
  });

  it('a Live Activity that nothing can start counts as none, so that a later nudge may start it', async () => {
    const runningWith = async (given: Parameters<typeof startSweep>[1]) => {
      await using world = await startSweep(engine, given);
      const { db, sweep } = world;
      await insertDueTasks(db, { tasks: 1, owners: 1, dueAt: DUE });
      await db
        .updateTable('devices')
        .set({ start_token: 'ab'.repeat(40) })
        .execute();
      await sweep.runOnce();
      return (await db.selectFrom('live_activities').select('id').execute()).length;
    };
    assert.deepEqual([await runningWith({}), await runningWith({ notConfigured: 'apns' })], [1, 0]);
  });

  it('a phone of a stand-in gets nothing once the owner has left the space of the task', async () => {
    await using world = await startSweep(engine);
    const { db, clock } = world;
    const [ada = '', grace = ''] = await insertDueTasks(db, { tasks: 1, owners: 2, dueAt: DUE });
    await storeStandIn(db, [ada, grace], DUE);
    const space_id = await storeSpace(db, [ada, grace], DUE);
    await db.updateTable('tasks').set({ space_id }).execute();
    const tasks = await db.selectFrom('tasks').selectAll().execute();
    const devices = await listValidDevices(db, [grace]);
    const read = async () => {
      const targets = await findStandInTargets(db, tasks, [ada], clock.now());
      return tasks.map((task) => [targets.of(task).length, targets.readableBy(task, grace, devices).length]);
    };
    assert.deepEqual(await read(), [[1, 1]]);
    await db.deleteFrom('space_members').where('space_id', '=', space_id).where('user_id', '=', ada).execute();
    assert.deepEqual(await read(), [[1, 0]]);
  });

  it('a provider keeps a nudge for a phone that is off until the next one is planned, or for a day', async () => {
    await using world = await startSweep(engine);
    const { db, clock, sweep, dispatched } = world;
    await insertDueTasks(db, { tasks: 2, owners: 2, dueAt: DUE });
    const { id } = await db.selectFrom('tasks').select('id').executeTakeFirstOrThrow();
    await db.updateTable('tasks').set({ mode: 'notify_once' }).where('id', '=', id).execute();
    await sweep.runOnce();
    const keptMs = dispatched.sent.map(({ push }) =>
      'expiresAt' in push ? push.expiresAt.getTime() - clock.now().getTime() : 0,
    );
    assert.deepEqual(new Set(keptMs), new Set([900_000, 86_400_000]));
  });

  test('a new nudge replaces what shows an older one, and no more, and the time that an account has booked passes', async () => {
    await using world = await startSweep(engine);
    const { db, clock } = world;
    const [user_id = ''] = await insertDueTasks(db, { tasks: 0, owners: 1, dueAt: DUE, withDevices: false });
    const after = async (advance: string, booked_ms: number) => {
      await clock.advance(advance);
      await addNudges(db, [{ user_id, nudges: 1, booked_ms }], clock.now());
      const row = await db.selectFrom('task_counts').selectAll().executeTakeFirstOrThrow();
      return [Number(row.nudges_sent), Number(row.booked_ms)];
    };
    assert.deepEqual(await after('0s', 5_000), [1, 5_000]);
    assert.deepEqual(await after('2s', 5_000), [2, 8_000]);
    assert.deepEqual(await after('1m', 5_000), [3, 5_000]);

    await insertDueTasks(db, { tasks: 1, owners: 1, dueAt: DUE, withDevices: false });
    const task = await db.selectFrom('tasks').select(['id', 'owner_id']).executeTakeFirstOrThrow();
    const kinds: readonly DeliveryKind[] = [
      'nudge',
      'activity_update',
      'activity_start',
      'activity_end',
      'retract',
      'request_retract',
    ];
    const rows = kinds.map((kind) => storedDelivery(task, { kind }));
    await db
      .insertInto('deliveries')
      .values([...rows, storedDelivery(task, { status: 'sent' })])
      .execute();
    await supersedeDeliveries(db, [task.id]);
    const superseded = await db.selectFrom('deliveries').select('kind').where('status', '=', 'superseded').execute();
    assert.deepEqual(superseded.map(({ kind }) => kind).sort(), ['activity_update', 'nudge']);
  });
});
