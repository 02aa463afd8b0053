import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeApns } from '../support/apns-server.ts';
import { type Bed, startBed } from '../support/bed.ts';
import { type EngineName, onEveryEngine } from '../support/engines.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { FakeFcm } from '../support/fcm-server.ts';
import { type Person, signIn } from '../support/people.ts';
import { FakeWebPush } from '../support/web-push-service.ts';

const IOS = 'ab'.repeat(32);
const START = 'cd'.repeat(40);
const CARD = 'ef'.repeat(40);
const ANDROID = `android:${'x'.repeat(60)}`;

/** The service with all three providers, each a fake that speaks the true protocol. */
class Stage implements AsyncDisposable {
  readonly clock = new FakeClock();
  bed!: Bed;
  apns!: FakeApns;
  fcm!: FakeFcm;
  browser!: FakeWebPush;
  ada!: Person;

  static async open(engine: EngineName, settings: Record<string, string> = {}): Promise<Stage> {
    const stage = new Stage();
    stage.apns = await FakeApns.start(stage.clock, { scheme: 'http' });
    stage.fcm = await FakeFcm.start(stage.clock);
    stage.browser = await FakeWebPush.start(stage.clock);
    stage.bed = await startBed(engine, {
      clock: stage.clock,
      settings: { ...stage.apns.settings, ...stage.fcm.settings, ...stage.browser.settings, ...vapid(), ...settings },
    });
    stage.ada = await signIn(stage.bed, 'ada@example.org');
    return stage;
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
    await this.bed.engine?.settled();
    return body.data;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.bed[Symbol.asyncDispose]();
    for (const fake of [this.apns, this.fcm, this.browser]) await fake[Symbol.asyncDispose]();
    assert.deepEqual(this.apns.offences, []);
  }
}

/** A pair made once for all tests. */
function vapid(): Record<string, string> {
  return { ...VAPID_PAIR };
}

const VAPID_PAIR = await (async () => {
  const { generateKeyPairSync } = await import('node:crypto');
  const { findPublicKey } = await import('../../src/push/web-push/vapid-keys.ts');
  const { d = '' } = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' });
  return { VAPID_PRIVATE_KEY: d, VAPID_PUBLIC_KEY: findPublicKey(d) ?? '' };
})();

// biome-ignore lint/suspicious/noExplicitAny: what a provider got is read as its device would.
const apsOf = (push: { body: any }) => push.body.aps;

