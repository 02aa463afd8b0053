import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CompiledQuery, sql } from 'kysely';
import type { Db } from '../../src/db/schema.ts';
import { listFallbackStates } from '../../src/deliveries/fallback.store.ts';
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
import { startTestApp } from '../support/test-app.ts';

const DUE = { due_at: '2026-03-02T10:00:00Z', has_time: true };

/** A push that waits for its next attempt. */
async function insertRetry(
  db: Db,
  task_id: string,
  { at, reason, attempts = 3 }: { at: Date; reason: string | null; attempts?: number },
) {
  const key = { entry_id: newId(), target_id: newId(), kind: 'nudge', task_id } as const;
  const about = { provider: 'apns', stage: 0, created_at: at, status: 'pending', reason } as const;
  await db
    .insertInto('deliveries')
    .values({ ...key, ...about, attempts, next_attempt_at: at })
    .execute();
}

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

  it('a process that starts after the clock was set back plans again what the wrong clock had moved', async () => {
    await using scenario = await startScenario(engine);
    const { app } = scenario;
    const climbing = await scenario.create({ ...DUE, due_at: '2026-03-02T08:00:00Z' });
    app.clock.set('2026-03-02T12:00:00Z');
    app.engine?.wakeUp();
    await app.clock.advance('1s');
    await app.engine?.stop();
    app.clock.set('2026-03-02T09:02:00Z');
    const started = new SetBackClock(app.db, app.clock, createLogger('silent'));
    await started.correctPlans(new AbortController().signal);
    assert.equal((await scenario.read(climbing.id)).next_fire_at, '2026-03-02T09:17:00.000Z');
  });

  it('a hold or a fall in the timeline does not hide from a starting process that the clock was set back (seed 99)', async () => {
    await using scenario = await startScenario(engine);
    const { app } = scenario;
    const climbing = await scenario.create({ ...DUE, due_at: '2026-03-02T08:00:00Z' });
    app.clock.set('2026-03-02T12:00:00Z');
    app.engine?.wakeUp();
    await app.clock.advance('1s');
    await app.engine?.stop();
    const at = new Date('2026-03-02T08:00:00Z');
    const { owner_id } = await scenario.read(climbing.id);
    for (const [id, kind] of [[newId(), 'held'] as const, [`ffff${newId().slice(4)}`, 'fell_back'] as const])
      await app.db.insertInto('timeline').values({ id, task_id: climbing.id, owner_id, at, kind }).execute();
    app.clock.set('2026-03-02T09:02:00Z');
    const started = new SetBackClock(app.db, app.clock, createLogger('silent'));
    await started.correctPlans(new AbortController().signal);
    assert.equal((await scenario.read(climbing.id)).next_fire_at, '2026-03-02T09:17:00.000Z');
  });

  it('a retraction is no reason to forget a message that it did not name (seed 2015)', async () => {
    await using scenario = await startScenario(engine);
    const { db } = scenario.app;
    const task = await scenario.create(DUE);
    const [channel, retracting] = [newId(), newId()];
    const at = (second: number) => new Date(Date.UTC(2026, 2, 2, 9, 0, second));
    const insert = async (kind: 'nudge' | 'retract', second: number, status: 'sent' | 'pending', id = newId()) => {
      const ref = kind === 'nudge' ? id : null;
      const row = {
        entry_id: id,
        target_id: channel,
        kind,
        task_id: task.id,
        owner_id: task.owner_id,
        stage: 0,
        status,
      };
      const values = { ...row, provider: 'ntfy', attempts: 1, next_attempt_at: at(0), created_at: at(second), ref };
      await db.insertInto('deliveries').values(values).execute();
      return id;
    };
    await insert('nudge', 1, 'sent');
    const accepted = await insert('nudge', 2, 'sent');
    await insert('retract', 2, 'pending', accepted);
    await insert('retract', 3, 'sent', retracting);
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

  test('a message accepted after its task was dealt with is taken back without a poll (seed 18570)', async () => {
    await using scenario = await startScenario(engine);
    const { db, clock } = scenario.app;
    const task = await scenario.create(DUE);
    const key = { entry_id: newId(), target_id: newId(), kind: 'nudge' } as const;
    const attempt = { attempts: 1, next_attempt_at: clock.now() };
    await db
      .insertInto('deliveries')
      .values({
        ...key,
        ...attempt,
        task_id: task.id,
        owner_id: task.owner_id,
        provider: 'ntfy',
        stage: 0,
        status: 'cancelled',
        created_at: clock.now(),
      })
      .execute();
    let wakes = 0;
    const results = new ResultWriter(db, clock, fixedBatchSize, createLogger('error'), () => {
      wakes += 1;
    });
    const row = { ...key, ...attempt, status: 'sent', reason: null, ref: 'message' } as const;
    results.write({ row, deadToken: null, channel: null, onStored: () => undefined });
    await results.close();
    assert.equal(wakes, 1);
    const [waiting] = await db.selectFrom('deliveries').select('kind').where('status', '=', 'pending').execute();
    assert.equal(waiting?.kind, 'retract');
  });

  test('a retraction takes back the messages of runs that are over, and leaves those of the one that goes on (seed 100810)', async () => {
    await using scenario = await startScenario(engine);
    const { db } = scenario.app;
    const { id: task_id, owner_id } = await scenario.create(DUE);
    const target_id = newId();
    const at = (time: string) => new Date(`2026-03-02T${time}:00Z`);
    const key = (entry_id: string, kind: 'nudge' | 'retract') => ({ entry_id, target_id, kind, task_id });
    const shown = { owner_id, provider: 'ntfy', stage: 0, attempts: 1, next_attempt_at: at('08:00') };
    const insert = async (time: string, status: 'sent' | 'superseded') => {
      const [entry_id, ref] = [newId(), status === 'sent' ? time : null];
      const values = { ...key(entry_id, 'nudge'), ...shown, status, created_at: at(time), ref };
      await db.insertInto('deliveries').values(values).execute();
      return entry_id;
    };
    const refs = (entryId: string, now = '10:00') => listRefs(db, key(entryId, 'retract'), at(now));
    const early = await insert('08:30', 'sent');
    assert.deepEqual(await refs(newId()), ['08:30']);
    const replaced = await insert('09:20', 'superseded');
    await insert('09:30', 'sent');
    assert.deepEqual(await listRefs(db, key(newId(), 'nudge'), at('10:00')), ['09:30', '08:30']);
    assert.deepEqual(await refs(newId()), [], 'the message of the present run has replaced the one before it');
    assert.deepEqual(await refs(early), ['08:30'], 'unless that was accepted later');
    assert.deepEqual(await refs(newId(), '09:25'), ['09:30', '08:30'], 'both are from before the clock was set back');
    await db.updateTable('deliveries').set({ ref: 'task' }).where('ref', 'is not', null).execute();
    assert.deepEqual(await refs(early), [], 'both have the same name');

    const accepted = [{ ...key(replaced, 'nudge'), ref: '09:20' }];
    assert.equal(await retractCancelled(db, accepted), false, 'the next nudge replaces it');
    await scenario.ada.ask('POST', `/v1/tasks/${task_id}/complete`);
    assert.equal(await retractCancelled(db, accepted), true);
    assert.deepEqual(await refs(newId()), ['task', 'task']);
  });

  test('a clock that was set back makes no nudge of an ended run one of the next (seeds 577420, 563211 and 581115)', async () => {
    await using scenario = await startScenario(engine);
    const { app } = scenario;
    const tasks: { readonly id: string; readonly owner_id: string }[] = [];
    for (const title of [
      'snoozed before',
      'at once',
      'after the correction',
      'done before',
      'goes on',
      'answered before',
    ])
      tasks.push(await scenario.create({ ...DUE, title }));
    const [before = '', atOnce = '', after = '', done = '', present = '', answered = ''] = tasks.map(({ id }) => id);
    await app.engine?.stop();
    const target_id = newId();
    const at = (time: string) => new Date(`2026-03-02T${time}:00Z`);
    const show = async (time: string, shown = tasks) => {
      const sent = { stage: 0, status: 'sent', attempts: 1, next_attempt_at: at(time), ref: time } as const;
      for (const { id: task_id, owner_id } of shown) {
        const key = { entry_id: newId(), target_id, kind: 'nudge', task_id } as const;
        const values = { ...key, ...sent, owner_id, provider: 'ntfy', created_at: at(time) } as const;
        await app.db.insertInto('deliveries').values(values).execute();
        const climbing = { step: 1, last_nudge_at: at(time) };
        await app.db.updateTable('tasks').set(climbing).where('id', '=', task_id).execute();
      }
    };
    const takenBack = (task_id: string) =>
      listRefs(app.db, { entry_id: newId(), target_id, kind: 'retract', task_id }, at('10:05'));
    const act = (id: string, name: string, body = {}) => scenario.ada.ask('POST', `/v1/tasks/${id}/${name}`, body);
    await show('10:00');
    app.clock.set('2026-03-02T10:01:00Z');
    const setBackClock = new SetBackClock(app.db, app.clock, createLogger('silent'));
    await setBackClock.correctPlans(new AbortController().signal);
    await act(before, 'snooze', { until: '2026-03-02T12:00:00Z' });
    await act(done, 'complete');
    const seen = { acked_at: app.clock.now(), confirmed_at: app.clock.now() };
    await app.db.updateTable('deliveries').set(seen).where('task_id', '=', answered).execute();
    app.clock.set('2026-03-02T09:51:00Z');
    await act(atOnce, 'snooze', { until: '2026-03-02T12:00:00Z' });
    await setBackClock.correctPlans(new AbortController().signal);
    await act(after, 'snooze', { until: '2026-03-02T12:00:00Z' });
    await act(done, 'reopen');
    await show('09:55', tasks.slice(5));
    const states = await listFallbackStates(
      app.db,
      tasks.map(({ id }) => id),
    );
    const unanswered = [present, answered].map((id) => states.get(id)?.unansweredSince);
    assert.deepEqual([states.size, ...unanswered], [2, new Date(at('09:51').getTime() - 1), at('09:55')]);
    for (const id of [before, atOnce, after, done]) assert.deepEqual(await takenBack(id), ['10:00']);
    assert.deepEqual(await takenBack(present), [], 'its run goes on');
    await show('10:02', tasks.slice(0, 1));
    assert.deepEqual(await takenBack(before), [], 'the message of the present run has replaced it');
  });

  test('a heads-up that waits or was sent when the clock is set back is one of its run (seed 584470)', async () => {
    await using scenario = await startScenario(engine);
    const { app } = scenario;
    const due_at = '2026-03-03T10:00:00Z';
    const early = await scenario.create({ ...DUE, due_at });
    await app.engine?.stop();
    app.clock.set('2026-03-02T10:00:00Z');
    const now = app.clock.now();
    const setBackClock = new SetBackClock(app.db, app.clock, createLogger('silent'));
    await setBackClock.correctPlans(new AbortController().signal);
    const late = await scenario.create({ ...DUE, due_at });
    for (const [{ id: task_id, owner_id }, status] of [
      [early, 'sent'],
      [early, 'pending'],
      [late, 'pending'],
    ] as const) {
      const nudged = { last_nudge_at: now, heads_up_at: now };
      await app.db.updateTable('tasks').set(nudged).where('id', '=', task_id).execute();
      const key = { entry_id: newId(), target_id: newId(), kind: 'nudge', task_id } as const;
      const push = { owner_id, status, provider: 'apns', stage: -1, attempts: 1, next_attempt_at: now } as const;
      const values = { ...key, ...push, created_at: now };
      await app.db.insertInto('deliveries').values(values).execute();
    }
    app.clock.set('2026-03-02T09:51:00Z');
    await setBackClock.correctPlans(new AbortController().signal);
    const rows = await app.db
      .selectFrom('deliveries')
      .innerJoin('tasks', 'tasks.id', 'deliveries.task_id')
      .select(['deliveries.created_at', 'run_started_at'])
      .execute();
    assert.equal(rows.length, 3);
    for (const { created_at, run_started_at } of rows)
      assert.ok(created_at >= run_started_at && created_at <= app.clock.now());
  });

  test('the end of an outage does not hasten what a hold keeps, which would be due again and again (seed 123086)', async () => {
    await using scenario = await startScenario(engine);
    const { db, clock } = scenario.app;
    const { id } = await scenario.create(DUE);
    const now = clock.now();
    const [after, at] = [new Date(now.getTime() + 8_000), new Date(now.getTime() + 60_000)];
    for (const reason of ['timeout', 'held', 'suspended', null]) await insertRetry(db, id, { at, reason });
    assert.deepEqual(await hastenRetries(db, 'apns', { now, after, limit: 10 }), at);
    const left = await db.selectFrom('deliveries').select('reason').where('next_attempt_at', '>', now).execute();
    assert.deepEqual(new Set(left.map(({ reason }) => reason)), new Set(['held', 'suspended']));
  });

  test('the end of an outage hastens what was not sent, and nothing that waits for its tier or its budget', async () => {
    await using scenario = await startScenario(engine);
    const { db, clock } = scenario.app;
    const { id } = await scenario.create(DUE);
    const now = clock.now();
    const at = new Date(now.getTime() + 60_000);
    for (const reason of ['server_busy', 'service_silent', 'unanswered', 'failed_before', null]) {
      await insertRetry(db, id, { at, reason, attempts: 0 });
    }
    assert.deepEqual(await hastenRetries(db, 'apns', { now, after: now, limit: 10 }), at);
    const left = await db.selectFrom('deliveries').select('reason').where('next_attempt_at', '>', now).execute();
    assert.deepEqual(new Set(left.map(({ reason }) => reason)), new Set(['unanswered', 'failed_before', null]));
  });

  test('the end of an outage hastens each retry once, some at a time, and none that may be in flight', async () => {
    await using scenario = await startScenario(engine);
    const { db, clock } = scenario.app;
    const { id } = await scenario.create(DUE);
    const now = clock.now();
    const inSeconds = (seconds: number) => new Date(now.getTime() + seconds * 1_000);
    for (const seconds of [5, 60, 60, 60, 90]) await insertRetry(db, id, { at: inSeconds(seconds), reason: null });
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
    const housekeeping = new Housekeeping(app.db, app.clock);
    assert.equal(await housekeeping.runOnce(), 449);
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
    app.clock.set('2026-05-31T09:02:00Z');
    const ada = await signIn(app, 'ada@example.org');
    const entries = (await ada.ask('GET', `/v1/tasks/${id}/timeline`)).body.data;
    const nudge = entries.find(({ kind }: { kind: string }) => kind === 'nudge');
    assert.deepEqual([nudge.kind, nudge.reached, nudge.deliveries], ['nudge', 'sent', []]);
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
    await sql`insert into deliveries (entry_id, target_id, kind, task_id, provider, stage, status, attempts, next_attempt_at, created_at)
      select id, owner_id, 'nudge', id, 'apns', 0, case when due_at = ${now} then 'pending' else 'sent' end, 1, due_at, due_at
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
    const lease = { now, until: now, limit: 500 };
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
