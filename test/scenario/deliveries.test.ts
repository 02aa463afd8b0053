import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findNewestDelivery, isAcknowledged } from '../../src/deliveries/acknowledgements.store.ts';
import { fallbackKey, listFallbackStates } from '../../src/deliveries/fallback.store.ts';
import { recordChannelResults } from '../../src/deliveries/messages.store.ts';
import { deleteUnstartedActivities, recordDeadTokens } from '../../src/deliveries/outbox.store.ts';
import { preparePushes } from '../../src/deliveries/outbox.ts';
import { cancelWaitingTiers, hastenTier } from '../../src/deliveries/waiting-tiers.ts';
import { HEADS_UP_STAGE } from '../../src/escalation/ladder.ts';
import { newId } from '../../src/lib/ids.ts';
import { createLogger } from '../../src/lib/logger.ts';
import type { Gateway, PushResult } from '../../src/push/gateway.ts';
import { createDatabase, onEveryEngine, type TestDatabase } from '../support/engines.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { addDevice, FakePhones } from '../support/fake-phones.ts';
import { createPerson } from '../support/people.ts';
import { type Scenario, startScenario } from '../support/scenario.ts';
import { createSpace } from '../support/spaces.ts';
import { channelRow } from '../support/stored-channel.ts';
import { storedDelivery } from '../support/stored-delivery.ts';
import { startTestApp } from '../support/test-app.ts';
import { waitUntil } from '../support/wait-until.ts';

const DUE = { due_at: '2026-03-02T10:00:00Z', has_time: true };
const at = (time: string) => `2026-03-02T${time}`;

async function timelineOf(scenario: Scenario, id: string, person = scenario.ada) {
  return (await person.ask('GET', `/v1/tasks/${id}/timeline`)).body.data;
}

const statusesOf = async ({ app }: Scenario) =>
  (await app.db.selectFrom('deliveries').select('status').orderBy('entry_id').execute()).map(({ status }) => status);

