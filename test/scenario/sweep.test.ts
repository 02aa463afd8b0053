/** One batch of the sweep at a time, without a dispatch. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RunAgain } from '../../src/db/transact.ts';
import { postponeTask } from '../../src/engine/sweep.store.ts';
import { type BatchSize, sliceOf } from '../../src/lib/batch-size.ts';
import { AppError } from '../../src/lib/errors.ts';
import { newId } from '../../src/lib/ids.ts';
import { insertDueTasks } from '../support/due-tasks.ts';
import { onEveryEngine } from '../support/engines.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { startSweep } from '../support/lone-sweep.ts';
import { channelRow } from '../support/stored-channel.ts';
import { storedDelivery } from '../support/stored-delivery.ts';

const LIMITS = { mostPerDay: 1, repeatsUpToPerDay: 1, stopsAfterIdleMs: 86_400_000 };
const DUE = new Date('2026-03-02T08:00:00Z');

/** Real time. The clock of the service shows another, so what is counted by the wrong one shows. */
const WALL = new Date('2026-02-27T09:00:00Z');

onEveryEngine((engine, it) => {
  test('a sweep that runs again after a conflict nudges once, and keeps no place of its first run', async () => {
    let runs = 0;
    const conflictOnce: BatchSize['measure'] = async (_, work) => {
      const result = await work();
      runs += 1;
      if (runs === 1) throw new RunAgain();
      return result;
    };
    await using world = await startSweep(engine, { batchSize: { ...sliceOf(100), measure: conflictOnce } });
    const { db, sweep, dispatched } = world;
    await insertDueTasks(db, { tasks: 3, owners: 2, dueAt: DUE });
    assert.equal((await sweep.runOnce()).nudges, 3);
    const stored = await db.selectFrom('timeline').select('id').where('kind', '=', 'nudge').execute();
    assert.deepEqual([runs, stored.length, dispatched.sent.length, dispatched.places], [2, 3, 3, 3]);
  });

  test('a batch that fails gives its places back, and a task is postponed for a fault of its own and not of the database', async () => {
    const faults: Error[] = [];
    const failing: BatchSize['measure'] = async (_, work) => {
      const result = await work();
      const fault = faults.shift();
      if (fault) throw fault;
      return result;
    };
    await using world = await startSweep(engine, { batchSize: { ...sliceOf(100), measure: failing } });
    const { db, sweep, dispatched } = world;
    await insertDueTasks(db, { tasks: 2, owners: 1, dueAt: DUE });
    const planned = async () => {
      const tasks = await db.selectFrom('tasks').select('next_fire_at').execute();
      return tasks.map(({ next_fire_at }) => next_fire_at?.toISOString()).sort();
    };
    const due = DUE.toISOString();
    const [bad, away] = [new Error('A task cannot be read.'), new AppError('database_unavailable')];
    for (const before of [[], [bad], [bad, bad]]) {
      faults.push(...before, away);
      await assert.rejects(
        sweep.runAll(new AbortController().signal, () => undefined),
        away,
      );
      assert.deepEqual([faults.length, dispatched.places, dispatched.sent.length], [0, 0, 0]);
      assert.ok((await planned()).includes(due));
    }
    const [left, postponed] = await planned();
    assert.deepEqual([left, postponed], [due, '2026-03-02T09:15:00.000Z'], 'the one that failed alone');
    assert.equal((await sweep.runOnce()).nudges, 1);
    assert.deepEqual([dispatched.places, dispatched.sent.length], [1, 1]);
  });

  test('falls and Live Activities are counted in real time, the messages of a day by the clock of the service', async () => {
    await using world = await startSweep(engine, { wallClock: new FakeClock(WALL.toISOString()), limits: LIMITS });
    const { db, sweep } = world;
    const [owner = ''] = await insertDueTasks(db, { tasks: 1, owners: 1, dueAt: DUE });
    const [task, device] = [
      await db.selectFrom('tasks').select(['id', 'owner_id']).executeTakeFirstOrThrow(),
      await db.selectFrom('devices').select(['id', 'push_env']).executeTakeFirstOrThrow(),
    ];
    const mail = channelRow(WALL, { user_id: owner, provider: 'email' });
    const telegram = channelRow(WALL, { user_id: owner, provider: 'telegram', tier: 1 });
    await db.insertInto('channels').values([mail, telegram]).execute();
    const session = { id: newId(), user_id: owner, token_hash: 'x', created_at: WALL };
    await db
      .insertInto('sessions')
      .values({ ...session, expires_at: new Date(WALL.getTime() + 90 * 86_400_000) })
      .execute();
    const mailed = { target_id: mail.id, provider: 'email', run: 0, status: 'sent', attempts: 1 } as const;
    await db
      .insertInto('deliveries')
      .values(storedDelivery(task, { ...mailed, created_at: new Date('2026-03-01T08:59:00Z') }))
      .execute();
    const started_at = new Date(WALL.getTime() - 7 * 3_600_000);
    const activity = { id: newId(), task_id: task.id, device_id: device.id, push_env: device.push_env, started_at };
    await db
      .insertInto('live_activities')
      .values({ ...activity, token: 'activity', token_hash: 'activity', ended_at: null })
      .execute();
    await sweep.runOnce();
    const rows = await db.selectFrom('deliveries').selectAll().where('run', '=', 1).execute();
    const kindsOf = (id: string) => rows.filter(({ target_id }) => target_id === id).map(({ kind }) => kind);
    assert.deepEqual(kindsOf(activity.id), ['activity_update']);
    assert.deepEqual(kindsOf(mail.id), ['nudge'], 'the mail was sent more than a day ago');
    const fall = rows.find(({ target_id }) => target_id === telegram.id);
    assert.deepEqual([fall?.waits_for, fall?.next_attempt_at.toISOString()], ['tier', '2026-02-27T09:03:00.000Z']);
    const leased = rows.find(({ target_id, kind }) => target_id === device.id && kind === 'nudge');
    assert.equal(leased?.next_attempt_at.toISOString(), '2026-02-27T09:00:08.000Z');
  });

  test('of two tasks of one batch, one mail to an idle owner is the last, and the timeline of the other says why none came', async () => {
    await using world = await startSweep(engine, { limits: LIMITS });
    const { db, sweep, dispatched } = world;
    const [owner = ''] = await insertDueTasks(db, { tasks: 2, owners: 1, dueAt: DUE, withDevices: false });
    await db
      .insertInto('channels')
      .values(channelRow(DUE, { user_id: owner, provider: 'email' }))
      .execute();
    await sweep.runOnce();
    assert.deepEqual(dispatched.woken, ['email'], 'who sends what the sweep left in the outbox');
    assert.equal((await db.selectFrom('deliveries').select('entry_id').execute()).length, 1);
    const entries = await db.selectFrom('timeline').select('unreached').where('kind', '=', 'nudge').execute();
    assert.deepEqual(entries.map(({ unreached }) => unreached).sort(), ['mail_paused', null]);
  });

  test('a task that was planned anew meanwhile is not postponed', async () => {
    await using world = await startSweep(engine, { limits: LIMITS });
    const { db } = world;
    await insertDueTasks(db, { tasks: 2, owners: 1, dueAt: DUE, intervalMs: 3_600_000, withDevices: false });
    const [now, until] = [new Date('2026-03-02T08:30:00Z'), new Date('2026-03-02T08:45:00Z')];
    const nextOf = () => db.selectFrom('tasks').select(['id', 'next_fire_at']).orderBy('due_at').execute();
    for (const { id } of await nextOf()) await postponeTask(db, id, now, until);
    const next = (await nextOf()).map(({ next_fire_at }) => next_fire_at?.toISOString());
    assert.deepEqual(next, ['2026-03-02T08:45:00.000Z', '2026-03-02T09:00:00.000Z']);
  });

  test('apps hear by sync that a task is put off, and it counts as wanted at its new moment', async () => {
    await using world = await startSweep(engine, { limits: LIMITS });
    const { db } = world;
    await insertDueTasks(db, { tasks: 1, owners: 1, dueAt: DUE, withDevices: false });
    const { id } = await db.selectFrom('tasks').select('id').executeTakeFirstOrThrow();
    const [now, until] = [new Date('2026-03-02T08:30:00Z'), new Date('2026-03-02T08:45:00Z')];
    await postponeTask(db, id, now, until);
    const task = await db.selectFrom('tasks').selectAll().executeTakeFirstOrThrow();
    assert.deepEqual([task.next_fire_at, task.wanted_at], [until, until]);
    assert.ok(task.changed_at > now, task.changed_at.toISOString());
  });

  it('people with many devices do not make a batch larger, and nobody is left out', async () => {
    await using world = await startSweep(engine);
    const { db, sweep } = world;
    await insertDueTasks(db, { tasks: 3, owners: 3, dueAt: DUE });
    const devices = await db.selectFrom('devices').selectAll().execute();
    const more = devices.flatMap((device) =>
      Array.from({ length: 19 }, newId).map((id) => ({ ...device, id, token: id, token_hash: id })),
    );
    await db.insertInto('devices').values(more).execute();
    const batches: number[] = [];
    for (let count = 0; count < 3; count += 1) batches.push((await sweep.runOnce()).nudges);
    assert.deepEqual(batches, [1, 1, 1]);
  });

  it('a task without a time is nudged for its day in the present zone, also before its slice has planned it', async () => {
    await using world = await startSweep(engine);
    const { db, sweep } = world;
    const today = { has_time: false, due_at: new Date('2026-03-02T00:00:00Z'), due_written: '2026-03-02T00:00:00' };
    await insertDueTasks(db, { tasks: 1, owners: 1, dueAt: DUE });
    await db.updateTable('tasks').set(today).execute();
    await db.updateTable('users').set({ timezone: 'Europe/Berlin', plan_version: 1 }).execute();
    await sweep.runOnce();
    const entry = db.selectFrom('timeline').select('occurrence_due_at').where('kind', '=', 'nudge');
    const { occurrence_due_at } = await entry.executeTakeFirstOrThrow();
    assert.equal(occurrence_due_at?.toISOString(), '2026-03-01T23:00:00.000Z');
  });

  it('an account that has used its share of a round leaves the rest of the batch to others', async () => {
    await using world = await startSweep(engine);
    const { db, sweep } = world;
    await insertDueTasks(db, { tasks: 8, owners: 1, dueAt: DUE });
    const [quiet = ''] = await insertDueTasks(db, { tasks: 1, owners: 1, dueAt: new Date(DUE.getTime() + 60_000) });
    const { nudges } = await sweep.runOnce();
    assert.ok(nudges < 9, `${nudges} nudges`);
    const { nudge_count } = await db
      .selectFrom('tasks')
      .select('nudge_count')
      .where('owner_id', '=', quiet)
      .executeTakeFirstOrThrow();
    assert.equal(nudge_count, 1);
  });

  it('two accounts with very many due tasks leave a turn to the third in the first batches', async () => {
    await using world = await startSweep(engine, { limits: LIMITS });
    const { db, sweep } = world;
    await insertDueTasks(db, { tasks: 200, owners: 2, dueAt: DUE });
    const [quiet = ''] = await insertDueTasks(db, { tasks: 1, owners: 1, dueAt: new Date(DUE.getTime() + 60_000) });
    const isNudged = async () =>
      (await db.selectFrom('timeline').select('id').where('owner_id', '=', quiet).execute()).length > 0;
    let batches = 0;
    for (; !(await isNudged()); batches += 1) await sweep.runOnce();
    assert.ok(batches <= 4, `after ${batches} batches`);
    // An hour, less the two minutes that accounts with so many tasks may wait for themselves.
    assert.equal((await sweep.runOnce()).lateMs, 3_480_000);
  });
});
