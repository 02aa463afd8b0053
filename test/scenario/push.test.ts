import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeApns } from '../support/apns-server.ts';
import { type EngineName, onEveryEngine } from '../support/engines.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { FakeFcm, fcmError } from '../support/fcm-server.ts';
import { createPerson, type Person } from '../support/people.ts';
import { createSpace } from '../support/spaces.ts';
import { storedDelivery } from '../support/stored-delivery.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { FakeWebPush } from '../support/web-push-service.ts';

const IOS = 'ab'.repeat(32);
const PUSH_TO_START = 'cd'.repeat(40);
const ACTIVITY = 'ef'.repeat(40);
const ANDROID = `android:${'x'.repeat(60)}`;

/** The service with fakes of all three providers, which speak the real protocols. */
class PushScenario implements AsyncDisposable {
  readonly clock = new FakeClock();
  app!: TestApp;
  apns!: FakeApns;
  fcm!: FakeFcm;
  browser!: FakeWebPush;
  ada!: Person;

  static async open(engine: EngineName, settings: Record<string, string> = {}): Promise<PushScenario> {
    const scenario = new PushScenario();
    scenario.apns = await FakeApns.start(scenario.clock, { scheme: 'http' });
    scenario.fcm = await FakeFcm.start(scenario.clock);
    scenario.browser = await FakeWebPush.start(scenario.clock);
    scenario.app = await startTestApp(engine, {
      clock: scenario.clock,
      settings: {
        ...scenario.apns.settings,
        ...scenario.fcm.settings,
        ...scenario.browser.settings,
        ...VAPID_PAIR,
        ...settings,
      },
    });
    scenario.ada = await createPerson(scenario.app, 'ada@example.org');
    return scenario;
  }

  async register(body: object): Promise<string> {
    const { status, body: answer } = await this.ada.ask('POST', '/v1/devices', body);
    assert.equal(status, 200, JSON.stringify(answer));
    return answer.data.id;
  }

  async registerAll(): Promise<void> {
    await this.register({ platform: 'ios', ios_push_token: IOS, push_env: 'production' });
    await this.register({ platform: 'android', android_push_token: ANDROID });
    await this.register({ platform: 'web', web_push_subscription: this.browser.subscribe() });
  }

  async create(fields: object = {}) {
    const task = { title: 'pills', due_at: '2026-03-02T10:00:00Z', has_time: true, ...fields };
    const { body } = await this.ada.ask('POST', '/v1/tasks', task);
    await this.app.engine?.settled();
    return body.data;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.app[Symbol.asyncDispose]();
    for (const fake of [this.apns, this.fcm, this.browser]) await fake[Symbol.asyncDispose]();
    assert.deepEqual(this.apns.violations, []);
  }
}

/** One key pair for all tests. */
const VAPID_PAIR = await (async () => {
  const { generateKeyPairSync } = await import('node:crypto');
  const { findPublicKey } = await import('../../src/keys/vapid-keys.ts');
  const { d = '' } = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' });
  return { VAPID_PRIVATE_KEY: d, VAPID_PUBLIC_KEY: findPublicKey(d) ?? '' };
})();

interface ShownNotification {
  readonly title: string;
  readonly body: string;
  readonly tag: string;
  readonly actions?: readonly { readonly action: string; readonly title: string }[];
  readonly data: object;
}

// biome-ignore lint/suspicious/noExplicitAny: the test reads the JSON of a push like the device does.
const apsOf = (push: { body: any }) => push.body.aps;