onEveryEngine((engine, it) => {
  /** One process of several on the same database. */
  const startOn = ({ url }: TestDatabase, clock: FakeClock, phone: FakePhones) =>
    startTestApp(engine, { clock, databaseUrl: url, extra: { gateways: { apns: phone } } });

  it('a nudge goes to each valid device, and the timeline shows its owner the result of each', async () => {
    await using scenario = await startScenario(engine);
    const second = await addDevice(scenario.app, scenario.ada.userId);
    const unsent = await addDevice(scenario.app, scenario.ada.userId, 'android');
    const task = await scenario.create(DUE);
    await scenario.advance('1h');
    scenario.phone.expect(`${at('10:00')} 0 pills`, `${at('10:00')} 0 pills`);
    const [nudge, created] = await timelineOf(scenario, task.id);
    assert.deepEqual([created.kind, created.by, created.reached, created.deliveries], ['created', 'owner', null, null]);
    assert.deepEqual([nudge.kind, nudge.stage, nudge.reached, nudge.by], ['nudge', 0, 'sent', null]);
    const byDevice = Object.fromEntries(
      nudge.deliveries.map((delivery: { device_id: string }) => [delivery.device_id, delivery]),
    );
    assert.deepEqual(Object.keys(byDevice).sort(), [scenario.device, second, unsent].sort());
    assert.equal(byDevice[second].status, 'sent');
    assert.equal(byDevice[second].sent_at, '2026-03-02T10:00:00.000Z');
    assert.deepEqual([byDevice[unsent].status, byDevice[unsent].reason], ['failed_transient', 'not_configured']);
  });

  it('a task whose owner has no valid device still climbs, and its timeline shows no_device', async () => {
    await using scenario = await startScenario(engine);
    const bob = await createPerson(scenario.app, 'bob@example.org');
    const { id } = (await bob.ask('POST', '/v1/tasks', { title: 'alone', ...DUE })).body.data;
    await scenario.advance('2h');
    const task = (await bob.ask('GET', `/v1/tasks/${id}`)).body.data;
    assert.deepEqual([task.escalation_stage, task.nudge_count], [2, 5]);
    const entries = await timelineOf(scenario, id, bob);
    assert.equal(entries.length, 6);
    assert.ok(entries.slice(0, 5).every(({ reached }: { reached: string }) => reached === 'no_device'));
  });

  it('a delivery is retried until the provider accepts it, and the device stays valid', async () => {
    await using scenario = await startScenario(engine);
    scenario.phone.answer = () => ({ kind: 'retry', reason: 'TooManyRequests' });
    const task = await scenario.create(DUE);
    await scenario.advance('62m');
    assert.ok(scenario.phone.attempts >= 3, `${scenario.phone.attempts} tries`);
    scenario.phone.expect();
    assert.equal((await timelineOf(scenario, task.id))[0].reached, 'pending');
    scenario.phone.answer = () => ({ kind: 'accepted' });
    await scenario.advance('5m');
    assert.equal(scenario.phone.shown.length, 1);
    const [nudge] = await timelineOf(scenario, task.id);
    assert.deepEqual([nudge.reached, nudge.at], ['sent', '2026-03-02T10:00:00.000Z']);
    assert.ok(nudge.deliveries[0].attempts > 3);
  });

  it('a delivery whose task was dealt with after its lease is not sent: a push would name the next occurrence', async () => {
    await using scenario = await startScenario(engine);
    const { app, ada, phone } = scenario;
    const { clock } = app;
    phone.answer = () => ({ kind: 'retry', reason: 'TooManyRequests' });
    const { id } = await scenario.create({ ...DUE, recurrence: { freq: 'daily', interval: 1, from: 'due' } });
    await scenario.advance('61m');
    const leased = await app.db.selectFrom('deliveries').selectAll().where('kind', '=', 'nudge').execute();
    const prepare = () => {
      const parts = { db: app.db, clock, wallClock: clock, limits: undefined, logger: createLogger('silent') };
      return preparePushes(parts, 'apns', leased);
    };
    assert.equal((await prepare()).pushes.length, 1);
    await ada.ask('POST', `/v1/tasks/${id}/complete`);
    const { pushes, unsent } = await prepare();
    assert.deepEqual(pushes, []);
    assert.deepEqual(
      unsent.map(({ result }) => result),
      [{ status: 'cancelled', reason: 'task_changed' }],
    );
  });

  it('an undelivered nudge is superseded by the next one', async () => {
    await using scenario = await startScenario(engine);
    scenario.phone.answer = (push) =>
      push.kind === 'nudge' && push.stage === 0 ? { kind: 'retry', reason: 'Shutdown' } : { kind: 'accepted' };
    await scenario.create(DUE);
    await scenario.advance('76m');
    scenario.phone.expect(`${at('10:15')} 1 pills`);
    assert.deepEqual((await statusesOf(scenario)).sort(), ['sent', 'superseded']);
  });

  it('a device becomes invalid only if the provider says that it is gone; other devices are not affected', async () => {
    await using scenario = await startScenario(engine);
    await addDevice(scenario.app, scenario.ada.userId);
    const bad = `${scenario.device.replaceAll('-', '')}`;
    const answers: PushResult[] = [
      { kind: 'rejected', reason: 'PayloadTooLarge' },
      { kind: 'misconfigured', reason: 'InvalidProviderToken' },
      { kind: 'gone', reason: 'Unregistered' },
    ];
    for (const answer of answers) {
      scenario.phone.answer = ({ target }) => (target.token.startsWith(bad) ? answer : { kind: 'accepted' });
      const { id } = await scenario.create({
        ...DUE,
        due_at: scenario.app.clock.now().toISOString(),
        title: answer.kind,
      });
      await scenario.ada.ask('POST', `/v1/tasks/${id}/complete`);
      assert.equal(scenario.phone.take().length, 1, answer.kind);
      const device = await scenario.app.db
        .selectFrom('devices')
        .selectAll()
        .where('id', '=', scenario.device)
        .executeTakeFirstOrThrow();
      assert.equal(device.valid, answer.kind !== 'gone', answer.kind);
    }
    assert.ok(
      scenario.app.log.some(
        ({ msg, reason }) => reason === 'InvalidProviderToken' && msg === 'a push provider refuses our credentials',
      ),
    );
    await scenario.create({ ...DUE, due_at: scenario.app.clock.now().toISOString() });
    assert.equal(scenario.phone.take().length, 1);
  });

  it('a device that was registered again after the provider reported it gone stays valid', async () => {
    await using scenario = await startScenario(engine);
    const since = new Date(scenario.app.clock.now().getTime() - 1);
    scenario.phone.answer = () => ({ kind: 'gone', reason: 'Unregistered', since });
    await scenario.create({ ...DUE, due_at: scenario.app.clock.now().toISOString() });
    const device = await scenario.app.db.selectFrom('devices').selectAll().executeTakeFirstOrThrow();
    assert.equal(device.valid, true);
  });

  it('an answer stops the tiers of the person who answered, in the run that they answered', async () => {
    await using scenario = await startScenario(engine);
    const { db } = scenario.app;
    const task = await scenario.create(DUE);
    const waits = { provider: 'ntfy', tier: 1, waits_for: 'tier', next_attempt_at: new Date('2030-01-01') } as const;
    const [standIn, answer] = [newId(), { task_id: task.id, tier: 0, recipient_id: scenario.ada.userId }];
    for (const recipient_id of [scenario.ada.userId, standIn])
      await db
        .insertInto('deliveries')
        .values(storedDelivery(task, { ...waits, recipient_id }))
        .execute();
    const waiting = async () => {
      const rows = await db.selectFrom('deliveries').select('recipient_id').where('status', '=', 'pending').execute();
      return rows.map(({ recipient_id }) => recipient_id).sort();
    };
    await cancelWaitingTiers(db, { ...answer, run: 0 });
    assert.deepEqual(await waiting(), [scenario.ada.userId, standIn].sort(), 'the answer is to an earlier run');
    await cancelWaitingTiers(db, { ...answer, run: 1 });
    assert.deepEqual(await waiting(), [standIn]);
  });

  test('a fall is counted from the first due nudge, and an attempt without an answer has reached its tier', async () => {
    await using scenario = await startScenario(engine);
    const { db } = scenario.app;
    const task = await scenario.create(DUE);
    const insert = (fields: Partial<Parameters<typeof storedDelivery>[1]>) =>
      db.insertInto('deliveries').values(storedDelivery(task, fields)).execute();
    const state = async () => (await listFallbackStates(db, [task.id])).get(fallbackKey(task.id, task.owner_id));
    await insert({ stage: HEADS_UP_STAGE, status: 'sent', created_at: new Date('2026-03-02T08:00:00Z') });
    assert.equal(await state(), undefined);
    const created_at = new Date('2026-03-02T09:00:00Z');
    await insert({ nudge: 2, status: 'sent', created_at });
    await insert({ nudge: 2, tier: 2, waits_for: 'tier', created_at });
    assert.deepEqual(await state(), { unansweredSince: created_at, reachedTier: 0 });
    await insert({ nudge: 2, tier: 1, waits_for: 'retry', attempts: 1, created_at });
    assert.deepEqual(await state(), { unansweredSince: created_at, reachedTier: 1 });
  });

  test('a tier takes over what waited for it, and nothing that is held or in flight', async () => {
    await using scenario = await startScenario(engine);
    const { db } = scenario.app;
    const task = await scenario.create(DUE);
    const entry_id = newId();
    const waits = ['tier', 'hold', 'retry', null] as const;
    for (const waits_for of waits) {
      const row = storedDelivery(task, { entry_id, tier: 1, waits_for, created_at: new Date('2026-03-02T09:00:00Z') });
      await db.insertInto('deliveries').values(row).execute();
    }
    assert.equal(await hastenTier(db, entry_id, 1), true);
    const fell = await db.selectFrom('deliveries').select('waits_for').where('fell_because', 'is not', null).execute();
    assert.deepEqual(fell, [{ waits_for: 'capacity' }]);
    assert.equal(await hastenTier(db, entry_id, 1), false);
  });

  it('a nudge of before the moment that rings anyway is held at that moment', async () => {
    await using scenario = await startScenario(engine, '2026-03-02T21:00:00Z');
    const { db, clock } = scenario.app;
    await scenario.ada.ask('PATCH', '/v1/me', { quiet_hours_start: '22:00', quiet_hours_end: '07:00' });
    const task = await scenario.create({ due_at: '2026-03-02T21:30:00Z', has_time: true });
    const rings_anyway_at = new Date('2026-03-02T22:10:00Z');
    await db.updateTable('tasks').set({ rings_anyway_at }).execute();
    await scenario.app.engine?.stop();
    clock.set('2026-03-02T22:10:00Z');
    const heldAt = async (nudgedAt: string) => {
      const target = { provider: 'apns', target_id: scenario.device, created_at: new Date(nudgedAt) };
      const delivery = storedDelivery(task, target);
      const stored = await db.insertInto('deliveries').values(delivery).returningAll().execute();
      const parts = { db, clock, wallClock: clock, limits: undefined, logger: createLogger('silent') };
      return (await preparePushes(parts, 'apns', stored)).unsent.map(({ result }) => result.reason);
    };
    assert.deepEqual(await heldAt('2026-03-02T21:59:00Z'), ['held']);
    assert.deepEqual(await heldAt('2026-03-02T22:10:00Z'), []);
  });

  test('a mail that quiet hours hold is not the last one, which is claimed when a mail is sent', async () => {
    await using scenario = await startScenario(engine, '2026-03-02T23:00:00Z');
    const { db, clock } = scenario.app;
    await scenario.ada.ask('PATCH', '/v1/me', { quiet_hours_start: '22:00', quiet_hours_end: '07:00' });
    await scenario.app.engine?.stop();
    const [quiet, loud] = [
      await scenario.create({}),
      await scenario.create({ break_quiet_hours: true, due_at: '2026-03-03T09:00:00Z', has_time: true }),
    ];
    const channel = channelRow(clock.now(), { user_id: scenario.ada.userId, provider: 'email' });
    await db.insertInto('channels').values(channel).execute();
    await db.deleteFrom('sessions').execute();
    const rows = [quiet, loud].map((task) => storedDelivery(task, { provider: 'email', target_id: channel.id }));
    const leased = await db.insertInto('deliveries').values(rows).returningAll().execute();
    const ofTask = ({ id }: { readonly id: string }) => leased.filter(({ task_id }) => task_id === id);
    const limits = { mostPerDay: 8, repeatsUpToPerDay: 8, stopsAfterIdleMs: 86_400_000 };
    const parts = { db, clock, wallClock: clock, limits, logger: createLogger('silent') };
    const { pushes, unsent } = await preparePushes(parts, 'email', [...ofTask(quiet), ...ofTask(loud)]);
    assert.deepEqual([pushes.map(({ push }) => 'isLast' in push && push.isLast)], [[true]]);
    assert.deepEqual(
      unsent.map(({ result }) => result.reason),
      ['held'],
    );
  });

  it('three refusals in a row stop a channel, and not three in its life', async () => {
    await using scenario = await startScenario(engine);
    const { db, clock } = scenario.app;
    const channel = channelRow(clock.now(), { user_id: scenario.ada.userId, provider: 'ntfy' });
    await db.insertInto('channels').values(channel).execute();
    const isValidAfter = async (error: string | null) => {
      await recordChannelResults(db, [{ id: channel.id, error, isRefused: error !== null }]);
      return (await db.selectFrom('channels').select('valid').executeTakeFirstOrThrow()).valid;
    };
    for (const error of ['refused', 'refused', null, 'refused', 'refused'])
      assert.equal(await isValidAfter(error), true);
    assert.equal(await isValidAfter('refused'), false);
    const results = ['http_500', null].map((error) => ({ id: channel.id, error, isRefused: false }));
    for (const [order, last] of [
      [results, null],
      [results.toReversed(), 'http_500'],
    ] as const) {
      await recordChannelResults(db, order);
      const { last_error } = await db.selectFrom('channels').select('last_error').executeTakeFirstOrThrow();
      assert.equal(last_error, last, 'the last result of a channel counts');
    }
  });

  test('Seen in the app counts for the delivery that reached a device', async () => {
    await using scenario = await startScenario(engine);
    const { db } = scenario.app;
    const task = await scenario.create(DUE);
    const [lower = '', higher = ''] = [newId(), newId()].sort();
    const entry_id = newId();
    const rows = [
      storedDelivery(task, { entry_id, target_id: lower, status: 'failed_permanent' }),
      storedDelivery(task, { entry_id, target_id: higher, status: 'sent' }),
    ];
    await db.insertInto('deliveries').values(rows).execute();
    assert.equal((await findNewestDelivery(db, task.owner_id, task.id, 0))?.target_id, higher);
    // A stand-in who has seen it answers for themselves alone.
    const seenBy = async (recipient_id: string) => {
      const delivery = { target_id: newId(), status: 'sent', acked_at: new Date(), recipient_id } as const;
      await db.insertInto('deliveries').values(storedDelivery(task, delivery)).execute();
      return isAcknowledged(db, task.owner_id, task.id, 0);
    };
    assert.deepEqual([await seenBy(newId()), await seenBy(task.owner_id)], [false, true]);
  });

  test('a token that is dead, or a start that failed, takes nothing newer with it', async () => {
    await using scenario = await startScenario(engine);
    const { db, clock } = scenario.app;
    const task = await scenario.create(DUE);
    const delivery = storedDelivery(task, { kind: 'activity_start', target_id: scenario.device, provider: 'apns' });
    await db.insertInto('deliveries').values(delivery).execute();
    const activity = { task_id: task.id, device_id: scenario.device, push_env: 'production' as const, ended_at: null };
    const activities = [null, 'running'].map((token) => ({
      ...activity,
      id: newId(),
      token,
      token_hash: token,
      started_at: clock.now(),
    }));
    await db.insertInto('live_activities').values(activities).execute();
    const { entry_id, target_id } = delivery;
    const failed = { entry_id, target_id, kind: 'activity_start', status: 'failed_permanent' } as const;
    const row = { ...failed, waits_for: null, reason: null, attempts: 1, next_attempt_at: clock.now(), ref: null };
    await deleteUnstartedActivities(db, [row]);
    assert.deepEqual(await db.selectFrom('live_activities').select('token').execute(), [{ token: 'running' }]);
    await db.updateTable('devices').set({ start_token: 'newer' }).execute();
    const dead = {
      kind: 'activity_start',
      target_id,
      isChannel: false,
      reason: 'Unregistered',
      since: clock.now(),
    } as const;
    const startTokenAfter = async (token: string) => {
      await recordDeadTokens(db, [{ ...dead, token }]);
      return (await db.selectFrom('devices').select('start_token').executeTakeFirstOrThrow()).start_token;
    };
    assert.equal(await startTokenAfter('older'), 'newer');
    assert.equal(await startTokenAfter('newer'), null);
  });

  it('pending deliveries are cancelled as soon as the task is closed or snoozed', async () => {
    await using scenario = await startScenario(engine);
    scenario.phone.answer = () => ({ kind: 'retry', reason: 'Shutdown' });
    const actions = ['complete', 'skip', 'drop', 'snooze'];
    const tasks = [];
    for (const action of actions) tasks.push(await scenario.create({ ...DUE, title: action }));
    await scenario.advance('61m');
    for (const [index, action] of actions.entries())
      await scenario.ada.ask(
        'POST',
        `/v1/tasks/${tasks[index]?.id}/${action}`,
        action === 'snooze' ? { until: '2026-03-04T00:00:00Z' } : {},
      );
    assert.deepEqual(await statusesOf(scenario), Array(actions.length).fill('cancelled'));
    const tries = scenario.phone.attempts;
    scenario.phone.answer = () => ({ kind: 'accepted' });
    await scenario.advance('10h');
    assert.equal(scenario.phone.attempts, tries);
  });

  it('a push in flight while the task is closed is recorded with its result', async () => {
    await using scenario = await startScenario(engine);
    const answer = Promise.withResolvers<PushResult>();
    const sending = Promise.withResolvers<void>();
    scenario.phone.answer = () => {
      sending.resolve();
      return answer.promise;
    };
    const { body } = await scenario.ada.ask('POST', '/v1/tasks', {
      title: 'pills',
      ...DUE,
      due_at: '2026-03-02T08:00:00Z',
    });
    await sending.promise;
    await scenario.ada.ask('POST', `/v1/tasks/${body.data.id}/complete`);
    answer.resolve({ kind: 'accepted' });
    await scenario.app.engine?.settled();
    assert.deepEqual(await statusesOf(scenario), ['sent']);
  });

  it('a retry that falls into quiet hours waits for their end', async () => {
    await using scenario = await startScenario(engine);
    await scenario.ada.ask('PATCH', '/v1/me', { quiet_hours_start: '10:01', quiet_hours_end: '11:30' });
    scenario.phone.answer = () => ({ kind: 'retry', reason: 'Shutdown', afterMs: 120_000 });
    await scenario.create({ ...DUE, mode: 'notify_once' });
    await scenario.advance('61m');
    scenario.phone.answer = () => ({ kind: 'accepted' });
    await scenario.advance('88m');
    scenario.phone.expect();
    await scenario.advance('5m');
    assert.equal(scenario.phone.shown.length, 1);
  });

  it('pushes beyond the provider’s capacity wait and are sent', async () => {
    await using scenario = await startScenario(engine);
    scenario.phone.capacityLeft = 0;
    for (const title of ['a', 'b', 'c']) await scenario.ada.ask('POST', '/v1/tasks', { title, ...DUE });
    await scenario.advance('1h');
    scenario.phone.expect();
    scenario.phone.capacityLeft = 2;
    await scenario.create({ title: 'd', due_at: scenario.app.clock.now().toISOString(), has_time: true });
    await scenario.advance('10s');
    assert.equal(scenario.phone.take().length, 4);
  });

  it('a provider that does not answer delays only its own pushes', async () => {
    const [silent, shown] = [Promise.withResolvers<PushResult>(), Promise.withResolvers<void>()];
    const clock = new FakeClock();
    const [slow, quick] = [new FakePhones(clock), new FakePhones(clock)];
    slow.answer = () => silent.promise;
    quick.answer = () => {
      shown.resolve();
      return { kind: 'accepted' };
    };
    await using app = await startTestApp(engine, { clock, extra: { gateways: { apns: slow, fcm: quick } } });
    const ada = await createPerson(app);
    for (const platform of ['ios', 'android'] as const) await addDevice(app, ada.userId, platform);
    await ada.ask('POST', '/v1/tasks', { title: 'pills', ...DUE, due_at: '2026-03-02T08:00:00Z' });
    await shown.promise;
    silent.resolve({ kind: 'accepted' });
    await app.engine?.settled();
    assert.equal(slow.shown.length, 1);
  });

  it('a task that cannot be planned is postponed and does not stop other tasks', async () => {
    await using scenario = await startScenario(engine);
    const bad = await scenario.create({ title: 'bad', due_at: '2026-03-03T10:00:00Z' });
    await scenario.app.db
      .updateTable('tasks')
      .set({ due_written: 'no date', next_fire_at: new Date('2026-03-02T10:00:00Z') })
      .where('id', '=', bad.id)
      .execute();
    await scenario.create({ title: 'good', ...DUE });
    await scenario.advance('61m');
    scenario.phone.expect(`${at('10:00')} 0 good`);
    const { next_fire_at } = await scenario.read(bad.id);
    assert.equal(next_fire_at, '2026-03-02T10:15:00.000Z');
    assert.ok(scenario.app.log.some(({ task_id, level }) => task_id === bad.id && level === 'error'));
  });

  it('after an outage each task gets one nudge at its next step, not one per missed nudge', async () => {
    const database = await createDatabase(engine);
    const clock = new FakeClock();
    {
      const phone = new FakePhones(clock);
      await using app = await startOn(database, clock, phone);
      const ada = await createPerson(app, 'ada@example.org');
      await addDevice(app, ada.userId);
      await ada.ask('POST', '/v1/tasks', { title: 'climbing', ...DUE });
      await ada.ask('POST', '/v1/tasks', { title: 'new', due_at: '2026-03-02T12:00:00Z', has_time: true });
      await clock.advance('80m');
      assert.equal(phone.take().length, 2);
    }
    await clock.advance('10h');
    {
      const phone = new FakePhones(clock);
      await using app = await startOn(database, clock, phone);
      await app.engine?.settled();
      phone.expect(`${at('20:20')} 0 new`, `${at('20:20')} 1 climbing`);
      await clock.advance('15m');
      phone.expect(`${at('20:35')} 1 climbing`, `${at('20:35')} 1 new`);
      assert.ok(app.log.some(({ msg }) => msg === 'the engine is late'));
      assert.ok(app.log.some(({ msg }) => msg === 'the engine has caught up'));
    }
    await database.drop();
  });

  test('a delivery of a crashed engine is sent by the next one when its lease expires, and not before', async () => {
    const database = await createDatabase(engine);
    const clock = new FakeClock();
    let task = '';
    {
      const phone = new FakePhones(clock);
      await using app = await startOn(database, clock, phone);
      const ada = await createPerson(app, 'ada@example.org');
      await addDevice(app, ada.userId);
      task = (await ada.ask('POST', '/v1/tasks', { title: 'pills', ...DUE })).body.data.id;
      await clock.advance('1h');
      phone.take();
      // As if the engine had crashed between the commit and the provider's answer.
      await app.db
        .updateTable('deliveries')
        .set({ status: 'pending', next_attempt_at: new Date(clock.now().getTime() + 8_000), sent_at: null })
        .execute();
    }
    {
      const phone = new FakePhones(clock);
      await using _app = await startOn(database, clock, phone);
      await clock.advance('7s');
      phone.expect();
      await clock.advance('1s');
      assert.deepEqual(
        phone.shown.map(({ push }) => push.task.id),
        [task],
      );
    }
    await database.drop();
  });

  it('when a provider accepts pushes again after an outage, the waiting nudges are sent without their back-off', async () => {
    await using scenario = await startScenario(engine);
    scenario.phone.answer = () => ({ kind: 'retry', reason: 'Shutdown' });
    for (const title of ['first', 'second', 'third', 'fourth']) {
      await scenario.create({ ...DUE, title, mode: 'notify_once' });
    }
    await scenario.advance('100m');
    scenario.phone.answer = () => ({ kind: 'accepted' });
    await scenario.create({ ...DUE, title: 'after the outage', mode: 'notify_once' });
    await scenario.advance('1s');
    assert.deepEqual(await statusesOf(scenario), Array(5).fill('sent'));
  });

  it('a server that works does not use up the attempts of what waits for another server of its provider', async () => {
    await using scenario = await startScenario(engine);
    const { phone } = scenario;
    let attempts = 0;
    phone.answer = (push) => {
      if (push.kind !== 'nudge' || push.task.title !== 'broken') return { kind: 'accepted' };
      attempts += 1;
      return { kind: 'retry', reason: 'Unreachable' };
    };
    for (let count = 0; count < 4; count += 1) await scenario.create({ ...DUE, title: 'broken', mode: 'notify_once' });
    await scenario.advance('90m');
    attempts = 0;
    for (let minute = 0; minute < 20; minute += 1) {
      await scenario.create({ ...DUE, title: 'works', mode: 'notify_once' });
      await scenario.advance('1m');
    }
    // In twenty minutes each waits for five at most, and is hastened as often.
    assert.ok(attempts <= 4 * 12, `${attempts} attempts`);
  });

  it('setting the clock back sends nothing, and a task that is not due any more starts over; setting it forward causes no burst', async () => {
    await using scenario = await startScenario(engine);
    const { app, phone } = scenario;
    const checkNow = async () => {
      app.engine?.wakeUp();
      await app.engine?.settled();
    };
    await scenario.create(DUE);
    await scenario.advance('1h');
    phone.expect(`${at('10:00')} 0 pills`);
    app.clock.set('2026-03-02T06:00:00Z');
    await checkNow();
    phone.expect();
    app.clock.set('2026-03-02T10:20:00Z');
    await checkNow();
    phone.expect(`${at('10:20')} 0 pills`);
    app.clock.set('2026-03-05T00:00:00Z');
    await checkNow();
    phone.expect('2026-03-05T00:00 1 pills');
    await scenario.advance('15m');
    phone.expect('2026-03-05T00:15 1 pills');
  });

  it('a delivery scheduled for a retry is still sent after the clock is set back', async () => {
    await using scenario = await startScenario(engine);
    scenario.phone.answer = () => ({ kind: 'retry', reason: 'Shutdown' });
    await scenario.create({ ...DUE, mode: 'notify_once' });
    await scenario.advance('1h');
    scenario.phone.answer = () => ({ kind: 'accepted' });
    scenario.app.clock.set('2026-03-01T00:00:00Z');
    scenario.app.engine?.wakeUp();
    // Its task is corrected at the same time. On PostgreSQL a delivery that is being dated back is sent a moment later.
    await scenario.advance('1s');
    assert.equal(scenario.phone.shown.filter(({ push }) => push.task.title === 'pills').length, 1);
  });

  it('the assigner sees the nudges of a task, but not the owner’s devices; members see neither', async () => {
    await using scenario = await startScenario(engine);
    const bob = await createPerson(scenario.app, 'bob@example.org');
    const eve = await createPerson(scenario.app, 'eve@example.org');
    const space_id = await createSpace(bob, scenario.ada, eve);
    const request = { title: 'bins', ...DUE, owner_id: scenario.ada.userId, space_id };
    const { id } = (await bob.ask('POST', '/v1/tasks', request)).body.data;
    await scenario.ada.ask('POST', `/v1/tasks/${id}/accept`);
    await scenario.advance('1h');
    const [nudge, accepted, created] = await timelineOf(scenario, id, bob);
    assert.deepEqual([created.by, accepted.kind, accepted.by], ['assigner', 'accepted', 'owner']);
    assert.deepEqual([nudge.reached, nudge.deliveries], ['sent', null]);
    assert.equal((await timelineOf(scenario, id))[0].deliveries.length, 1);
    assert.equal((await eve.ask('GET', `/v1/tasks/${id}/timeline`)).status, 403);
    const stranger = await createPerson(scenario.app, 'mallory@example.org');
    assert.equal((await stranger.ask('GET', `/v1/tasks/${id}/timeline`)).status, 404);
  });

  test('a timeline is read page by page, newest first, without gap or repetition', async () => {
    await using scenario = await startScenario(engine);
    const { id } = await scenario.create(DUE);
    await scenario.advance('10h');
    await scenario.ada.ask('POST', `/v1/tasks/${id}/snooze`, { until: '2026-03-02T20:00:00Z' });
    await scenario.ada.ask('PATCH', `/v1/tasks/${id}`, { title: 'renamed' });
    await scenario.ada.ask('PATCH', `/v1/tasks/${id}`, { due_at: '2026-03-02T21:00:00Z' });
    await scenario.ada.ask('POST', `/v1/tasks/${id}/complete`);
    await scenario.ada.ask('POST', `/v1/tasks/${id}/reopen`);
    const whole = await timelineOf(scenario, id);
    assert.deepEqual(
      whole.slice(0, 5).map(({ kind }: { kind: string }) => kind),
      ['reopened', 'done', 'rescheduled', 'edited', 'snoozed'],
    );
    assert.equal(whole[4].until, '2026-03-02T20:00:00.000Z');
    assert.equal(whole.at(-1).kind, 'created');
    const pages: unknown[] = [];
    for (let cursor = ''; ; ) {
      const { body, headers } = await scenario.ada.ask('GET', `/v1/tasks/${id}/timeline?limit=3${cursor}`);
      pages.push(...body.data);
      if (headers['x-next-cursor'] === undefined) break;
      cursor = `&cursor=${headers['x-next-cursor']}`;
    }
    assert.deepEqual(pages, whole);
    for (const query of ['limit=0', 'limit=201', 'cursor=nonsense', 'cursor=W10']) {
      assert.equal((await scenario.ada.ask('GET', `/v1/tasks/${id}/timeline?${query}`)).status, 422, query);
    }
  });

  test('a delivery that cannot be read does not stop others of its provider', async () => {
    await using scenario = await startScenario(engine);
    const bob = await createPerson(scenario.app, 'bob@example.org');
    await addDevice(scenario.app, bob.userId);
    await scenario.app.db.updateTable('devices').set({ keys: 'no JSON' }).where('id', '=', scenario.device).execute();
    scenario.phone.capacityLeft = 0;
    await scenario.ada.ask('POST', '/v1/tasks', { title: 'unreadable', ...DUE });
    await bob.ask('POST', '/v1/tasks', { title: 'readable', ...DUE });
    // Both deliveries wait, so that the dispatch reads them; in a sweep the unreadable one also fails alone.
    await scenario.app.db.updateTable('devices').set({ keys: null }).where('id', '=', scenario.device).execute();
    await scenario.advance('1h');
    await scenario.app.db.updateTable('devices').set({ keys: 'no JSON' }).where('id', '=', scenario.device).execute();
    scenario.phone.capacityLeft = 100;
    scenario.app.engine?.wakeUp();
    await scenario.advance('1s');
    scenario.phone.expect(`${at('10:00')} 0 readable`);
  });

  test('no text in a provider’s answer keeps other results from being stored', async () => {
    await using scenario = await startScenario(engine);
    await addDevice(scenario.app, scenario.ada.userId);
    const bad = scenario.device.replaceAll('-', '');
    scenario.phone.answer = ({ target }) =>
      target.token.startsWith(bad)
        ? { kind: 'gone', reason: `a\u0000b${'x'.repeat(10_000)}`, since: new Date(Number.NaN) }
        : { kind: 'accepted' };
    await scenario.create({ ...DUE, mode: 'notify_once' });
    await scenario.advance('2h');
    assert.deepEqual((await statusesOf(scenario)).sort(), ['failed_permanent', 'sent']);
    assert.equal(scenario.phone.attempts, 2);
  });

  it('waiting for the end of a hold does not count as an attempt', async () => {
    await using scenario = await startScenario(engine, '2026-03-02T21:00:00Z');
    await scenario.ada.ask('PATCH', '/v1/me', { quiet_hours_start: '22:00', quiet_hours_end: '00:00' });
    scenario.phone.answer = () => ({ kind: 'retry', reason: 'Shutdown' });
    const { id } = await scenario.create({ due_at: '2026-03-02T21:59:50Z', has_time: true, mode: 'notify_once' });
    await scenario.advance('3h');
    assert.ok((await timelineOf(scenario, id))[0].deliveries[0].attempts < 15);
    scenario.phone.answer = () => ({ kind: 'accepted' });
    await scenario.advance('10m');
    assert.equal(scenario.phone.shown.length, 1);
  });

  it('a push that is never sent keeps its attempts for a day, and then ends', async () => {
    await using scenario = await startScenario(engine);
    scenario.phone.answer = () => ({ kind: 'retry', reason: 'service_silent', afterMs: 900_000, isUnsent: true });
    const { id } = await scenario.create({ ...DUE, mode: 'notify_once' });
    const delivery = async () => (await timelineOf(scenario, id))[0].deliveries[0];
    await scenario.advance('24h');
    const { status, attempts, reason } = await delivery();
    assert.deepEqual([status, attempts, reason], ['pending', 0, 'service_silent']);
    await scenario.advance('15h');
    assert.deepEqual([(await delivery()).status, (await delivery()).attempts], ['failed_transient', 50]);
  });

  it('a message that was not sent is kept by quiet hours like any other, and sent after them', async () => {
    const clock = new FakeClock('2026-03-02T21:00:00Z');
    let result: PushResult = { kind: 'retry', reason: 'server_busy', isUnsent: true };
    let sent = 0;
    const telegram: Gateway = {
      send: async () => {
        sent += result.kind === 'accepted' ? 1 : 0;
        return result;
      },
      capacity: () => 100,
      close: async () => undefined,
    };
    await using app = await startTestApp(engine, { clock, extra: { gateways: { telegram } } });
    const ada = await createPerson(app, 'ada@example.org');
    await ada.ask('PATCH', '/v1/me', { quiet_hours_start: '22:00', quiet_hours_end: '00:00' });
    const channel = channelRow(clock.now(), { user_id: ada.userId, provider: 'telegram' });
    await app.db.insertInto('channels').values(channel).execute();
    const task = { title: 'pills', due_at: '2026-03-02T21:59:50Z', has_time: true, mode: 'notify_once' };
    await ada.ask('POST', '/v1/tasks', task);
    await clock.advance('90m');
    const { attempts, reason } = await app.db.selectFrom('deliveries').selectAll().executeTakeFirstOrThrow();
    assert.deepEqual([attempts, reason], [0, 'held']);
    const { last_error } = await app.db.selectFrom('channels').select('last_error').executeTakeFirstOrThrow();
    assert.equal(last_error, 'server_busy', 'that it is held says nothing about the channel');
    result = { kind: 'accepted' };
    await clock.advance('80m');
    assert.equal(sent, 0);
    await clock.advance('11m');
    assert.equal(sent, 1);
  });

  test('the reference of a message is stored before the message is sent, so that it can be taken back if its answer is lost', async () => {
    const clock = new FakeClock();
    let isSending = false;
    const answer = Promise.withResolvers<PushResult>();
    const telegram: Gateway = {
      refOf: () => 'the message',
      send: async () => {
        isSending = true;
        return answer.promise;
      },
      capacity: () => 100,
      close: async () => undefined,
    };
    await using app = await startTestApp(engine, { clock, extra: { gateways: { telegram } } });
    const ada = await createPerson(app, 'ada@example.org');
    const channel = channelRow(clock.now(), { user_id: ada.userId, provider: 'telegram' });
    await app.db.insertInto('channels').values(channel).execute();
    await ada.ask('POST', '/v1/tasks', { title: 'pills', due_at: at('08:00:00Z'), has_time: true });
    await waitUntil(() => isSending);
    const { ref } = await app.db.selectFrom('deliveries').select('ref').executeTakeFirstOrThrow();
    answer.resolve({ kind: 'accepted' });
    assert.equal(ref, 'the message');
  });

  it('a gateway that throws costs no other push anything, and its push is tried again', async () => {
    await using scenario = await startScenario(engine);
    await addDevice(scenario.app, scenario.ada.userId);
    let isFirst = true;
    scenario.phone.answer = () => {
      if (!isFirst) return { kind: 'accepted' };
      isFirst = false;
      throw new Error('a fault of the gateway');
    };
    await scenario.create({ ...DUE, mode: 'notify_once' });
    await scenario.advance('1h');
    assert.deepEqual((await statusesOf(scenario)).sort(), ['pending', 'sent']);
    await scenario.advance('1h');
    assert.deepEqual(await statusesOf(scenario), ['sent', 'sent']);
  });

  test('stopping waits for every push in flight, and stores each answer', async () => {
    await using scenario = await startScenario(engine);
    for (let count = 1; count < 50; count += 1) await addDevice(scenario.app, scenario.ada.userId);
    const answer = Promise.withResolvers<PushResult>();
    scenario.phone.answer = () => answer.promise;
    const due = { title: 'pills', due_at: at('08:00:00Z'), has_time: true, mode: 'notify_once' };
    for (let count = 0; count < 3; count += 1) await scenario.ada.ask('POST', '/v1/tasks', due);
    await waitUntil(() => scenario.phone.attempts === 150);
    const stopping = scenario.app.engine?.stop();
    for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate);
    answer.resolve({ kind: 'accepted' });
    await stopping;
    assert.deepEqual(new Set(await statusesOf(scenario)), new Set(['sent']));
  });

  test('a push whose answer is pending is not sent again by the same process after its lease expires', async () => {
    await using scenario = await startScenario(engine);
    const answer = Promise.withResolvers<PushResult>();
    scenario.phone.answer = () => answer.promise;
    await scenario.ada.ask('POST', '/v1/tasks', { title: 'pills', ...DUE, due_at: '2026-03-02T08:00:00Z' });
    while (scenario.phone.attempts === 0) await new Promise(setImmediate);
    // The lease has expired, and the answer is still pending.
    scenario.app.clock.set('2026-03-02T09:05:00Z');
    scenario.app.engine?.wakeUp();
    for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate);
    answer.resolve({ kind: 'accepted' });
    await scenario.app.engine?.settled();
    assert.equal(scenario.phone.attempts, 1);
  });
});
