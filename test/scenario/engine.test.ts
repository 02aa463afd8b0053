import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CompiledQuery, sql } from 'kysely';
import type { Db } from '../../src/db/schema.ts';
import type { WaitsFor } from '../../src/db/tables/deliveries.ts';
import { fallbackKey, listFallbackStates } from '../../src/deliveries/fallback.store.ts';
import {
  findNextAttemptAt,
  leaseChosen,
  leaseDeliveries,
  listDue,
  NOTHING,
  pairOf,
} from '../../src/deliveries/leases.store.ts';
import { forgetRetracted, listRefs, retractCancelled } from '../../src/deliveries/messages.store.ts';
import { hastenDeliveries, hastenRetries } from '../../src/deliveries/outbox.store.ts';
import { ResultWriter } from '../../src/deliveries/result-writer.ts';
import { deleteExpired, deleteRemovals } from '../../src/engine/housekeeping.store.ts';
import { Housekeeping } from '../../src/engine/housekeeping.ts';
import { findLateSince } from '../../src/engine/lateness-monitor.ts';
import { listRunningActivities } from '../../src/engine/nudge-targets.store.ts';
import { SetBackClock } from '../../src/engine/set-back-clock.ts';
import { claimDueTasks, findNextFireAt, supersedeDeliveries } from '../../src/engine/sweep.store.ts';
import { fixedBatchSize } from '../../src/lib/batch-size.ts';
import { lowestIdAt, newId } from '../../src/lib/ids.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { countHeldByPause } from '../../src/tasks/timeline/timeline.store.ts';
import { insertDueTasks } from '../support/due-tasks.ts';
import { createDatabase, onEveryEngine, onlyOn } from '../support/engines.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { addDevice, FakePhones } from '../support/fake-phones.ts';
import { createPerson, signIn } from '../support/people.ts';
import { recordQueries } from '../support/recorded-queries.ts';
import { startScenario } from '../support/scenario.ts';
import { storedDelivery } from '../support/stored-delivery.ts';
import { startTestApp } from '../support/test-app.ts';

const DUE = { due_at: '2026-03-02T10:00:00Z', has_time: true };

type Task = Parameters<typeof storedDelivery>[0];

/** A push that waits for its next attempt. */
const insertWaiting = (db: Db, task: Task, waits_for: WaitsFor | null, at: Date) =>
  db
    .insertInto('deliveries')
    .values(storedDelivery(task, { provider: 'apns', waits_for, created_at: at }))
    .execute();