onEveryEngine((engine, it) => {
  it('a task climbs the ladder on an iPhone, an Android phone and a browser, with the right strength at each stage', async () => {
    await using scenario = await PushScenario.open(engine);
    const { apns, fcm, browser, ada } = scenario;
    await scenario.registerAll();
    await ada.ask('PATCH', '/v1/me', { day_start: '10:00' });
    const { id } = await scenario.create({ lead_time_days: 0, due_at: '2026-03-02T18:00:00Z' });
    await scenario.clock.advance('10h');
    const levels = apns.pushes.map((push) => apsOf(push)['interruption-level']);
    assert.deepEqual(levels, ['passive', 'active', ...Array(3).fill('time-sensitive'), 'time-sensitive']);
    for (const { token, headers, body } of apns.pushes)
      assert.deepEqual([token, headers['apns-collapse-id'], body.task_id], [IOS, id, id]);
    assert.deepEqual(
      apns.pushes.map(({ body }) => body.stage),
      [-1, 0, 1, 1, 1, 2],
    );
    assert.deepEqual(
      browser.pushes.map(({ urgency }) => urgency),
      ['low', 'normal', ...Array(4).fill('high')],
    );
    assert.equal(fcm.messages.length, 6);
    assert.equal((await ada.ask('GET', '/v1/stats')).body.data.nudges_sent, 6);
  });

  it('a browser shows who asks for what, with Accept and Decline, and an answer without them; phones show neither', async () => {
    await using scenario = await PushScenario.open(engine);
    const { apns, fcm, browser, ada, app } = scenario;
    await scenario.registerAll();
    const bob = await createPerson(app);
    await bob.ask('PATCH', '/v1/me', { display_name: 'Bob' });
    const space_id = await createSpace(ada, bob);
    const { body } = await bob.ask('POST', '/v1/tasks', { title: 'milk', owner_id: ada.userId, space_id });
    await ada.ask('POST', '/v1/tasks', { title: 'bread', owner_id: bob.userId, space_id });
    await app.engine?.settled();
    const { id } = (await bob.ask('GET', '/v1/tasks')).body.data.find(
      ({ title }: { title: string }) => title === 'bread',
    );
    await bob.ask('POST', `/v1/tasks/${id}/decline`);
    await app.engine?.settled();
    const shown = browser.pushes.map(({ payload }) => (payload as { notification: ShownNotification }).notification);
    const [asked, declined] = shown.map(({ title, body: text, actions, data, tag }) => ({
      lines: [title, text],
      buttons: actions?.map((action) => `${action.action}: ${action.title}`),
      data,
      tag,
    }));
    const task_id = body.data.id;
    assert.deepEqual(asked, {
      lines: ['Request: milk', 'Bob (Home) asks you to do this.'],
      buttons: ['accept: Accept', 'decline: Decline'],
      data: { task_id, request: 'asked' },
      tag: task_id,
    });
    assert.deepEqual(declined?.lines, ['Declined: bread', 'Bob (Home) will not do it.']);
    assert.equal(declined?.buttons, undefined);
    assert.deepEqual([apns.pushes.length, fcm.messages.length], [0, 0]);
  });

  it('a Live Activity starts with the first due nudge, is updated by the next and ends when the task is done', async () => {
    await using scenario = await PushScenario.open(engine);
    const { apns, ada } = scenario;
    await scenario.register({ ios_push_token: IOS, push_env: 'production' });
    await ada.ask('POST', '/v1/devices/la-token', { ios_push_token: IOS, la_push_token: PUSH_TO_START });
    const { id } = await scenario.create();
    await ada.ask('PUT', `/v1/tasks/${id}/heads-ups`, { heads_ups: [{ minutes: 30 }] });
    await scenario.clock.advance('45m');
    const activityPushes = () => apns.pushes.filter(({ headers }) => headers['apns-push-type'] === 'liveactivity');
    assert.deepEqual([apns.pushes.length, activityPushes()], [1, []], 'a heads-up starts none');
    await scenario.clock.advance('15m');
    assert.deepEqual(
      activityPushes().map((push) => [push.token, apsOf(push).event]),
      [[PUSH_TO_START, 'start']],
    );
    assert.equal((await ada.ask('POST', `/v1/tasks/${id}/la-token`, { la_update_token: ACTIVITY })).body.data.id, id);
    assert.equal((await ada.ask('POST', `/v1/tasks/${id}/la-token`, { la_update_token: ACTIVITY })).status, 200);
    await scenario.clock.advance('30m');
    await ada.ask('POST', `/v1/tasks/${id}/complete`);
    await scenario.app.engine?.settled();
    assert.deepEqual(
      activityPushes().map((push) => [push.token, apsOf(push).event, push.headers['apns-priority']]),
      [
        [PUSH_TO_START, 'start', '10'],
        [ACTIVITY, 'update', '10'],
        [ACTIVITY, 'update', '5'],
        [ACTIVITY, 'end', '10'],
      ],
    );
    const late = await ada.ask('POST', `/v1/tasks/${id}/la-token`, { la_update_token: '12'.repeat(40) });
    assert.equal(late.body.data.status, 'done');
    await scenario.app.engine?.settled();
    assert.deepEqual(
      [activityPushes().at(-1)?.token, apsOf(activityPushes().at(-1) ?? { body: {} }).event],
      ['12'.repeat(40), 'end'],
    );
  });

  it('no Live Activity is started while the app is in use, and a snooze ends a running one', async () => {
    await using scenario = await PushScenario.open(engine);
    const { apns, ada } = scenario;
    await ada.ask('POST', '/v1/devices/la-token', { ios_push_token: IOS, la_push_token: PUSH_TO_START });
    const { id } = await scenario.create();
    await scenario.clock.advance('59m');
    await ada.ask('POST', '/v1/devices/ping', { ios_push_token: IOS });
    await scenario.clock.advance('1m');
    const events = () => apns.pushes.flatMap((push) => apsOf(push).event ?? []);
    assert.deepEqual(events(), []);
    await scenario.clock.advance('15m');
    assert.deepEqual(events(), ['start']);
    await ada.ask('POST', `/v1/tasks/${id}/la-token`, { la_update_token: ACTIVITY });
    await ada.ask('POST', `/v1/tasks/${id}/snooze`, { until: '2026-03-02T20:00:00Z' });
    await scenario.app.engine?.settled();
    assert.deepEqual(events(), ['start', 'end']);
  });

  it('only the owner may register a Live Activity for a task', async () => {
    await using scenario = await PushScenario.open(engine);
    const bob = await createPerson(scenario.app, 'bob@example.org');
    const request = { title: 'bins', due_at: '2026-03-02T10:00:00Z', has_time: true, owner_id: scenario.ada.userId };
    const { id } = (await bob.ask('POST', '/v1/tasks', request)).body.data;
    await scenario.ada.ask('POST', `/v1/tasks/${id}/accept`);
    const token = { la_update_token: ACTIVITY };
    assert.equal((await bob.ask('POST', `/v1/tasks/${id}/la-token`, token)).status, 403);
    const eve = await createPerson(scenario.app, 'eve@example.org');
    assert.equal((await eve.ask('POST', `/v1/tasks/${id}/la-token`, token)).status, 404);
    for (const bad of ['ab', 'zz'.repeat(40), 'ab'.repeat(301)]) {
      assert.equal((await scenario.ada.ask('POST', `/v1/tasks/${id}/la-token`, { la_update_token: bad })).status, 422);
    }
  });

  it('an acknowledgement marks the newest delivery of the task and stage once, and only for its owner', async () => {
    await using scenario = await PushScenario.open(engine);
    const { ada } = scenario;
    await scenario.register({ ios_push_token: IOS, push_env: 'production' });
    const { id } = await scenario.create();
    await scenario.clock.advance('95m');
    const ack = (stage: number, person = ada) => person.ask('POST', '/v1/deliveries/ack', { task_id: id, stage });
    const acked = async (...args: Parameters<typeof ack>) => (await ack(...args)).body.data.acked;
    const eve = await createPerson(scenario.app, 'eve@example.org');
    assert.equal(await acked(1, eve), false);
    assert.equal(await acked(2), false);
    const waiting = { provider: 'ntfy', tier: 1, waits_for: 'tier', next_attempt_at: new Date('2030-01-01') } as const;
    const { db } = scenario.app;
    const waitInNextTier = () =>
      db
        .insertInto('deliveries')
        .values(storedDelivery({ id, owner_id: ada.userId }, waiting))
        .execute();
    const inNextTier = async () => {
      const rows = await db.selectFrom('deliveries').select('status').where('tier', '=', 1).execute();
      return rows.map(({ status }) => status);
    };
    await waitInNextTier();
    assert.equal(await acked(1), true);
    assert.deepEqual(await inNextTier(), ['cancelled'], 'the person was reached, so no further tier is tried');
    assert.equal(await acked(1), false);
    assert.equal(await acked(0), true);
    const entries = (await ada.ask('GET', `/v1/tasks/${id}/timeline`)).body.data;
    const nudges = entries.filter(({ kind }: { kind: string }) => kind === 'nudge');
    assert.deepEqual(
      nudges.map(
        (nudge: { deliveries: { acknowledged_at: string | null }[] }) => nudge.deliveries[0]?.acknowledged_at !== null,
      ),
      [true, false, true],
    );
    assert.deepEqual(
      entries
        .filter(({ kind }: { kind: string }) => kind === 'acknowledged')
        .map(({ stage: s }: { stage: number }) => s),
      [0, 1],
    );
    // An acknowledgement never slows the ladder. It counts once per task and stage, across nudges.
    await scenario.clock.advance('10m');
    await waitInNextTier();
    assert.equal(await acked(1), false);
    assert.deepEqual(await inNextTier(), ['cancelled', 'cancelled'], 'the person saw this nudge as well');
    const counted = await db.selectFrom('deliveries').select('nudge').where('acked_at', 'is not', null).execute();
    assert.equal(counted.length, 2);
    assert.equal((await ada.ask('GET', `/v1/tasks/${id}`)).body.data.nudge_count, 4);
    for (const bad of [-2, 3, 0.5]) assert.equal((await ack(bad)).status, 422);
  });

  it('a test push goes to every valid device like a nudge and reports the result for each', async () => {
    await using scenario = await PushScenario.open(engine);
    const { ada, apns } = scenario;
    await scenario.registerAll();
    const dead = await scenario.register({ ios_push_token: '99'.repeat(32), push_env: 'production' });
    apns.refuseToken('99'.repeat(32), { status: 410, reason: 'Unregistered' });
    const { data } = (await ada.ask('POST', '/v1/devices/test-push')).body;
    assert.equal(data.sent, 3);
    const byStatus = data.devices.map(
      ({ platform, status, reason }: Record<string, string>) => `${platform} ${status} ${reason}`,
    );
    assert.deepEqual(byStatus.sort(), [
      'android sent null',
      'ios failed_permanent Unregistered',
      'ios sent null',
      'web sent null',
    ]);
    const listed = (await ada.ask('GET', '/v1/devices')).body.data;
    assert.equal(listed.find(({ id }: { id: string }) => id === dead).valid, false);
    // Registered again, it is the same device and valid again.
    await scenario.clock.advance('1m');
    assert.equal(await scenario.register({ ios_push_token: '99'.repeat(32), push_env: 'production' }), dead);
    const areAllValid = async () =>
      (await ada.ask('GET', '/v1/devices')).body.data.every(({ valid }: { valid: boolean }) => valid);
    assert.equal(await areAllValid(), true);
    // A provider that still speaks of the time before does not end it.
    const timestamp = scenario.clock.now().getTime() - 1;
    apns.refuseToken('99'.repeat(32), { status: 410, reason: 'Unregistered', timestamp });
    await ada.ask('POST', '/v1/devices/test-push');
    assert.equal(await areAllValid(), true);
  });

  it('a device with a malformed token becomes invalid at its first push and is not tried again', async () => {
    await using scenario = await PushScenario.open(engine);
    const { ada, apns, fcm, browser } = scenario;
    await scenario.register({ ios_push_token: 'short but bound by length alone', push_env: 'production' });
    await scenario.register({ platform: 'android', android_push_token: ANDROID });
    const { endpoint } = browser.subscribe();
    // A key of the right length that is no point on the curve.
    const keys = { p256dh: `B${'A'.repeat(86)}`, auth: 'A'.repeat(22) };
    await scenario.register({ platform: 'web', web_push_subscription: { endpoint, keys } });
    const message = 'The registration token is not a valid FCM registration token';
    fcm.server.faults.next(fcmError(400, { errorCode: 'INVALID_ARGUMENT', message }));
    await scenario.create();
    await scenario.clock.advance('65m');
    const devices = (await ada.ask('GET', '/v1/devices')).body.data;
    assert.deepEqual(
      devices.map(({ platform, valid, invalid_reason }: Record<string, string>) => [platform, valid, invalid_reason]),
      [
        ['web', false, 'bad_subscription_keys'],
        ['android', false, 'INVALID_REGISTRATION'],
        ['ios', false, 'malformed_token'],
      ],
    );
    await scenario.clock.advance('3h');
    const { body } = await ada.ask('POST', '/v1/devices/test-push');
    assert.deepEqual(body.data, { sent: 0, devices: [] });
    const deliveries = await scenario.app.db.selectFrom('deliveries').select('status').execute();
    assert.deepEqual(
      deliveries.map(({ status }) => status),
      Array(3).fill('failed_permanent'),
    );
    assert.deepEqual([apns.pushes.length, browser.pushes.length], [0, 0]);
  });

  it('a delivery that waits for a free stream is cancelled when its task is completed', async () => {
    await using scenario = await PushScenario.open(engine);
    const { apns, ada } = scenario;
    await scenario.register({ ios_push_token: IOS, push_env: 'production' });
    await scenario.create({ title: 'first', due_at: '2026-03-02T08:00:00Z', mode: 'notify_once' });
    await apns.setStreamLimit(1);
    const ids: string[] = [];
    for (let index = 0; index < 20; index += 1) ids.push((await scenario.create({ title: `t${index}` })).id);
    apns.hold();
    const advancing = scenario.clock.advance('1h');
    await apns.receives(2);
    for (const id of ids) await ada.ask('POST', `/v1/tasks/${id}/complete`);
    apns.release();
    await advancing;
    await scenario.clock.advance('1m');
    // The first push, and the one or two that were in flight by then.
    assert.ok(apns.received <= 4, `${apns.received} pushes`);
  });

  it('a Live Activity whose token arrives after the occurrence was completed is ended', async () => {
    await using scenario = await PushScenario.open(engine);
    const { apns, ada } = scenario;
    await scenario.register({ ios_push_token: IOS, push_env: 'production' });
    await ada.ask('POST', '/v1/devices/la-token', { ios_push_token: IOS, la_push_token: PUSH_TO_START });
    const { id } = await scenario.create({ recurrence: { freq: 'daily' } });
    await scenario.clock.advance('1h');
    await ada.ask('POST', `/v1/tasks/${id}/complete`);
    await ada.ask('POST', `/v1/tasks/${id}/la-token`, { la_update_token: ACTIVITY });
    await scenario.app.engine?.settled();
    const events = () => apns.pushes.flatMap((push) => apsOf(push).event ?? []);
    assert.deepEqual(events(), ['start', 'end']);
    // Reporting the token again changes nothing.
    await ada.ask('POST', `/v1/tasks/${id}/la-token`, { la_update_token: ACTIVITY });
    await scenario.clock.advance('1d');
    assert.deepEqual(events().slice(0, 3), ['start', 'end', 'end']);
    assert.ok(!events().includes('update'));
  });

  it('a removed phone loses its Live Activities, and a task has at most five', async () => {
    await using scenario = await PushScenario.open(engine);
    const { apns, ada } = scenario;
    const device = await scenario.register({ ios_push_token: IOS, push_env: 'production' });
    const { id } = await scenario.create();
    const report = (token: string) => ada.ask('POST', `/v1/tasks/${id}/la-token`, { la_update_token: token });
    for (let index = 0; index < 8; index += 1) await report(`${index}`.repeat(80));
    const running = await scenario.app.db.selectFrom('live_activities').selectAll().execute();
    assert.equal(running.length, 5);
    await ada.ask('DELETE', `/v1/devices/${device}`);
    await scenario.clock.advance('2h');
    const events = apns.pushes.flatMap((push) => apsOf(push).event ?? []);
    assert.deepEqual(events, Array(5).fill('end'));
  });

  test('concurrent registrations of the same tokens create one device and one Live Activity, without errors', async () => {
    await using scenario = await PushScenario.open(engine);
    const { ada } = scenario;
    const bob = await createPerson(scenario.app, 'bob@example.org');
    await scenario.register({ ios_push_token: IOS, push_env: 'production' });
    const { id } = await scenario.create();
    for (let round = 0; round < 5; round += 1) {
      const answers = await Promise.all([
        ...[ada, bob, ada, bob].map((person) => person.ask('POST', '/v1/devices', { ios_push_token: '77'.repeat(32) })),
        ...[1, 2, 3].map(() => ada.ask('POST', `/v1/tasks/${id}/la-token`, { la_update_token: `${round}`.repeat(80) })),
        ada.ask('POST', '/v1/devices/ping', { ios_push_token: IOS }),
      ]);
      assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
      const tokens = await scenario.app.db.selectFrom('devices').select('token').execute();
      assert.equal(tokens.length, 2);
    }
  });

  test('a Live Activity that is registered while the task is being completed does not stay', async () => {
    await using scenario = await PushScenario.open(engine);
    const { ada } = scenario;
    await scenario.register({ ios_push_token: IOS, push_env: 'production' });
    for (let round = 0; round < 10; round += 1) {
      const { id } = await scenario.create();
      await Promise.all([
        ada.ask('POST', `/v1/tasks/${id}/la-token`, { la_update_token: round.toString(16).padStart(80, 'a') }),
        ada.ask('POST', `/v1/tasks/${id}/complete`),
      ]);
    }
    const running = await scenario.app.db
      .selectFrom('live_activities')
      .selectAll()
      .where('ended_at', 'is', null)
      .execute();
    assert.deepEqual(running, []);
  });
});
