import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { FakeClock } from '../../../test/support/fake-clock.ts';
import type { Fault } from '../../../test/support/faults.ts';
import { FakeFcm, fcmError } from '../../../test/support/fcm-server.ts';
import { activityPushOf, nudgeOf, PHONE, TASK, testPushOf, unhurried } from '../../../test/support/sample-pushes.ts';
import { createLogger } from '../../lib/logger.ts';
import type { PushResult } from '../gateway.ts';
import { FcmGateway, type FcmOptions } from './client.ts';

const ACCEPTED: PushResult = { kind: 'accepted' };
const NUDGE = nudgeOf(PHONE);
const UNAUTHENTICATED = fcmError(401, 'UNAUTHENTICATED');

async function bed(t: TestContext, replaced: Partial<FcmOptions> = {}) {
  const clock = new FakeClock();
  const fcm = await FakeFcm.start(clock);
  const lines: string[] = [];
  const logger = createLogger('info', { write: (line) => lines.push(line) });
  const gateway = new FcmGateway({ account: fcm.account, origin: fcm.origin, clock, logger, ...replaced });
  const send = (signal = unhurried()) => gateway.send(NUDGE, signal);
  t.after(async () => {
    await gateway.close();
    await fcm[Symbol.asyncDispose]();
  });
  return { clock, fcm, gateway, send, lines };
}

test('a nudge and a test push arrive as they were built, over one connection', async (t) => {
  const at = await bed(t);
  assert.deepEqual(await at.send(), ACCEPTED);
  assert.deepEqual(await at.gateway.send(testPushOf(PHONE), unhurried()), ACCEPTED);
  assert.deepEqual(
    at.fcm.messages.map(({ token, data }) => [token, data.task_id]),
    [
      [PHONE.token, TASK.id],
      [PHONE.token, undefined],
    ],
  );
  assert.equal(at.fcm.connections, 1);
});

test('a live activity is nothing for FCM', async (t) => {
  const at = await bed(t);
  const result = await at.gateway.send(activityPushOf(PHONE), unhurried());
  assert.deepEqual(result, { kind: 'rejected', reason: 'unsupported' });
  assert.equal(at.fcm.sends, 0);
});

test('an app that was removed is gone', async (t) => {
  const at = await bed(t);
  at.fcm.unregistered.add(PHONE.token);
  assert.deepEqual(await at.send(), { kind: 'gone', reason: 'UNREGISTERED' });
});

const RETRIES: readonly [name: string, fault: Fault, expected: PushResult][] = [
  [
    '429',
    fcmError(429, 'RESOURCE_EXHAUSTED', { errorCode: 'QUOTA_EXCEEDED' }),
    { kind: 'retry', reason: 'QUOTA_EXCEEDED', afterMs: 60_000 },
  ],
  ['500', fcmError(500, 'INTERNAL', { errorCode: 'INTERNAL' }), { kind: 'retry', reason: 'INTERNAL' }],
  ['503', fcmError(503, 'UNAVAILABLE', { errorCode: 'UNAVAILABLE' }), { kind: 'retry', reason: 'UNAVAILABLE' }],
  [
    '503 with Retry-After',
    fcmError(503, 'UNAVAILABLE', { errorCode: 'UNAVAILABLE', retryAfter: 'Mon, 02 Mar 2026 09:00:45 GMT' }),
    { kind: 'retry', reason: 'UNAVAILABLE', afterMs: 45_000 },
  ],
  ['a dropped connection', 'drop', { kind: 'retry', reason: 'econnreset' }],
];

for (const [name, fault, expected] of RETRIES) {
  test(`${name} is a retry, and the next push gets through`, async (t) => {
    const at = await bed(t);
    at.fcm.faults.next(fault, ...(fault === 'drop' ? [fault] : []));
    assert.deepEqual(await at.send(), expected);
    assert.deepEqual(await at.send(), ACCEPTED);
  });
}

test('silence is a retry when the time is up', async (t) => {
  const at = await bed(t, { timeoutMs: 50 });
  at.fcm.faults.next('silence');
  assert.deepEqual(await at.send(), { kind: 'retry', reason: 'timeout' });
});

test('silence is a retry when the signal fires', async (t) => {
  const at = await bed(t);
  at.fcm.faults.next('silence');
  const controller = new AbortController();
  const result = at.send(controller.signal);
  await at.fcm.nextSend();
  controller.abort();
  assert.deepEqual(await result, { kind: 'retry', reason: 'timeout' });
  assert.equal(at.gateway.room(), 200);
});

test('one sender who gives up waiting for the access token does not cost the others theirs', async (t) => {
  const at = await bed(t);
  const release = at.fcm.tokenFaults.hold();
  const controller = new AbortController();
  const hasty = at.send(controller.signal);
  const patient = at.send();
  await at.fcm.nextTokenRequest();
  controller.abort();
  assert.deepEqual(await hasty, { kind: 'retry', reason: 'timeout' });
  release();
  assert.deepEqual(await patient, ACCEPTED);
  assert.equal(at.fcm.tokenRequests, 1);
});

test('an access token that was taken back is replaced once for all, and every push gets through', async (t) => {
  const at = await bed(t);
  await at.send();
  at.fcm.revokeAccessTokens();
  const results = await Promise.all(Array.from({ length: 10 }, () => at.send()));
  assert.deepEqual(results, Array(10).fill(ACCEPTED));
  assert.equal(at.fcm.tokenRequests, 2);
});