onEveryEngine((engine, it) => {
  test('health reports the lag of the most overdue nudge, and fails after a minute', async () => {
    await using scenario = await startScenario(engine);
    const { app } = scenario;
    await scenario.create(DUE);
    const health = () => app.ask({ method: 'GET', url: '/health' });
    const fresh = (await health()).body.data.engine;
    assert.deepEqual(fresh, { lag_seconds: 0, last_sweep_at: '2026-03-02T09:00:00.000Z' });
    await app.engine?.stop();
    app.clock.set('2026-03-02T10:00:59Z');
    assert.equal((await health()).body.data.engine.lag_seconds, 59);
    app.clock.set('2026-03-02T10:01:01Z');
    const { status, body } = await health();
    assert.equal(status, 503);
    assert.match(body.error, /^engine_late: /);
  });

  it('after a clock that ran ahead is set back, a task nudged too early is nudged at its moment, and a climbing one climbs on', async () => {
    await using scenario = await startScenario(engine);
    const { app } = scenario;
    const climbing = await scenario.create({ ...DUE, due_at: '2026-03-02T08:00:00Z' });
    const later = await scenario.create({ ...DUE, mode: 'notify_once' });
    await app.clock.advance('1m');
    app.clock.set('2026-03-02T12:00:00Z');
    app.engine?.wakeUp();
    await app.clock.advance('1s');
    const during = await scenario.create({ title: 'made by the wrong clock' });
    await scenario.ada.ask('PATCH', `/v1/tasks/${during.id}`, { ...DUE, due_at: '2026-03-02T09:30:00Z' });
    app.clock.set('2026-03-02T09:02:00Z');
    app.engine?.wakeUp();
    await app.clock.advance('1s');
    const read = async (id: string) => (await scenario.ada.ask('GET', `/v1/tasks/${id}`)).body.data;
    const moments = await Promise.all([climbing, later, during].map(async ({ id }) => (await read(id)).next_fire_at));
    assert.deepEqual(moments, ['2026-03-02T09:17:00.000Z', '2026-03-02T10:00:00.000Z', '2026-03-02T09:30:00.000Z']);
    await app.clock.advance('2h');
    const { nudge_count, escalation_stage, last_nudge_at } = await read(later.id);
    assert.deepEqual([nudge_count, escalation_stage, last_nudge_at], [2, 0, '2026-03-02T10:00:00.000Z']);
    assert.ok((await read(climbing.id)).nudge_count > 4);
  });

  // A hold, an understudy or a fall in the timeline must not hide it (seed 99).
  for (const isInTimeline of [false, true]) {
    it(`a process that starts after the clock was set back plans again what the wrong clock had moved${isInTimeline ? ', also after a hold, an understudy or a fall' : ''}`, async () => {
      await using scenario = await startScenario(engine);
      const { app } = scenario;
      const at = new Date('2026-03-02T08:00:00Z');
      // Tasks are read in pages of a thousand, and this one is on the second.
      await insertDueTasks(app.db, { tasks: 1_000, owners: 1, dueAt: new Date('2027-03-02'), withDevices: false });
      await app.db.updateTable('tasks').set({ run_started_at: at, updated_at: at }).execute();
      const { id: task_id, owner_id } = await scenario.create({ ...DUE, due_at: '2026-03-02T08:00:00Z' });
      app.clock.set('2026-03-02T12:00:00Z');
      app.engine?.wakeUp();
      await app.clock.advance('1s');
      await app.engine?.stop();
      for (const kind of isInTimeline ? (['held', 'understudy', 'fell_back'] as const) : []) {
        const id = kind === 'fell_back' ? `ffff${newId().slice(4)}` : newId();
        await app.db.insertInto('timeline').values({ id, task_id, owner_id, at, kind }).execute();
      }
      app.clock.set('2026-03-02T09:02:00Z');
      const started = new SetBackClock(app.db, app.clock, createLogger('silent'));
      await started.correctPlans(new AbortController().signal);
      assert.equal((await scenario.read(task_id)).next_fire_at, '2026-03-02T09:17:00.000Z');
    });
  }

  it('a retraction that waited into the next run names the message of its own, unless that of the next was accepted', async () => {
    await using scenario = await startScenario(engine);
    const { db } = scenario.app;
    const task = await scenario.create(DUE);
    const { run } = await db.selectFrom('tasks').select('run').where('id', '=', task.id).executeTakeFirstOrThrow();
    const namedBeside = async (status: 'pending' | 'sent', present: string) => {
      const target_id = newId();
      const show = (of: number, row: { readonly status: 'pending' | 'sent'; readonly ref: string }) =>
        db
          .insertInto('deliveries')
          .values(storedDelivery(task, { target_id, run: of, nudge: of, ...row }))
          .execute();
      await show(run - 1, { status: 'sent', ref: 'former' });
      await show(run, { status, ref: present });
      return listRefs(db, { entry_id: newId(), target_id, kind: 'retract', task_id: task.id });
    };
    assert.deepEqual(await namedBeside('pending', 'present'), ['former'], 'nobody knows whether it was replaced');
    assert.deepEqual(await namedBeside('sent', 'present'), [], 'it has been replaced');
    assert.deepEqual(await namedBeside('pending', 'former'), [], 'both have one name');
  });

  it('a retraction is no reason to forget a message that it did not name (seed 2015)', async () => {
    await using scenario = await startScenario(engine);
    const { db } = scenario.app;
    const task = await scenario.create(DUE);
    const [channel, retracting] = [newId(), newId()];
    const insert = async (kind: 'nudge' | 'retract', nudge: number, status: 'sent' | 'pending', id = newId()) => {
      const ref = kind === 'nudge' ? id : null;
      const key = { entry_id: id, target_id: channel, kind };
      await db
        .insertInto('deliveries')
        .values(storedDelivery(task, { ...key, nudge, status, ref }))
        .execute();
      return id;
    };
    await insert('nudge', 1, 'sent');
    const accepted = await insert('nudge', 2, 'sent');
    await insert('retract', 2, 'pending', accepted);
    await insert('retract', 2, 'sent', retracting);
    const next = await insert('nudge', 3, 'sent');
    await forgetRetracted(db, [{ entry_id: retracting, target_id: channel, kind: 'retract', ref: null }]);
    const known = await db.selectFrom('deliveries').select('ref').where('ref', 'is not', null).execute();
    assert.deepEqual(new Set(known.map(({ ref }) => ref)), new Set([accepted, next]));
    await db.updateTable('deliveries').set({ status: 'sent' }).where('entry_id', '=', accepted).execute();
    await forgetRetracted(db, [{ entry_id: accepted, target_id: channel, kind: 'retract', ref: null }]);
    const left = await db.selectFrom('deliveries').select('ref').where('ref', 'is not', null).execute();
    assert.deepEqual(left, [{ ref: next }]);
    // Somebody answered while another message of the same run was on its way (seed 303840).
    const late = await insert('nudge', 4, 'sent');
    await insert('retract', 4, 'sent', late);
    await forgetRetracted(db, [{ entry_id: late, target_id: channel, kind: 'retract', ref: null }]);
    const shown = await db.selectFrom('deliveries').select('ref').where('ref', 'is not', null).execute();
    assert.deepEqual(shown, [{ ref: next }]);
  });

  for (const [kind, retraction] of [
    ['nudge', 'retract'],
    ['request', 'request_retract'],
  ] as const) {
    test(`a ${kind} accepted after it was dealt with is taken back without a poll (seed 18570)`, async () => {
      await using scenario = await startScenario(engine);
      const { db, clock } = scenario.app;
      const task = await scenario.create(DUE);
      const key = { entry_id: newId(), target_id: newId(), kind };
      const attempt = { attempts: 1, next_attempt_at: clock.now() };
      await db
        .insertInto('deliveries')
        .values(storedDelivery(task, { ...key, provider: 'ntfy', status: 'cancelled' }))
        .execute();
      let wakes = 0;
      const results = new ResultWriter(db, clock, fixedBatchSize, createLogger('error'), () => {
        wakes += 1;
      });
      const row = { ...key, ...attempt, status: 'sent', waits_for: null, reason: null, ref: 'message' } as const;
      results.write({ row, deadToken: null, channel: null, onStored: () => undefined });
      await results.close();
      assert.equal(wakes, 1);
      const [waiting] = await db.selectFrom('deliveries').select('kind').where('status', '=', 'pending').execute();
      assert.equal(waiting?.kind, retraction);
    });
  }

  test('a retraction takes back the messages of runs that are over, and leaves those of the one that goes on (seed 100810)', async () => {
    await using scenario = await startScenario(engine);
    const { db } = scenario.app;
    const task = await scenario.create(DUE);
    const [task_id, target_id] = [task.id, newId()];
    const key = (entry_id: string, kind: 'nudge' | 'retract') => ({ entry_id, target_id, kind, task_id });
    const insert = async (run: number, nudge: number, status: 'sent' | 'superseded') => {
      const ref = status === 'sent' ? `${nudge}` : null;
      const row = storedDelivery(task, { target_id, run, nudge, status, ref });
      await db.insertInto('deliveries').values(row).execute();
      return row.entry_id;
    };
    const refs = (entryId: string) => listRefs(db, key(entryId, 'retract'));
    const early = await insert(0, 1, 'sent');
    assert.deepEqual(await refs(newId()), ['1']);
    const replaced = await insert(1, 2, 'superseded');
    await insert(1, 3, 'sent');
    assert.deepEqual(await listRefs(db, key(newId(), 'nudge')), ['3', '1']);
    assert.deepEqual(await refs(newId()), [], 'the message of the present run has replaced the one before it');
    assert.deepEqual(await refs(early), ['1'], 'unless that was accepted later');
    await db.updateTable('deliveries').set({ ref: 'task' }).where('ref', 'is not', null).execute();
    assert.deepEqual(await refs(early), [], 'both have the same name');

    const accepted = [{ ...key(replaced, 'nudge'), ref: '2' }];
    assert.equal(await retractCancelled(db, accepted), false, 'the next nudge replaces it');
    await scenario.ada.ask('POST', `/v1/tasks/${task_id}/complete`);
    assert.equal(await retractCancelled(db, accepted), true);
    assert.deepEqual(await refs(newId()), ['task', 'task']);
  });

  test('a nudge of an ended run is none of the next one, whatever the clock showed (seeds 577420, 563211 and 581115)', async () => {
    await using scenario = await startScenario(engine);
    const { app } = scenario;
    const [snoozed, done, present] = await Promise.all(
      ['a', 'b', 'c'].map((title) => scenario.create({ ...DUE, title })),
    );
    const target_id = newId();
    const at = (time: string) => new Date(`2026-03-02T${time}:00Z`);
    const show = (task: Task, run: number, nudge: number, time: string) =>
      app.db
        .insertInto('deliveries')
        .values(storedDelivery(task, { target_id, run, nudge, status: 'sent', ref: time, created_at: at(time) }))
        .execute();
    const takenBack = ({ id: task_id }: Task) =>
      listRefs(app.db, { entry_id: newId(), target_id, kind: 'retract', task_id });
    for (const task of [snoozed, done, present]) await show(task, 1, 1, '10:00');
    const act = (task: Task, name: string, body = {}) => scenario.ada.ask('POST', `/v1/tasks/${task.id}/${name}`, body);
    await act(snoozed, 'snooze', { until: '2026-03-02T12:00:00Z' });
    await act(done, 'complete');
    await act(done, 'reopen');
    const states = await listFallbackStates(
      app.db,
      [snoozed, done, present].map(({ id }) => id),
    );
    const key = fallbackKey(present.id, scenario.ada.userId);
    assert.deepEqual([...states], [[key, { unansweredSince: at('10:00'), reachedTier: 0 }]]);
    for (const task of [snoozed, done]) assert.deepEqual(await takenBack(task), ['10:00']);
    assert.deepEqual(await takenBack(present), [], 'its run goes on');
    await show(snoozed, 2, 2, '09:30');
    assert.deepEqual(await takenBack(snoozed), [], 'the message of the present run has replaced it');
  });

  test('the end of an outage hastens retries, and nothing that waits for something else (seed 123086)', async () => {
    await using scenario = await startScenario(engine);
    const { db, clock } = scenario.app;
    const task = await scenario.create(DUE);
    const now = clock.now();
    const at = new Date(now.getTime() + 60_000);
    const others = ['hold', 'suspension', 'tier', 'budget', 'capacity', null] as const;
    for (const waitsFor of ['retry', ...others] as const) await insertWaiting(db, task, waitsFor, at);
    assert.deepEqual(await hastenRetries(db, 'apns', { now, after: now, limit: 10 }), at);
    const left = await db.selectFrom('deliveries').select('waits_for').where('next_attempt_at', '>', now).execute();
    assert.deepEqual(new Set(left.map(({ waits_for }) => waits_for)), new Set(others));
  });

  test('the end of an outage hastens each retry once, some at a time', async () => {
    await using scenario = await startScenario(engine);
    const { db, clock } = scenario.app;
    const task = await scenario.create(DUE);
    const now = clock.now();
    const inSeconds = (seconds: number) => new Date(now.getTime() + seconds * 1_000);
    for (const seconds of [8, 60, 60, 60, 90]) await insertWaiting(db, task, 'retry', inSeconds(seconds));
    const hasten = (after: Date) => hastenRetries(db, 'apns', { now, after, limit: 2 });
    const countDue = async () =>
      (await db.selectFrom('deliveries').select('entry_id').where('next_attempt_at', '=', now).execute()).length;
    assert.deepEqual(await hasten(inSeconds(8)), inSeconds(60));
    assert.equal(await countDue(), 3, 'those of the same moment are not divided');
    assert.deepEqual(await hasten(inSeconds(60)), inSeconds(90));
    assert.equal(await countDue(), 4);
    assert.equal(await hasten(inSeconds(90)), null);
  });

  it('health allows an account with very many due tasks to wait for its turns, and nobody else', async () => {
    await using app = await startTestApp(engine);
    await app.engine?.stop();
    const health = async () => (await app.ask({ method: 'GET', url: '/health' })).status;
    const ago = (seconds: number) => new Date(app.clock.now().getTime() - seconds * 1_000);
    await insertDueTasks(app.db, { tasks: 501, owners: 1, dueAt: ago(120) });
    assert.equal(await health(), 200);
    await insertDueTasks(app.db, { tasks: 500, owners: 1, dueAt: ago(59) });
    assert.equal(await health(), 200);
    await app.clock.advance('2s');
    assert.equal(await health(), 503, 'an account with fewer tasks is a minute late');
    await app.db.updateTable('tasks').set({ next_fire_at: null }).where('due_at', '>', ago(100)).execute();
    assert.equal(await health(), 200);
    await app.clock.advance('1m');
    assert.equal(await health(), 503, 'no account may wait for longer than three minutes');
    await insertDueTasks(app.db, { tasks: 1, owners: 1, dueAt: ago(1) });
    assert.equal(await health(), 503, 'whoever else is on time');
    await app.db.updateTable('tasks').set({ next_fire_at: null }).execute();
    await insertDueTasks(app.db, { tasks: 10 * 501, owners: 10, dueAt: ago(70), withDevices: false });
    assert.equal(await health(), 200);
    await insertDueTasks(app.db, { tasks: 501, owners: 1, dueAt: ago(70), withDevices: false });
    assert.equal(await health(), 503, 'if more than ten accounts wait, the engine is too slow');
  });

  test('housekeeping deletes expired rows in batches, and never a task or its timeline', async () => {
    await using scenario = await startScenario(engine);
    const { app } = scenario;
    const { id } = await scenario.create({ ...DUE, due_at: '2026-03-02T08:00:00Z' });
    await scenario.ada.ask('POST', '/v1/auth/email/request', { email: 'someone@example.org' });
    const now = app.clock.now();
    const keys = Array.from({ length: 450 }, (_, index) => ({
      user_id: scenario.ada.userId,
      key_hash: `key ${index}`,
      request_hash: '',
      status: 200,
      answer: null,
      expires_at: new Date(now.getTime() - (index < 449 ? 1 : -1)),
    }));
    await app.db.insertInto('idempotency_keys').values(keys).execute();
    const removal = { viewer_id: scenario.ada.userId, task_id: id };
    await app.db
      .insertInto('task_removals')
      .values({ ...removal, changed_at: now })
      .execute();
    const code = { client_id: '', client_name: '', client_host: null, redirect_uri: '', challenge: '', rails: '{}' };
    const codes = [23, 25].map((hours) => ({
      ...code,
      code_hash: `expired ${hours} h ago`,
      user_id: scenario.ada.userId,
      expires_at: new Date(now.getTime() - hours * 3_600_000),
      token_id: null,
    }));
    await app.db.insertInto('connection_codes').values(codes).execute();
    const dead = await addDevice(app, scenario.ada.userId);
    await app.db.updateTable('devices').set({ valid: false }).where('id', '=', dead).execute();
    const housekeeping = new Housekeeping(app.db, app.clock);
    assert.equal(await housekeeping.runOnce(), 450);
    const known = await app.db.selectFrom('connection_codes').select('code_hash').execute();
    assert.deepEqual(known, [{ code_hash: 'expired 23 h ago' }], 'a second use must be noticed');
    assert.equal((await app.db.selectFrom('sessions').selectAll().execute()).length, 1);

    // The age of a delivery is read from its entry id.
    await app.db
      .updateTable('timeline')
      .set({ id: lowestIdAt(now) })
      .where('kind', '=', 'nudge')
      .execute();
    await app.db
      .updateTable('deliveries')
      .set({ entry_id: lowestIdAt(now) })
      .execute();
    await app.engine?.stop();
    app.clock.set('2026-05-31T08:59:00Z');
    await housekeeping.runOnce();
    assert.equal((await app.db.selectFrom('deliveries').selectAll().execute()).length, 1);
    assert.equal((await app.db.selectFrom('task_removals').selectAll().execute()).length, 1);
    app.clock.set('2026-05-31T09:01:00Z');
    await housekeeping.runOnce();
    for (const table of [
      'deliveries',
      'task_removals',
      'idempotency_keys',
      'email_codes',
      'sessions',
      'throttles',
    ] as const) {
      assert.equal((await app.db.selectFrom(table).selectAll().execute()).length, 0, table);
    }
    assert.equal((await app.db.selectFrom('tasks').selectAll().execute()).length, 1);
    const devices = await app.db.selectFrom('devices').select('id').execute();
    assert.deepEqual(devices, [{ id: scenario.device }], 'a phone that works is kept, however long ago it registered');
    app.clock.set('2026-05-31T09:02:00Z');
    const ada = await signIn(app, 'ada@example.org');
    const entries = (await ada.ask('GET', `/v1/tasks/${id}/timeline`)).body.data;
    const nudge = entries.find(({ kind }: { kind: string }) => kind === 'nudge');
    assert.deepEqual([nudge.kind, nudge.reached, nudge.deliveries], ['nudge', 'sent', []]);
  });

  it('once its deliveries are summed up, a nudge reached what it reached, whatever Live Activity it started', async () => {
    await using app = await startTestApp(engine);
    await app.engine?.stop();
    const ada = await createPerson(app);
    const { id: task_id } = (await ada.ask('POST', '/v1/tasks', { title: 'pills' })).body.data;
    const [at, owner_id] = [app.clock.now(), ada.userId];
    for (const [index, status] of (['failed_permanent', 'sent'] as const).entries()) {
      const id = lowestIdAt(new Date(at.getTime() + index));
      const entry = { id, task_id, owner_id, at, kind: 'nudge', run: 1, stage: 0, devices: 1 } as const;
      await app.db.insertInto('timeline').values(entry).execute();
      const about = { entry_id: id, created_at: at };
      const deliveries = [
        storedDelivery({ id: task_id, owner_id }, { ...about, status }),
        storedDelivery({ id: task_id, owner_id }, { ...about, kind: 'activity_start', status: 'sent' }),
      ];
      await app.db.insertInto('deliveries').values(deliveries).execute();
    }
    const reached = async () => {
      const { data } = (await (await signIn(app, ada.email)).ask('GET', `/v1/tasks/${task_id}/timeline`)).body;
      return data.flatMap(({ reached }: { reached: string | null }) => reached ?? []).toSorted();
    };
    assert.deepEqual(await reached(), ['failed', 'sent']);
    const later = new FakeClock(new Date(at.getTime() + 91 * 86_400_000).toISOString());
    await new Housekeeping(app.db, later).runOnce();
    assert.equal((await app.db.selectFrom('deliveries').selectAll().execute()).length, 0);
    assert.deepEqual(await reached(), ['failed', 'sent']);
  });

  test('every query of the engine uses an index, however many tasks are planned', async () => {
    await using app = await startTestApp(engine);
    await app.engine?.stop();
    const now = app.clock.now();
    await insertDueTasks(app.db, {
      tasks: 20_000,
      owners: 200,
      dueAt: new Date(now.getTime() + 86_400_000),
      intervalMs: 60_000,
    });
    await insertDueTasks(app.db, { tasks: 50, owners: 5, dueAt: now });
    await sql`insert into deliveries (entry_id, target_id, kind, task_id, recipient_id, run, nudge, provider, stage, status, attempts, next_attempt_at, created_at)
      select id, owner_id, 'nudge', id, owner_id, 1, 1, 'apns', 0, case when due_at = ${now} then 'pending' else 'sent' end, 1, due_at, due_at
      from tasks`.execute(app.db);
    await sql`analyze`.execute(app.db);
    const { queries, spy } = recordQueries(app.db);
    const ids = [newId(), newId()];
    await findNextFireAt(spy);
    await claimDueTasks(spy, now, 500, []);
    await claimDueTasks(spy, now, 500, ids);
    await findLateSince(spy, new Date(now.getTime() + 60_000));
    await supersedeDeliveries(spy, ids);
    await listRunningActivities(spy, ids, now);
    const lease = { now, until: now, newestMigration: '9999', limit: 500 };
    const some = { owners: ids, servers: ['https://full.example'], pairs: [pairOf(newId(), 'https://shared.example')] };
    for (const except of [NOTHING, some]) {
      await findNextAttemptAt(spy, 'apns', except);
      await listDue(spy, 'apns', { ...lease, except });
      await leaseDeliveries(spy, 'apns', { ...lease, except });
    }
    await leaseChosen(spy, [{ entry_id: newId(), target_id: newId(), kind: 'nudge' }], lease);
    await hastenDeliveries(spy, 'apns', now, now);
    await hastenRetries(spy, 'apns', { now, after: now, limit: 500 });
    await countHeldByPause(spy, newId(), { paused_from: now, paused_until: now });
    await deleteExpired(spy, 'sessions', now, 200);
    await deleteRemovals(spy, now, 200);
    assert.equal(queries.length, 21);
    for (const { sql: text, parameters } of queries) {
      const explain = engine === 'postgres' ? 'explain' : 'explain query plan';
      const { rows } = await app.db.executeQuery(CompiledQuery.raw(`${explain} ${text}`, [...parameters]));
      const plan = rows.map((row) => JSON.stringify(row)).join('\n');
      assert.match(plan, /Index|USING (COVERING )?INDEX|USING PRIMARY KEY/, `${text}: ${plan}`);
      assert.doesNotMatch(
        plan,
        /Seq Scan|"SCAN (?!json_each|oldest|due|waiting)|TEMP B-TREE FOR ORDER/,
        `${text}: ${plan}`,
      );
    }
  });
});

onlyOn('postgres', () => {
  test('a task created in one process wakes the engine of another', async () => {
    const database = await createDatabase('postgres');
    {
      const clock = new FakeClock();
      const phone = new FakePhones(clock);
      const shared = { clock, databaseUrl: database.url };
      await using api = await startTestApp('postgres', { ...shared, settings: { ROLE: 'api' } });
      await using engine = await startTestApp('postgres', {
        ...shared,
        settings: { ROLE: 'engine' },
        extra: { gateways: { apns: phone } },
      });
      assert.equal(api.engine, undefined);
      assert.equal((await engine.ask({ method: 'GET', url: '/v1/tasks' })).status, 404);
      assert.equal((await engine.ask({ method: 'GET', url: '/health' })).status, 200);
      const ada = await createPerson(api, 'ada@example.org');
      await addDevice(api, ada.userId);
      const shown = Promise.withResolvers<void>();
      phone.answer = () => {
        shown.resolve();
        return { kind: 'accepted' };
      };
      await ada.ask('POST', '/v1/tasks', { title: 'pills', ...DUE, due_at: '2026-03-02T08:00:00Z' });
      await shown.promise;
      await engine.engine?.settled();
      assert.equal(phone.take().length, 1);
    }
    await database.drop();
  });
});