onEveryEngine((engine) => {
  test('a task climbs on a phone, an Android phone and a browser, each time as strong as it should be', async () => {
    await using stage = await Stage.open(engine);
    const { apns, fcm, browser, ada } = stage;
    await stage.registerAll();
    const { id } = await stage.create({ lead_time_days: 0, due_at: '2026-03-02T18:00:00Z' });
    await ada.ask('PATCH', '/v1/me', { day_start: '10:00' });
    await stage.clock.advance('10h');
    const levels = apns.pushes.map((push) => apsOf(push)['interruption-level']);
    assert.deepEqual(levels, ['passive', 'active', ...Array(3).fill('time-sensitive'), 'time-sensitive']);
    assert.deepEqual(
      apns.pushes.map(({ headers }) => headers['apns-priority']),
      ['5', ...Array(5).fill('10')],
    );
    assert.deepEqual(apsOf(apns.pushes.at(-1) ?? { body: {} }).sound, 'nudge-loud.caf');
    for (const { token, headers, body } of apns.pushes) {
      assert.deepEqual([token, headers['apns-collapse-id'], body.task_id], [IOS, id, id]);
      assert.equal(body.occurrence_due_at, '2026-03-02T18:00:00.000Z');
    }
    assert.deepEqual(
      apns.pushes.map(({ body }) => body.stage),
      [-1, 0, 1, 1, 1, 2],
    );
    assert.deepEqual(
      browser.pushes.map(({ urgency }) => urgency),
      ['low', 'normal', ...Array(4).fill('high')],
    );
    assert.ok(browser.pushes.every(({ topic }) => topic === id.replaceAll('-', '')));
    assert.equal(fcm.messages.length, 6);
    assert.equal((await ada.ask('GET', '/v1/stats')).body.data.nudges_sent, 6);
  });

  test('a card is started with the first due nudge, updated by the next and taken away when the task is done', async () => {
    await using stage = await Stage.open(engine);
    const { apns, ada } = stage;
    await stage.register({ ios_push_token: IOS, push_env: 'production' });
    await ada.ask('POST', '/v1/devices/la-token', { ios_push_token: IOS, la_push_token: START });
    const { id } = await stage.create();
    await stage.clock.advance('1h');
    const cards = () => apns.pushes.filter(({ headers }) => headers['apns-push-type'] === 'liveactivity');
    assert.deepEqual(
      cards().map((push) => [push.token, apsOf(push).event]),
      [[START, 'start']],
    );
    assert.equal((await ada.ask('POST', `/v1/tasks/${id}/la-token`, { la_update_token: CARD })).body.data.id, id);
    assert.equal((await ada.ask('POST', `/v1/tasks/${id}/la-token`, { la_update_token: CARD })).status, 200);
    await stage.clock.advance('30m');
    await ada.ask('POST', `/v1/tasks/${id}/complete`);
    await stage.bed.engine?.settled();
    assert.deepEqual(
      cards().map((push) => [push.token, apsOf(push).event, push.headers['apns-priority']]),
      [
        [START, 'start', '10'],
        [CARD, 'update', '10'],
        [CARD, 'update', '5'],
        [CARD, 'end', '10'],
      ],
    );
    const late = await ada.ask('POST', `/v1/tasks/${id}/la-token`, { la_update_token: '12'.repeat(40) });
    assert.equal(late.body.data.status, 'done');
    await stage.bed.engine?.settled();
    assert.deepEqual([cards().at(-1)?.token, apsOf(cards().at(-1) ?? { body: {} }).event], ['12'.repeat(40), 'end']);
  });

  test('no card is started on a phone that is in somebody’s hand, and a snooze takes a running one away', async () => {
    await using stage = await Stage.open(engine);
    const { apns, ada } = stage;
    await ada.ask('POST', '/v1/devices/la-token', { ios_push_token: IOS, la_push_token: START });
    const { id } = await stage.create();
    await stage.clock.advance('59m');
    await ada.ask('POST', '/v1/devices/ping', { ios_push_token: IOS });
    await stage.clock.advance('1m');
    const events = () => apns.pushes.flatMap((push) => apsOf(push).event ?? []);
    assert.deepEqual(events(), []);
    await stage.clock.advance('15m');
    assert.deepEqual(events(), ['start']);
    await ada.ask('POST', `/v1/tasks/${id}/la-token`, { la_update_token: CARD });
    await ada.ask('POST', `/v1/tasks/${id}/snooze`, { until: '2026-03-02T20:00:00Z' });
    await stage.bed.engine?.settled();
    assert.deepEqual(events(), ['start', 'end']);
  });

  test('only the owner may bind a card to a task', async () => {
    await using stage = await Stage.open(engine);
    const bob = await signIn(stage.bed, 'bob@example.org');
    const request = { title: 'bins', due_at: '2026-03-02T10:00:00Z', has_time: true, owner_id: stage.ada.userId };
    const { id } = (await bob.ask('POST', '/v1/tasks', request)).body.data;
    await stage.ada.ask('POST', `/v1/tasks/${id}/accept`);
    const token = { la_update_token: CARD };
    assert.equal((await bob.ask('POST', `/v1/tasks/${id}/la-token`, token)).status, 403);
    const eve = await signIn(stage.bed, 'eve@example.org');
    assert.equal((await eve.ask('POST', `/v1/tasks/${id}/la-token`, token)).status, 404);
    for (const bad of ['ab', 'zz'.repeat(40), 'ab'.repeat(301)]) {
      assert.equal((await stage.ada.ask('POST', `/v1/tasks/${id}/la-token`, { la_update_token: bad })).status, 422);
    }
  });

  test('an acknowledgement marks the newest delivery of the pair once, and only one’s own', async () => {
    await using stage = await Stage.open(engine);
    const { ada } = stage;
    await stage.register({ ios_push_token: IOS, push_env: 'production' });
    const { id } = await stage.create();
    await stage.clock.advance('95m');
    const ack = (stage_: number, who = ada) => who.ask('POST', '/v1/deliveries/ack', { task_id: id, stage: stage_ });
    const acked = async (...args: Parameters<typeof ack>) => (await ack(...args)).body.data.acked;
    const eve = await signIn(stage.bed, 'eve@example.org');
    assert.equal(await acked(1, eve), false);
    assert.equal(await acked(2), false);
    assert.equal(await acked(1), true);
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
    // It never slows the ladder, and the pair rule spans nudges.
    await stage.clock.advance('10m');
    assert.equal(await acked(1), false);
    assert.equal((await ada.ask('GET', `/v1/tasks/${id}`)).body.data.nudge_count, 4);
    for (const bad of [-2, 3, 0.5]) assert.equal((await ack(bad)).status, 422);
  });

  test('a test push reaches every valid device by the way nudges go, and says what became of each', async () => {
    await using stage = await Stage.open(engine);
    const { ada, apns } = stage;
    await stage.registerAll();
    const dead = await stage.register({ ios_push_token: '99'.repeat(32), push_env: 'production' });
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
    // Reported again, it is the same device and valid once more.
    await stage.clock.advance('1m');
    assert.equal(await stage.register({ ios_push_token: '99'.repeat(32), push_env: 'production' }), dead);
    assert.equal(
      (await ada.ask('GET', '/v1/devices')).body.data.every(({ valid }: { valid: boolean }) => valid),
      true,
    );
  });

  test('a provider that is not configured fails for now, and the device stays valid', async () => {
    await using bed = await startBed(engine);
    const ada = await signIn(bed, 'ada@example.org');
    await ada.ask('POST', '/v1/devices', { ios_push_token: IOS });
    const { data } = (await ada.ask('POST', '/v1/devices/test-push')).body;
    assert.deepEqual(
      [data.sent, data.devices[0].status, data.devices[0].reason],
      [0, 'failed_transient', 'not_configured'],
    );
    assert.equal((await ada.ask('GET', '/v1/devices')).body.data[0].valid, true);
  });

  test('each fault of a provider loses no nudge and costs no device', async () => {
    await using stage = await Stage.open(engine);
    const { apns, fcm, browser, ada } = stage;
    await stage.registerAll();
    const faults = [
      { status: 429, reason: 'TooManyRequests' },
      { status: 500, reason: 'InternalServerError' },
      { status: 503, reason: 'Shutdown' },
      { status: 403, reason: 'ExpiredProviderToken' },
    ];
    for (const [index, fault] of faults.entries()) {
      const due_at = new Date(stage.clock.now().getTime() + 60_000).toISOString();
      apns.refuseNext(1, fault);
      const { id } = await stage.create({ title: fault.reason, mode: 'notify_once', due_at });
      await stage.clock.advance('12m');
      assert.equal(apns.pushes.length, index + 1, fault.reason);
      const [nudge] = (await ada.ask('GET', `/v1/tasks/${id}/timeline`)).body.data;
      assert.ok(
        nudge.deliveries.every(({ status }: { status: string }) => status === 'sent'),
        fault.reason,
      );
    }
    assert.equal(fcm.messages.length, faults.length);
    assert.equal(browser.pushes.length, faults.length);
    assert.equal(
      (await ada.ask('GET', '/v1/devices')).body.data.every(({ valid }: { valid: boolean }) => valid),
      true,
    );
  });

  test('a hundred nudges survive a provider that goes away in mid-burst and one that allows a single stream', async () => {
    await using stage = await Stage.open(engine);
    const { apns } = stage;
    await stage.register({ ios_push_token: IOS, push_env: 'production' });
    await stage.create({ title: 'first', due_at: '2026-03-02T09:00:00Z', mode: 'notify_once' });
    await apns.allow(1);
    for (let index = 0; index < 50; index += 1) await stage.create({ title: `a${index}`, mode: 'notify_once' });
    await stage.clock.advance('1h');
    assert.equal(apns.pushes.length, 51);
    await apns.allow(500);
    for (let index = 0; index < 50; index += 1) {
      await stage.create({ title: `b${index}`, mode: 'notify_once', due_at: '2026-03-02T11:00:00Z' });
    }
    apns.hold();
    const moving = stage.clock.advance('1h');
    await apns.receives(apns.received + 20);
    apns.goAway(apns.heldIds[9] ?? 0);
    apns.release();
    await moving;
    await stage.clock.advance('5m');
    const titles = new Set(apns.pushes.map((push) => apsOf(push).alert.title));
    assert.equal(titles.size, 101);
  });

  test('what a provider has no stream for waits where dealing with the task still calls it back', async () => {
    await using stage = await Stage.open(engine);
    const { apns, ada } = stage;
    await stage.register({ ios_push_token: IOS, push_env: 'production' });
    await stage.create({ title: 'first', due_at: '2026-03-02T08:00:00Z', mode: 'notify_once' });
    await apns.allow(1);
    const ids: string[] = [];
    for (let index = 0; index < 20; index += 1) ids.push((await stage.create({ title: `t${index}` })).id);
    apns.hold();
    const moving = stage.clock.advance('1h');
    await apns.receives(2);
    for (const id of ids) await ada.ask('POST', `/v1/tasks/${id}/complete`);
    apns.release();
    await moving;
    await stage.clock.advance('1m');
    // The first, and the one or two that were on the wire by then.
    assert.ok(apns.received <= 4, `${apns.received} pushes`);
  });

  test('a card that says its name only after the occurrence was dealt with is taken away', async () => {
    await using stage = await Stage.open(engine);
    const { apns, ada } = stage;
    await stage.register({ ios_push_token: IOS, push_env: 'production' });
    await ada.ask('POST', '/v1/devices/la-token', { ios_push_token: IOS, la_push_token: START });
    const { id } = await stage.create({ recurrence: { freq: 'daily' } });
    await stage.clock.advance('1h');
    await ada.ask('POST', `/v1/tasks/${id}/complete`);
    await ada.ask('POST', `/v1/tasks/${id}/la-token`, { la_update_token: CARD });
    await stage.bed.engine?.settled();
    const events = () => apns.pushes.flatMap((push) => apsOf(push).event ?? []);
    assert.deepEqual(events(), ['start', 'end']);
    // Said again, it stays what it is.
    await ada.ask('POST', `/v1/tasks/${id}/la-token`, { la_update_token: CARD });
    await stage.clock.advance('1d');
    assert.deepEqual(events().slice(0, 3), ['start', 'end', 'end']);
    assert.ok(!events().includes('update'));
  });

  test('a phone that is removed loses its cards, and nobody has more of them than phones', async () => {
    await using stage = await Stage.open(engine);
    const { apns, ada } = stage;
    const device = await stage.register({ ios_push_token: IOS, push_env: 'production' });
    const { id } = await stage.create();
    const report = (token: string) => ada.ask('POST', `/v1/tasks/${id}/la-token`, { la_update_token: token });
    for (let index = 0; index < 8; index += 1) await report(`${index}`.repeat(80));
    const running = await stage.bed.db.selectFrom('live_activities').selectAll().execute();
    assert.equal(running.length, 5);
    await ada.ask('DELETE', `/v1/devices/${device}`);
    await stage.clock.advance('2h');
    const events = apns.pushes.flatMap((push) => apsOf(push).event ?? []);
    assert.deepEqual(events, Array(5).fill('end'));
  });

  test('the same at the same moment: one device, one card, no error', async () => {
    await using stage = await Stage.open(engine);
    const { ada } = stage;
    const bob = await signIn(stage.bed, 'bob@example.org');
    await stage.register({ ios_push_token: IOS, push_env: 'production' });
    const { id } = await stage.create();
    for (let round = 0; round < 5; round += 1) {
      const answers = await Promise.all([
        ...[ada, bob, ada, bob].map((who) => who.ask('POST', '/v1/devices', { ios_push_token: '77'.repeat(32) })),
        ...[1, 2, 3].map(() => ada.ask('POST', `/v1/tasks/${id}/la-token`, { la_update_token: `${round}`.repeat(80) })),
        ada.ask('POST', '/v1/devices/ping', { ios_push_token: IOS }),
      ]);
      assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
      const tokens = await stage.bed.db.selectFrom('devices').select('token').execute();
      assert.equal(tokens.length, 2);
    }
  });

  test('a card that is reported while the task is being completed does not stay', async () => {
    await using stage = await Stage.open(engine);
    const { ada } = stage;
    await stage.register({ ios_push_token: IOS, push_env: 'production' });
    for (let round = 0; round < 10; round += 1) {
      const { id } = await stage.create();
      await Promise.all([
        ada.ask('POST', `/v1/tasks/${id}/la-token`, { la_update_token: round.toString(16).padStart(80, 'a') }),
        ada.ask('POST', `/v1/tasks/${id}/complete`),
      ]);
    }
    const running = await stage.bed.db
      .selectFrom('live_activities')
      .selectAll()
      .where('ended_at', 'is', null)
      .execute();
    assert.deepEqual(running, []);
  });
});