test('an access token that has run out is replaced before it is used', async (t) => {
  const at = await bed(t);
  await at.send();
  await at.clock.advance('2h');
  assert.deepEqual(await at.send(), ACCEPTED);
  assert.equal(at.fcm.sends, 2);
});

test('a second 401 is believed, and then nothing is sent for a minute', async (t) => {
  const at = await bed(t);
  at.fcm.faults.always = UNAUTHENTICATED;
  const misconfigured = { kind: 'misconfigured', reason: 'UNAUTHENTICATED' };
  assert.deepEqual(await at.send(), misconfigured);
  assert.equal(at.fcm.sends, 2);
  await at.clock.advance('59s');
  assert.deepEqual(await at.send(), misconfigured);
  assert.equal(at.fcm.sends, 2);
  assert.equal(at.lines.filter((line) => line.includes('FCM_SERVICE_ACCOUNT')).length, 1);
});

test('pushes that fail together are one line in the log', async (t) => {
  const at = await bed(t);
  at.fcm.faults.always = fcmError(403, 'PERMISSION_DENIED');
  const release = at.fcm.faults.hold();
  const results = Array.from({ length: 5 }, () => at.send());
  while (at.fcm.sends < 5) await at.fcm.nextSend();
  release();
  assert.deepEqual(new Set((await Promise.all(results)).map(({ kind }) => kind)), new Set(['misconfigured']));
  assert.equal(at.lines.length, 1);
});

test('after that minute one push is the probe, and the others go on being answered at once', async (t) => {
  const at = await bed(t);
  at.fcm.faults.next(fcmError(403, 'PERMISSION_DENIED'));
  const misconfigured = await at.send();
  await at.clock.advance('60s');
  const release = at.fcm.faults.hold();
  const probe = at.send();
  await at.fcm.nextSend();
  assert.deepEqual(await at.send(), misconfigured);
  release();
  assert.deepEqual(await probe, ACCEPTED);
  assert.deepEqual(await at.send(), ACCEPTED);
  assert.equal(at.fcm.sends, 3);
  assert.match(at.lines.at(-1) ?? '', /takes pushes again/);
});

test('a probe that fails waits another minute, one that gets no answer is followed by the next', async (t) => {
  const at = await bed(t);
  at.fcm.faults.always = fcmError(403, 'PERMISSION_DENIED');
  await at.send();
  await at.clock.advance('60s');
  await at.send();
  assert.equal((await at.send()).kind, 'misconfigured');
  assert.equal(at.fcm.sends, 2);
  await at.clock.advance('60s');
  at.fcm.faults.next({ status: 503 });
  assert.equal((await at.send()).kind, 'retry');
  at.fcm.faults.always = undefined;
  const release = at.fcm.faults.hold();
  const probe = at.send();
  await at.fcm.nextSend();
  assert.equal((await at.send()).kind, 'misconfigured');
  release();
  assert.deepEqual(await probe, ACCEPTED);
});

test('a wrong key stops at the token endpoint, and asks there once a minute', async (t) => {
  const at = await bed(t);
  at.fcm.tokenFaults.always = { status: 400, body: { error: 'invalid_grant' } };
  const misconfigured = { kind: 'misconfigured', reason: 'invalid_grant' };
  assert.deepEqual(await at.send(), misconfigured);
  assert.deepEqual(await at.send(), misconfigured);
  assert.deepEqual([at.fcm.tokenRequests, at.fcm.sends], [1, 0]);
});

test("one device's wrong token does not stop the others", async (t) => {
  const at = await bed(t);
  at.fcm.faults.next(fcmError(403, 'PERMISSION_DENIED', { errorCode: 'SENDER_ID_MISMATCH' }));
  assert.equal((await at.send()).kind, 'rejected');
  at.fcm.faults.next(fcmError(401, 'UNAUTHENTICATED', { errorCode: 'THIRD_PARTY_AUTH_ERROR' }));
  assert.equal((await at.send()).kind, 'rejected');
  assert.deepEqual(await at.send(), ACCEPTED);
});

test('room tells how many more would go out at once', async (t) => {
  const at = await bed(t, { mostInFlight: 2 });
  await at.send();
  assert.equal(at.gateway.room(), 2);
  const release = at.fcm.faults.hold();
  const results = [at.send(), at.send(), at.send()];
  assert.equal(at.gateway.room(), 0);
  await at.fcm.nextSend();
  release();
  assert.deepEqual(await Promise.all(results), [ACCEPTED, ACCEPTED, ACCEPTED]);
  assert.equal(at.gateway.room(), 2);
});

test('closing answers what is under way, and nothing is sent afterwards', async (t) => {
  const at = await bed(t);
  at.fcm.faults.always = 'silence';
  const result = at.send();
  await at.fcm.nextSend();
  await at.gateway.close();
  assert.equal((await result).kind, 'retry');
  assert.deepEqual(await at.send(), { kind: 'retry', reason: 'closed' });
  assert.equal(at.fcm.sends, 1);
});

test('neither the registration token nor the access token is ever logged', async (t) => {
  const at = await bed(t);
  at.fcm.faults.always = UNAUTHENTICATED;
  await at.send();
  assert.ok(at.lines.length > 0);
  assert.doesNotMatch(at.lines.join(), /APA91|ya29|BEGIN/);
});
