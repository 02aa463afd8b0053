/** Clocks that differ: those of two processes after theirs was set, and the service's from real time. */
import assert from 'node:assert/strict';
import { preparePushes } from '../../src/deliveries/outbox.ts';
import { SetBackClock } from '../../src/engine/set-back-clock.ts';
import { lowestIdAt, newId } from '../../src/lib/ids.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { announcedBy } from '../support/announced.ts';
import { onEveryEngine } from '../support/engines.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { addDevice, FakePhones } from '../support/fake-phones.ts';
import { createPerson } from '../support/people.ts';
import { startScenario } from '../support/scenario.ts';
import { channelRow } from '../support/stored-channel.ts';
import { startTestApp } from '../support/test-app.ts';

const DUE = { due_at: '2026-03-02T10:00:00Z', has_time: true };
const SPEED = 20;

onEveryEngine((engine, it) => {
  it('what an API starts that follows a clock set back later than the engine is planned again', async () => {
    await using scenario = await startScenario(engine, '2026-03-02T12:00:00Z');
    const { app } = scenario;
    await app.engine?.stop();
    const clock = new FakeClock('2026-03-02T12:00:00Z');
    const engineClock = new SetBackClock(app.db, clock, createLogger('silent'));
    const correctPlans = () => engineClock.correctPlans(new AbortController().signal);
    await correctPlans();
    clock.set('2026-03-02T09:00:00Z');
    await correctPlans();
    const { id } = await scenario.create({ ...DUE, due_at: '2026-03-02T09:30:00Z' });
    const nextOf = async () => (await scenario.read(id)).next_fire_at;
    assert.equal(await nextOf(), '2026-03-02T12:00:00.000Z');
    app.clock.set('2026-03-02T09:00:50Z');
    const inStep = await scenario.create({ ...DUE, due_at: '2026-03-02T09:00:20Z' });
    clock.set('2026-03-02T09:00:50Z');
    await correctPlans();
    assert.equal(await nextOf(), '2026-03-02T12:00:00.000Z');
    clock.set('2026-03-02T09:01:20Z');
    await correctPlans();
    assert.equal(await nextOf(), '2026-03-02T09:30:00.000Z');
    assert.equal((await scenario.read(inStep.id)).next_fire_at, '2026-03-02T09:00:50.000Z');
  });

  it('an engine that was down while the clock was set back plans again what an API started that followed later', async () => {
    await using scenario = await startScenario(engine, '2026-03-02T12:00:00Z');
    const { app } = scenario;
    await app.engine?.stop();
    const clock = new FakeClock('2026-03-02T09:00:00Z');
    const lines: string[] = [];
    const logger = createLogger('info', { write: (line) => void lines.push(line) });
    const engineClock = new SetBackClock(app.db, clock, logger);
    const correctAt = async (time: string) => {
      clock.set(`2026-03-02T${time}Z`);
      await engineClock.correctPlans(new AbortController().signal);
    };
    await correctAt('09:00:00');
    const { id } = await scenario.create({ ...DUE, due_at: '2026-03-02T09:30:00Z' });
    const nextOf = async () => (await scenario.read(id)).next_fire_at;
    await correctAt('09:01:14');
    assert.equal(await nextOf(), '2026-03-02T12:00:00.000Z');
    await correctAt('09:01:15');
    assert.equal(await nextOf(), '2026-03-02T09:30:00.000Z');
    assert.match(lines.join(), /"tasks":1,.*a process that followed the clock later/);
    await app.db
      .updateTable('tasks')
      .set({ run_started_at: new Date('2026-03-02T12:00:00Z') })
      .execute();
    await correctAt('09:03:00');
    assert.equal(lines.length, 1, 'once after a start');
  });

  it('after a clock was set back, a task starts over with its heads-up and its first stage, and apps hear of it', async () => {
    await using scenario = await startScenario(engine);
    const { db, clock } = scenario.app;
    const { id } = await scenario.create(DUE);
    const heads_ups = '[{"minutes":30}]';
    await scenario.app.engine?.stop();
    const ahead = new Date('2026-03-02T12:00:00Z');
    const climbed = { step: 4, escalation_stage: 2, last_nudge_at: ahead, heads_up_at: ahead, changed_at: new Date(0) };
    await db
      .updateTable('tasks')
      .set({ ...climbed, heads_ups, next_fire_at: ahead, wanted_at: ahead })
      .execute();
    const entry = { id: newId(), task_id: id, owner_id: scenario.ada.userId, at: ahead, kind: 'nudge' } as const;
    // The newest one is from a process that had not followed the clock when it ran ahead.
    const behind = { ...entry, id: lowestIdAt(new Date(Date.now() + 60_000)), at: clock.now() };
    await db.insertInto('timeline').values([entry, behind]).execute();
    const lines: string[] = [];
    const logger = createLogger('info', { write: (line) => void lines.push(line) });
    const setBack = new SetBackClock(db, clock, logger);
    const correct = () => setBack.correctPlans(new AbortController().signal);
    const told = await announcedBy(scenario.app, correct);
    assert.ok(told.has(scenario.ada.userId), 'open apps and held messages follow at once');
    for (let count = 0; count < 2; count += 1) await correct();
    assert.equal(lines.length, 1, 'all tasks are read once');
    const task = await db.selectFrom('tasks').selectAll().executeTakeFirstOrThrow();
    const moment = new Date('2026-03-02T09:30:00Z');
    assert.deepEqual([task.step, task.escalation_stage, task.heads_up_at], [0, 0, null]);
    assert.deepEqual([task.next_fire_at, task.wanted_at], [moment, moment]);
    assert.ok(task.changed_at > new Date(0));
  });

  it('a nudge that a hold by the wrong clock had moved comes at its moment, and what was edited climbs on', async () => {
    await using scenario = await startScenario(engine);
    const { app, ada } = scenario;
    await ada.ask('PATCH', '/v1/me', { quiet_hours_start: '22:00', quiet_hours_end: '07:00' });
    const { id } = await scenario.create(DUE);
    const climbing = await scenario.create({ ...DUE, due_at: '2026-03-02T08:00:00Z' });
    await app.clock.advance('50m');
    const before = await scenario.read(climbing.id);
    assert.ok(before.escalation_stage > 0);
    app.clock.set('2026-03-02T23:00:00Z');
    await ada.ask('PATCH', `/v1/tasks/${climbing.id}`, { title: 'edited' });
    app.engine?.wakeUp();
    await app.clock.advance('1s');
    assert.equal((await scenario.read(id)).next_fire_at, '2026-03-03T07:00:00.000Z');
    app.clock.set('2026-03-02T09:51:00Z');
    app.engine?.wakeUp();
    await app.clock.advance('1s');
    assert.equal((await scenario.read(id)).next_fire_at, '2026-03-02T10:00:00.000Z');
    const { escalation_stage, next_fire_at } = await scenario.read(climbing.id);
    assert.deepEqual([escalation_stage, next_fire_at], [before.escalation_stage, before.next_fire_at]);
    await app.clock.advance('10m');
    assert.equal((await scenario.read(id)).last_nudge_at, '2026-03-02T10:00:00.000Z');
  });

  it('a correction of the clock by seconds plans nothing again, nor does a process that is seconds ahead', async () => {
    await using scenario = await startScenario(engine);
    const { db, clock } = scenario.app;
    await scenario.create(DUE);
    await scenario.app.engine?.stop();
    const lines: string[] = [];
    const setBack = new SetBackClock(db, clock, createLogger('info', { write: (line) => void lines.push(line) }));
    const linesAt = async (time: string) => {
      clock.set(`2026-03-02T${time}Z`);
      await setBack.correctPlans(new AbortController().signal);
      return lines.length;
    };
    await linesAt('09:05:00');
    assert.equal(await linesAt('09:04:31'), 0);
    assert.equal(await linesAt('09:04:20'), 1);
    const startTasksAt = (time: string) =>
      db
        .updateTable('tasks')
        .set({ run_started_at: new Date(`2026-03-02T${time}Z`) })
        .execute();
    await startTasksAt('09:06:00');
    assert.equal(await linesAt('09:05:36'), 1);
    await startTasksAt('09:07:00');
    assert.equal(await linesAt('09:05:37'), 1, 'all tasks are read once more, and not at each check');
  });

  it('by a clock that runs faster, a held push is checked by the end of its hold', async () => {
    await using scenario = await startScenario(engine);
    const { db, clock } = scenario.app;
    scenario.phone.answer = () => ({ kind: 'retry', reason: 'TooManyRequests' });
    await scenario.create(DUE);
    await scenario.advance('71m');
    await db.updateTable('users').set({ quiet_hours_start: '09:55', quiet_hours_end: '10:21' }).execute();
    const leased = await db.selectFrom('deliveries').selectAll().where('kind', '=', 'nudge').execute();
    const retryIn = async (clockSpeed?: number) => {
      const parts = { db, clock, wallClock: clock, clockSpeed, limits: undefined, logger: createLogger('silent') };
      return (await preparePushes(parts, 'apns', leased)).unsent.map(({ result }) => result.retryInMs);
    };
    assert.deepEqual(await retryIn(), [165_000]);
    assert.deepEqual(await retryIn(SPEED), [30_000]);
    clock.set('2026-03-02T10:16:00Z');
    assert.deepEqual(await retryIn(SPEED), [15_000]);
    clock.set('2026-03-02T10:20:59.999Z');
    assert.deepEqual(await retryIn(SPEED), [1]);
  });

  it('by a clock that runs faster, a nudge falls to the next tier that much sooner', async () => {
    const clock = new FakeClock();
    const phone = new FakePhones(clock);
    const settings = { CLOCK_SPEED: String(SPEED) };
    await using app = await startTestApp(engine, {
      clock,
      settings,
      extra: { gateways: { apns: phone, telegram: phone } },
    });
    const ada = await createPerson(app, 'ada@example.org');
    await addDevice(app, ada.userId);
    const channel = channelRow(clock.now(), { user_id: ada.userId, provider: 'telegram', tier: 1 });
    await app.db.insertInto('channels').values(channel).execute();
    await app.db.updateTable('users').set({ fallback_minutes: 5 }).execute();
    await ada.ask('POST', '/v1/tasks', { title: 'pills', ...DUE });
    await clock.advance('1h');
    const deliveries = app.db.selectFrom('deliveries').select('next_attempt_at').where('tier', '=', 1);
    const { next_attempt_at } = await deliveries.executeTakeFirstOrThrow();
    assert.equal(next_attempt_at.toISOString(), '2026-03-02T10:00:15.000Z');
  });
});
