import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { FakeClock } from '../../../test/support/fake-clock.ts';
import type { Fault } from '../../../test/support/faults.ts';
import { FakeFcm, fcmError } from '../../../test/support/fcm-server.ts';
import { activityPushOf, neverAborted, nudgeOf, PHONE, TASK, testPushOf } from '../../../test/support/sample-pushes.ts';
import { createLogger } from '../../lib/logger.ts';
import type { PushResult } from '../gateway.ts';
import { FcmGateway, type FcmOptions } from './client.ts';

const ACCEPTED: PushResult = { kind: 'accepted' };
const NUDGE = nudgeOf(PHONE);
const UNAUTHENTICATED = fcmError(401);

async function setUp(t: TestContext, replaced: Partial<FcmOptions> = {}) {
  const clock = new FakeClock();
  const fcm = await FakeFcm.start(clock);
  const lines: string[] = [];
  const logger = createLogger('info', { write: (line) => lines.push(line) });
  const gateway = new FcmGateway({ account: fcm.account, origin: fcm.origin, clock, logger, ...replaced });
  const send = (signal = neverAborted()) => gateway.send(NUDGE, signal);
  t.after(async () => {
    await gateway.close();
    await fcm[Symbol.asyncDispose]();
  });
  return { clock, fcm, gateway, send, lines };
}

test('a nudge and a test push arrive as they were built, over one connection', async (t) => {
  const context = await setUp(t);
  assert.deepEqual(await context.send(), ACCEPTED);
  assert.deepEqual(await context.gateway.send(testPushOf(PHONE), neverAborted()), ACCEPTED);
  assert.deepEqual(
    context.fcm.messages.map(({ token, data }) => [token, data.task_id]),
    [
      [PHONE.token, TASK.id],
      [PHONE.token, undefined],
    ],
  );
  assert.equal(context.fcm.server.connections, 1);
});

test('a Live Activity push is rejected without being sent', async (t) => {
  const context = await setUp(t);
  const result = await context.gateway.send(activityPushOf(PHONE), neverAborted());
  assert.deepEqual(result, { kind: 'rejected', reason: 'unsupported' });
  assert.equal(context.fcm.server.seen, 0);
});

test('a removed app is gone', async (t) => {
  const context = await setUp(t);
  context.fcm.unregistered.add(PHONE.token);
  assert.deepEqual(await context.send(), { kind: 'gone', reason: 'UNREGISTERED' });
});

const RETRIES: readonly [name: string, fault: Fault, expected: PushResult][] = [
  ['429', fcmError(429, { errorCode: 'QUOTA_EXCEEDED' }), { kind: 'retry', reason: 'QUOTA_EXCEEDED', afterMs: 60_000 }],
  ['500', fcmError(500, { errorCode: 'INTERNAL' }), { kind: 'retry', reason: 'INTERNAL' }],
  ['503', fcmError(503, { errorCode: 'UNAVAILABLE' }), { kind: 'retry', reason: 'UNAVAILABLE' }],
  [
    '503 with Retry-After',
    fcmError(503, { errorCode: 'UNAVAILABLE', retryAfter: 'Mon, 02 Mar 2026 09:00:45 GMT' }),
    { kind: 'retry', reason: 'UNAVAILABLE', afterMs: 45_000 },
  ],
  ['a dropped connection', 'drop', { kind: 'retry', reason: 'econnreset' }],
];

for (const [name, fault, expected] of RETRIES) {
  test(`${name} is a retry, and the next push gets through`, async (t) => {
    const context = await setUp(t);
    await context.send();
    // A post on a connection that was kept is repeated on a new one, so that one drop would not be seen.
    context.fcm.server.faults.next(fault, ...(fault === 'drop' ? [fault] : []));
    assert.deepEqual(await context.send(), expected);
    assert.deepEqual(await context.send(), ACCEPTED);
  });
}

test('a push that stops waiting for the access token does not cancel the token request of the others', async (t) => {
  const context = await setUp(t);
  const release = context.fcm.tokens.faults.hold();
  const controller = new AbortController();
  const impatient = context.send(controller.signal);
  const patient = context.send();
  await context.fcm.tokens.nextRequest();
  controller.abort();
  assert.deepEqual(await impatient, { kind: 'retry', reason: 'timeout' });
  release();
  assert.deepEqual(await patient, ACCEPTED);
  assert.equal(context.fcm.tokens.seen, 1);
});

test('a revoked access token is replaced once for all pushes, and every push gets through', async (t) => {
  const context = await setUp(t);
  await context.send();
  context.fcm.revokeAccessTokens();
  const results = await Promise.all(Array.from({ length: 10 }, () => context.send()));
  assert.deepEqual(results, Array(10).fill(ACCEPTED));
  assert.equal(context.fcm.tokens.seen, 2);
});

