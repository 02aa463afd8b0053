import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DevicesService } from '../../src/devices/devices.service.ts';
import { TestPushService } from '../../src/devices/test-push.service.ts';
import { newId } from '../../src/lib/ids.ts';
import type { PushResult } from '../../src/push/gateway.ts';
import { onEveryEngine } from '../support/engines.ts';
import { createPerson } from '../support/people.ts';
import { startTestApp } from '../support/test-app.ts';

const IOS = 'ab'.repeat(32);
const ANDROID = 'x'.repeat(64);
const WEB = {
  endpoint: 'https://fcm.googleapis.com/fcm/send/abc',
  keys: { p256dh: `B${'A'.repeat(86)}`, auth: 'A'.repeat(22) },
};

onEveryEngine((engine, it) => {
  it('a device is named by the browser and system that registered it last', async () => {
    await using app = await startTestApp(engine);
    const ada = await createPerson(app);
    const register = async (agent: string) => {
      const headers = { authorization: `Bearer ${ada.sessionToken}`, 'user-agent': agent };
      const payload = { platform: 'web', web_push_subscription: WEB };
      await app.ask({ method: 'POST', url: '/v1/devices', payload, headers });
      return (await ada.ask('GET', '/v1/devices')).body.data[0].name;
    };
    assert.equal(await register('Mozilla/5.0 (Windows NT 10.0) Gecko/20100101 Firefox/140.0'), 'Firefox on Windows');
    assert.equal(await register('Mozilla/5.0 (X11; Linux x86_64) Chrome/141.0 Safari/537.36'), 'Chrome on Linux');
    assert.equal(await register('a program of my own'), null);
  });

  it('a registration requires exactly one token, of the kind that its platform uses', async () => {
    await using app = await startTestApp(engine);
    const ada = await createPerson(app);
    const good = [
      { ios_push_token: 'short but bound by length alone' },
      { platform: 'ios', ios_push_token: IOS, android_push_token: null, push_env: 'production' },
      { platform: 'android', android_push_token: ANDROID },
      { platform: 'web', web_push_subscription: WEB },
    ];
    for (const body of good) {
      const { status, body: answer } = await ada.ask('POST', '/v1/devices', body);
      assert.equal(status, 200, JSON.stringify(answer));
      assert.deepEqual(Object.keys(answer.data).sort(), ['id', 'platform', 'valid']);
    }
    const bad = [
      {},
      { platform: 'ios' },
      { ios_push_token: '' },
      { ios_push_token: 'a'.repeat(601) },
      { ios_push_token: IOS, android_push_token: ANDROID },
      { platform: 'android', ios_push_token: IOS },
      { platform: 'ios', android_push_token: ANDROID },
      { platform: 'android', android_push_token: 'x'.repeat(31) },
      { platform: 'android', android_push_token: `${'x'.repeat(40)}/` },
      { platform: 'windows', ios_push_token: IOS },
      { ios_push_token: IOS, push_env: 'staging' },
      { platform: 'web', web_push_subscription: { ...WEB, endpoint: 'https://evil.example/x' } },
      { platform: 'web', web_push_subscription: { ...WEB, endpoint: 'http://127.0.0.1:8080/x' } },
      { platform: 'web', web_push_subscription: { endpoint: WEB.endpoint } },
    ];
    for (const body of bad) {
      assert.equal((await ada.ask('POST', '/v1/devices', body)).status, 422, JSON.stringify(body));
    }
    assert.equal((await ada.ask('GET', '/v1/devices')).body.data.length, 4);
  });

  it('an account gets a few test pushes a minute; then it is told when to try again', async () => {
    await using app = await startTestApp(engine);
    const [ada, bob] = [await createPerson(app), await createPerson(app)];
    const testPush = (who: typeof ada) => who.ask('POST', '/v1/devices/test-push');
    const answers = await Promise.all(Array.from({ length: 8 }, () => testPush(ada)));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 200, 200, 200, 200, 429, 429, 429]);
    const refused = await testPush(ada);
    assert.equal(refused.body.error.split(':')[0], 'too_many_requests');
    assert.equal(refused.headers['retry-after'], '60');
    assert.equal((await testPush(bob)).status, 200);
    await app.clock.advance('59s');
    assert.equal((await testPush(ada)).headers['retry-after'], '1');
    await app.clock.advance('1s');
    assert.equal((await testPush(ada)).status, 200);
  });

  test('the same token is the same device in upper or lower case; registering it in another account removes it from the first', async () => {
    await using app = await startTestApp(engine);
    const [ada, bob] = [await createPerson(app), await createPerson(app)];
    const register = async (who: typeof ada, token: string) =>
      (await who.ask('POST', '/v1/devices', { ios_push_token: token })).body.data.id;
    const id = await register(ada, IOS);
    assert.equal(await register(ada, IOS.toUpperCase()), id);
    const [first, second] = await Promise.all([register(ada, '12'.repeat(32)), register(ada, '12'.repeat(32))]);
    assert.equal(first, second);
    assert.notEqual(await register(bob, IOS), id);
    const devices = (await ada.ask('GET', '/v1/devices')).body.data;
    assert.deepEqual(
      devices.map((device: { id: string }) => device.id),
      [first],
    );
  });

  it('a start token creates a missing device; a ping for a device of another user or an unknown one changes nothing', async () => {
    await using app = await startTestApp(engine);
    const [ada, bob] = [await createPerson(app), await createPerson(app)];
    const tokens = { ios_push_token: IOS, la_push_token: 'cd'.repeat(40) };
    const { id } = (await ada.ask('POST', '/v1/devices/la-token', tokens)).body.data;
    assert.equal((await ada.ask('POST', '/v1/devices', { ios_push_token: IOS })).body.data.id, id);
    const stored = await app.db.selectFrom('devices').selectAll().executeTakeFirstOrThrow();
    assert.equal(stored.start_token, tokens.la_push_token);
    const ping = (who: typeof ada, token = IOS) => who.ask('POST', '/v1/devices/ping', { ios_push_token: token });
    assert.deepEqual((await ping(bob)).body, { ok: true, data: null, error: null });
    assert.deepEqual((await ping(ada, '34'.repeat(32))).body.data, null);
    assert.equal((await ada.ask('GET', '/v1/devices')).body.data[0].last_seen_at, null);
    assert.equal((await ping(ada)).body.data.id, id);
    assert.equal((await ada.ask('GET', '/v1/devices')).body.data[0].last_seen_at, app.clock.now().toISOString());
    for (const bad of ['ab', 'zz'.repeat(20), 'ab'.repeat(301)]) assert.equal((await ping(ada, bad)).status, 422);
  });

  it('a device has the keys and the environment of its last registration, and the newest is listed first', async () => {
    await using app = await startTestApp(engine);
    const ada = await createPerson(app);
    const stored = async (id: string) =>
      app.db.selectFrom('devices').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
    const subscribe = async (auth: string) => {
      const web_push_subscription = { ...WEB, keys: { ...WEB.keys, auth } };
      return (await ada.ask('POST', '/v1/devices', { platform: 'web', web_push_subscription })).body.data.id;
    };
    const browser = await subscribe('A'.repeat(22));
    assert.equal(await subscribe('B'.repeat(22)), browser);
    assert.equal(JSON.parse((await stored(browser)).keys ?? '').auth, 'B'.repeat(22));
    await app.clock.advance('1m');
    const phone = (await ada.ask('POST', '/v1/devices', { ios_push_token: IOS })).body.data.id;
    assert.equal((await stored(phone)).push_env, 'sandbox');
    await ada.ask('POST', '/v1/devices', { ios_push_token: IOS, push_env: 'production' });
    await ada.ask('POST', '/v1/devices/la-token', { ios_push_token: IOS, la_push_token: 'cd'.repeat(40) });
    assert.equal((await stored(phone)).push_env, 'production', 'also after its app has stored another token');
    const listed = (await ada.ask('GET', '/v1/devices')).body.data;
    assert.deepEqual(
      listed.map(({ id }: { id: string }) => id),
      [phone, browser],
    );
  });

  it('a test push goes to the valid devices of the person who asks, and to no other', async () => {
    await using app = await startTestApp(engine);
    const [ada, bob] = [await createPerson(app), await createPerson(app)];
    const register = async (person: typeof ada, token: string) =>
      (await person.ask('POST', '/v1/devices', { ios_push_token: token.repeat(32) })).body.data.id;
    const [valid, invalid] = [await register(ada, 'a1'), await register(ada, 'a2'), await register(bob, 'b1')];
    await app.db.updateTable('devices').set({ valid: false }).where('id', '=', invalid).execute();
    const { devices } = (await ada.ask('POST', '/v1/devices/test-push')).body.data;
    assert.deepEqual(
      devices.map(({ device_id }: { device_id: string }) => device_id),
      [valid],
    );
  });

  it('a Live Activity is one of the phone that it runs on, if that is known, and of one task', async () => {
    await using app = await startTestApp(engine);
    const { db, clock } = app;
    const ada = await createPerson(app);
    const create = async () => (await ada.ask('POST', '/v1/tasks', { title: 'pills' })).body.data.id as string;
    const [task, other] = [await create(), await create()];
    const report = async (to: string, token: string) => {
      assert.equal(
        (await ada.ask('POST', `/v1/tasks/${to}/la-token`, { la_update_token: token.repeat(40) })).status,
        200,
      );
    };
    const activities = () => db.selectFrom('live_activities').selectAll().orderBy('started_at').execute();
    const first = (await ada.ask('POST', '/v1/devices', { ios_push_token: IOS })).body.data.id;
    await report(task, 'a1');
    assert.deepEqual(
      (await activities()).map(({ device_id, push_env }) => [device_id, push_env]),
      [[first, 'sandbox']],
    );
    await report(other, 'a1');
    assert.deepEqual(
      (await activities()).map(({ task_id }) => task_id),
      [other],
    );
    await clock.advance('1m');
    await ada.ask('POST', '/v1/devices', { ios_push_token: '12'.repeat(32), push_env: 'production' });
    await report(task, 'a2');
    const [, unknown] = await activities();
    assert.deepEqual([unknown?.task_id, unknown?.device_id, unknown?.push_env], [task, null, 'production']);
    // What a push started hours ago is over on the phone: its token never came.
    await db
      .updateTable('live_activities')
      .set({ token: null, token_hash: null })
      .where('task_id', '=', task)
      .execute();
    await clock.advance('8h');
    await report(task, 'a3');
    assert.equal((await activities()).length, 3);
    // What was started since gets its token when that comes.
    await db
      .updateTable('live_activities')
      .set({ token: null, token_hash: null })
      .where('task_id', '=', task)
      .execute();
    await report(task, 'a4');
    assert.equal((await activities()).length, 3);
    assert.equal((await activities())[2]?.token, 'a4'.repeat(40));
    // An app that reports too many keeps the newest.
    for (const token of ['b1', 'b2', 'b3', 'b4']) {
      await clock.advance('1m');
      await report(task, token);
    }
    const kept = (await activities()).filter(({ task_id }) => task_id === task);
    assert.deepEqual(
      kept.map(({ token }) => token?.slice(0, 2)),
      ['a4', 'b1', 'b2', 'b3', 'b4'],
    );
  });

  it('only its owner can remove a device', async () => {
    await using app = await startTestApp(engine);
    const [ada, bob] = [await createPerson(app), await createPerson(app)];
    const { id } = (await ada.ask('POST', '/v1/devices', { ios_push_token: IOS })).body.data;
    assert.equal((await bob.ask('DELETE', `/v1/devices/${id}`)).status, 404);
    assert.equal((await ada.ask('DELETE', `/v1/devices/${id}`)).status, 200);
    assert.equal((await ada.ask('DELETE', `/v1/devices/${id}`)).status, 404);
    assert.deepEqual((await ada.ask('GET', '/v1/devices')).body.data, []);
  });

  test('beyond the limit, a new device or one that is valid again replaces the one unseen for the longest time', async () => {
    await using app = await startTestApp(engine, { settings: { MAX_DEVICES_PER_ACCOUNT: '3' } });
    const [ada, bob] = [await createPerson(app), await createPerson(app)];
    const tokenOf = (index: number) => index.toString(16).padStart(64, '0');
    for (const index of [91, 92]) await bob.ask('POST', '/v1/devices', { ios_push_token: tokenOf(index) });
    const register = async (index: number) => {
      await app.clock.advance('1m');
      return (await ada.ask('POST', '/v1/devices', { ios_push_token: tokenOf(index) })).body.data.id;
    };
    const ids = async () =>
      (await ada.ask('GET', '/v1/devices')).body.data.map(({ id }: { id: string }) => id).toSorted();
    const [first, second, third] = [await register(1), await register(2), await register(3)];
    await app.clock.advance('1m');
    await ada.ask('POST', '/v1/devices/ping', { ios_push_token: tokenOf(1) });
    const fourth = await register(4);
    assert.deepEqual(await ids(), [first, third, fourth].toSorted(), 'the second was not seen for the longest time');
    assert.equal(await register(3), third, 'a device that is registered again replaces nothing');
    assert.equal((await ids()).length, 3);
    assert.ok(!(await ids()).includes(second));
    await app.db.updateTable('devices').set({ valid: false }).where('id', '=', first).execute();
    const fifth = await register(5);
    assert.deepEqual(await ids(), [first, third, fourth, fifth].toSorted(), 'an invalid device does not count');
    assert.equal(await register(1), first);
    assert.deepEqual(await ids(), [first, third, fifth].toSorted());
    assert.equal((await bob.ask('GET', '/v1/devices')).body.data.length, 2, 'of another person');
  });

  it('a replaced device loses its Live Activities', async () => {
    await using app = await startTestApp(engine, { settings: { MAX_DEVICES_PER_ACCOUNT: '1' } });
    const ada = await createPerson(app);
    await ada.ask('POST', '/v1/devices', { ios_push_token: IOS });
    const task = (await ada.ask('POST', '/v1/tasks', { title: 'pills' })).body.data;
    const la_update_token = 'ab'.repeat(40);
    assert.equal((await ada.ask('POST', `/v1/tasks/${task.id}/la-token`, { la_update_token })).status, 200);
    await ada.ask('POST', '/v1/devices', { ios_push_token: 'cd'.repeat(32) });
    const [activity] = await app.db.selectFrom('live_activities').selectAll().execute();
    assert.ok(activity?.ended_at, 'the activity still runs');
    const [end] = await app.db.selectFrom('deliveries').selectAll().execute();
    assert.deepEqual([end?.kind, end?.target_id, end?.recipient_id], ['activity_end', activity.id, ada.userId]);
    assert.equal((await ada.ask('POST', `/v1/tasks/${task.id}/la-token`, { la_update_token })).status, 200);
    const ends = await app.db.selectFrom('deliveries').select('kind').execute();
    assert.equal(ends.length, 1, 'an end that waits is not sent twice');
  });

  it('the engine hears at once of a device that was replaced, taken over or removed', async () => {
    await using app = await startTestApp(engine);
    const [ada, bob] = [await createPerson(app), await createPerson(app)];
    const { id: sessionId, user_id } = await app.db
      .selectFrom('sessions')
      .select(['id', 'user_id'])
      .where('user_id', '=', ada.userId)
      .executeTakeFirstOrThrow();
    const caller = { kind: 'session', userId: user_id, sessionId, provenAt: app.clock.now() } as const;
    let calls = 0;
    const rules = { isAllowedEndpoint: () => true, maxDevices: 1 };
    const wakeUp = () => {
      calls += 1;
    };
    const devices = new DevicesService(app.db, app.clock, rules, wakeUp, () => undefined);
    const register = (letters: string) =>
      devices.register(caller, { platform: 'ios', ios_push_token: letters.repeat(32), push_env: 'sandbox' });
    await register('ab');
    assert.equal(calls, 0);
    await app.clock.advance('1m');
    await register('cd');
    assert.equal(calls, 1, 'the first was replaced');
    await bob.ask('POST', '/v1/devices', { ios_push_token: 'ef'.repeat(32) });
    await app.db.deleteFrom('devices').where('user_id', '=', ada.userId).execute();
    const { id } = await register('ef');
    assert.equal(calls, 2, 'it was taken over');
    await devices.remove(caller, id);
    assert.equal(calls, 3, 'it was removed');
  });

  it('a phone that changed hands counts for its new owner, and the engine ends at once what it showed', async () => {
    await using app = await startTestApp(engine, { settings: { MAX_DEVICES_PER_ACCOUNT: '1' } });
    const [ada, bob] = [await createPerson(app), await createPerson(app)];
    await ada.ask('POST', '/v1/devices', { ios_push_token: IOS });
    await bob.ask('POST', '/v1/devices', { ios_push_token: 'cd'.repeat(32) });
    await app.clock.advance('1m');
    const taken = await bob.ask('POST', '/v1/devices', { ios_push_token: IOS });
    const left = (await bob.ask('GET', '/v1/devices')).body.data;
    assert.deepEqual(
      left.map(({ id }: { id: string }) => id),
      [taken.body.data.id],
    );
  });

  it('a phone that changed hands loses the Live Activities of its former owner', async () => {
    await using app = await startTestApp(engine);
    const [ada, bob] = [await createPerson(app), await createPerson(app)];
    await ada.ask('POST', '/v1/devices', { ios_push_token: IOS });
    const task = (await ada.ask('POST', '/v1/tasks', { title: 'pills' })).body.data;
    await ada.ask('POST', `/v1/tasks/${task.id}/la-token`, { la_update_token: 'ab'.repeat(40) });
    assert.equal((await bob.ask('POST', '/v1/devices', { ios_push_token: IOS })).status, 200);
    const [activity] = await app.db.selectFrom('live_activities').selectAll().execute();
    assert.ok(activity?.ended_at, 'the activity still runs');
    const ends = app.db.selectFrom('deliveries').select(['kind', 'target_id', 'recipient_id']);
    const end = { kind: 'activity_end', target_id: activity.id, recipient_id: ada.userId };
    assert.deepEqual(await ends.execute(), [end]);
  });

  it('a device that registers again while its test push is refused stays valid', async () => {
    await using app = await startTestApp(engine);
    const { db, clock } = app;
    const ada = await createPerson(app);
    await ada.ask('POST', '/v1/devices', { ios_push_token: IOS });
    let isRegisteredAgain = true;
    const send = async (): Promise<PushResult> => {
      await clock.advance('1s');
      if (isRegisteredAgain) await ada.ask('POST', '/v1/devices', { ios_push_token: IOS });
      return { kind: 'gone', reason: 'Unregistered' };
    };
    const apns = { send, capacity: () => 100, close: async () => undefined };
    const gateways = { apns_sandbox: apns, apns };
    const testPush = new TestPushService(db, clock, gateways, async () => undefined);
    const test = async () => {
      await testPush.send({ kind: 'session', userId: ada.userId, sessionId: newId(), provenAt: clock.now() });
      return (await ada.ask('GET', '/v1/devices')).body.data[0].valid;
    };
    assert.equal(await test(), true);
    isRegisteredAgain = false;
    assert.equal(await test(), false);
  });
});