test('an expired access token is replaced before it is used', async (t) => {
  const context = await setUp(t);
  await context.send();
  await context.clock.advance('2h');
  assert.deepEqual(await context.send(), ACCEPTED);
  assert.equal(context.fcm.server.seen, 2);
});

test('after a second 401 nothing is sent for a minute', async (t) => {
  const context = await setUp(t);
  context.fcm.server.faults.always = UNAUTHENTICATED;
  const misconfigured = { kind: 'misconfigured', reason: 'UNAUTHENTICATED' };
  assert.equal(context.gateway.isRefused(), false);
  assert.deepEqual(await context.send(), misconfigured);
  assert.equal(context.gateway.isRefused(), true, 'the operator can see it');
  assert.equal(context.fcm.server.seen, 2);
  await context.clock.advance('59s');
  assert.deepEqual(await context.send(), misconfigured);
  assert.equal(context.fcm.server.seen, 2);
  assert.equal(context.lines.filter((line) => line.includes('FCM_SERVICE_ACCOUNT')).length, 1);
});

test('pushes that are refused at the same time cause one log line', async (t) => {
  const context = await setUp(t);
  context.fcm.server.faults.always = fcmError(403);
  const release = context.fcm.server.faults.hold();
  const results = Array.from({ length: 5 }, () => context.send());
  while (context.fcm.server.seen < 5) await context.fcm.server.nextRequest();
  release();
  assert.deepEqual(new Set((await Promise.all(results)).map(({ kind }) => kind)), new Set(['misconfigured']));
  assert.equal(context.lines.length, 1);
});

test('after that minute one push is the probe, and the others get the refusal until it is answered', async (t) => {
  const context = await setUp(t);
  context.fcm.server.faults.next(fcmError(403));
  const misconfigured = await context.send();
  await context.clock.advance('60s');
  const release = context.fcm.server.faults.hold();
  const probe = context.send();
  await context.fcm.server.nextRequest();
  assert.deepEqual(await context.send(), misconfigured);
  release();
  assert.deepEqual(await probe, ACCEPTED);
  assert.deepEqual(await context.send(), ACCEPTED);
  assert.equal(context.fcm.server.seen, 3);
  assert.match(context.lines.at(-1) ?? '', /accepts pushes again/);
});

test('with a wrong key, the token endpoint is asked once a minute and FCM never', async (t) => {
  const context = await setUp(t);
  context.fcm.tokens.faults.always = { status: 400, body: { error: 'invalid_grant' } };
  const misconfigured = { kind: 'misconfigured', reason: 'invalid_grant' };
  assert.deepEqual(await context.send(), misconfigured);
  assert.deepEqual(await context.send(), misconfigured);
  assert.deepEqual([context.fcm.tokens.seen, context.fcm.server.seen], [1, 0]);
});

test('the wrong token of one device does not stop the others', async (t) => {
  const context = await setUp(t);
  context.fcm.server.faults.next(fcmError(403, { errorCode: 'SENDER_ID_MISMATCH' }));
  assert.equal((await context.send()).kind, 'rejected');
  context.fcm.server.faults.next(fcmError(401, { errorCode: 'THIRD_PARTY_AUTH_ERROR' }));
  assert.equal((await context.send()).kind, 'rejected');
  assert.deepEqual(await context.send(), ACCEPTED);
});

test('capacity is the number of pushes that would be sent at once', async (t) => {
  const context = await setUp(t, { maxInFlight: 2 });
  await context.send();
  assert.equal(context.gateway.capacity(), 2);
  const release = context.fcm.server.faults.hold();
  const results = [context.send(), context.send(), context.send()];
  assert.equal(context.gateway.capacity(), 0);
  await context.fcm.server.nextRequest();
  release();
  assert.deepEqual(await Promise.all(results), [ACCEPTED, ACCEPTED, ACCEPTED]);
  assert.equal(context.gateway.capacity(), 2);
});

test('closing ends pushes in flight, and nothing is sent afterwards', async (t) => {
  const context = await setUp(t);
  context.fcm.server.faults.always = 'silence';
  const result = context.send();
  await context.fcm.server.nextRequest();
  await context.gateway.close();
  assert.equal((await result).kind, 'retry');
  assert.deepEqual(await context.send(), { kind: 'retry', reason: 'closed' });
  assert.equal(context.fcm.server.seen, 1);
});

test('neither the registration token nor the access token is ever logged', async (t) => {
  const context = await setUp(t);
  context.fcm.server.faults.always = UNAUTHENTICATED;
  await context.send();
  assert.ok(context.lines.length > 0);
  assert.doesNotMatch(context.lines.join(), /APA91|ya29|BEGIN/);
});
