import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { FakeClock } from '../../../test/support/fake-clock.ts';
import type { Fault } from '../../../test/support/faults.ts';
import { HttpRecorder } from '../../../test/support/http-recorder.ts';
import {
  activityPushOf,
  browserOf,
  neverAborted,
  nudgeOf,
  TASK,
  testPushOf,
} from '../../../test/support/sample-pushes.ts';
import { FakeWebPush } from '../../../test/support/web-push-service.ts';
import { findPublicKey } from '../../keys/vapid-keys.ts';
import { createLogger } from '../../lib/logger.ts';
import type { Resolve } from '../../outbound/name-resolver.ts';
import type { PushResult } from '../gateway.ts';
import { WebPushGateway, type WebPushOptions } from './client.ts';

const ACCEPTED: PushResult = { kind: 'accepted' };
const NOT_ALLOWED: PushResult = { kind: 'rejected', reason: 'endpoint_not_allowed' };

function makeKeys() {
  const { d: privateKey = '' } = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({
    format: 'jwk',
  });
  return { privateKey, publicKey: findPublicKey(privateKey) ?? '' };
}
const KEYS = makeKeys();
const OPTIONS = {
  keys: KEYS,
  subject: 'mailto:operator@crescendo.example',
  hosts: [],
  baseUrl: 'https://crescendo.example',
  logger: createLogger('silent'),
};

async function setUp(t: TestContext, replaced: Partial<WebPushOptions> = {}) {
  const clock = new FakeClock();
  const service = await FakeWebPush.start(clock);
  const browser = browserOf(service.subscribe(KEYS.publicKey));
  const hosts = [service.server.host];
  const gateway = new WebPushGateway({ ...OPTIONS, clock, hosts, ...replaced });
  t.after(async () => {
    await gateway.close();
    await service[Symbol.asyncDispose]();
  });
  return {
    clock,
    service,
    browser,
    gateway,
    send: (signal = neverAborted(), target = browser) => gateway.send(nudgeOf(target, 2), signal),
  };
}

test('a nudge arrives signed, encrypted, and with its time to live, urgency and topic', async (t) => {
  const context = await setUp(t);
  assert.deepEqual(await context.send(), ACCEPTED);
  const [push] = context.service.pushes;
  assert.ok(push);
  assert.deepEqual([push.ttl, push.urgency, push.topic], [3_600, 'high', TASK.id.replaceAll('-', '')]);
  assert.equal(push.subject, 'mailto:operator@crescendo.example');
  const { web_push, notification } = push.payload as { web_push: number; notification: Record<string, unknown> };
  assert.deepEqual([web_push, notification.title, notification.requireInteraction], [8030, TASK.title, true]);
});

test('the longest title still makes a body that every push service must accept', async (t) => {
  const context = await setUp(t);
  const result = await context.gateway.send(nudgeOf(context.browser, 1, { title: '🍉'.repeat(5_000) }), neverAborted());
  assert.deepEqual(result, ACCEPTED);
  assert.ok((context.service.pushes[0]?.bodyBytes ?? 0) > 4_080);
});

test('a test push has no topic, and a Live Activity push is rejected without being sent', async (t) => {
  const context = await setUp(t);
  assert.deepEqual(await context.gateway.send(testPushOf(context.browser), neverAborted()), ACCEPTED);
  assert.equal(context.service.pushes[0]?.topic, undefined);
  const activity = await context.gateway.send(activityPushOf(context.browser), neverAborted());
  assert.deepEqual(activity, { kind: 'rejected', reason: 'unsupported' });
  assert.equal(context.service.server.seen, 1);
});

test('the signed token is reused for hours, and replaced before it expires', async (t) => {
  const context = await setUp(t);
  for (const wait of ['1h', '9h', '2h', '23h']) {
    assert.deepEqual(await context.send(), ACCEPTED);
    await context.clock.advance(wait);
  }
  assert.deepEqual(await context.send(), ACCEPTED);
  const [first, second, third, fourth, fifth] = context.service.pushes.map(({ authorization }) => authorization);
  assert.equal(first, second);
  assert.equal(first, third);
  assert.equal(new Set([first, fourth, fifth]).size, 3);
});

test('each push service gets its own token', async (t) => {
  const clock = new FakeClock();
  const other = await FakeWebPush.start(clock);
  t.after(() => other[Symbol.asyncDispose]());
  const context = await setUp(t);
  const hosts = [context.service.server.host, other.server.host];
  const gateway = new WebPushGateway({ ...OPTIONS, clock, hosts });
  assert.deepEqual(await gateway.send(nudgeOf(context.browser), neverAborted()), ACCEPTED);
  assert.deepEqual(await gateway.send(nudgeOf(browserOf(other.subscribe())), neverAborted()), ACCEPTED);
  await gateway.close();
});

test('a cancelled subscription is gone', async (t) => {
  const context = await setUp(t);
  context.service.unsubscribe({ endpoint: context.browser.token, keys: { p256dh: '', auth: '' } });
  assert.deepEqual(await context.send(), { kind: 'gone', reason: 'http_410' });
});

test('the refusal of a subscription made with another key does not affect the others', async (t) => {
  const context = await setUp(t);
  const otherKey = browserOf(context.service.subscribe(makeKeys().publicKey));
  assert.deepEqual(await context.send(neverAborted(), otherKey), { kind: 'misconfigured', reason: 'http_403' });
  assert.deepEqual(await context.send(), ACCEPTED);
});

const ANSWERS: readonly [name: string, fault: Fault, expected: PushResult][] = [
  ['404', { status: 404 }, { kind: 'gone', reason: 'http_404' }],
  ['413', { status: 413 }, { kind: 'rejected', reason: 'http_413' }],
  ['429', { status: 429 }, { kind: 'retry', reason: 'http_429', isAnswered: true }],
  [
    '429 with Retry-After',
    { status: 429, headers: { 'retry-after': '9' } },
    { kind: 'retry', reason: 'http_429', isAnswered: true, afterMs: 9_000 },
  ],
  ['500', { status: 500 }, { kind: 'retry', reason: 'http_500', isAnswered: true }],
  [
    '503 with a date',
    { status: 503, headers: { 'retry-after': 'Mon, 02 Mar 2026 09:00:30 GMT' } },
    { kind: 'retry', reason: 'http_503', isAnswered: true, afterMs: 30_000 },
  ],
  ['a dropped connection', 'drop', { kind: 'retry', reason: 'econnreset' }],
];

for (const [name, fault, expected] of ANSWERS) {
  test(`${name} is ${expected.kind}, and the next push gets through`, async (t) => {
    const context = await setUp(t);
    context.service.server.faults.next(fault);
    assert.deepEqual(await context.send(), expected);
    assert.deepEqual(await context.send(), ACCEPTED);
  });
}

test('a subscription without keys is gone', async (t) => {
  const context = await setUp(t);
  const result = await context.send(neverAborted(), { ...context.browser, keys: null });
  assert.deepEqual(result, { kind: 'gone', reason: 'bad_subscription_keys' });
  assert.equal(context.service.server.seen, 0);
});

test('an endpoint that is no URL is gone', async (t) => {
  const context = await setUp(t);
  for (const token of ['', 'push', '/push/1', 'https://']) {
    const result = await context.send(neverAborted(), { ...context.browser, token });
    assert.deepEqual(result, { kind: 'gone', reason: 'malformed_endpoint' }, token);
  }
  assert.equal(context.service.server.seen, 0);
});

test('an endpoint outside the allow-list is not called', async (t) => {
  const context = await setUp(t, { hosts: ['fcm.googleapis.com', '127.0.0.1'] });
  assert.deepEqual(await context.send(), NOT_ALLOWED);
  assert.equal(context.service.server.connections, 0);
});

test('an allowed host that resolves to a private address is not called', async (t) => {
  let lookups = 0;
  const resolve: Resolve = (_hostname, _options, done) => {
    lookups += 1;
    done(null, [{ address: '127.0.0.1', family: 4 }]);
  };
  const context = await setUp(t, { hosts: ['*.push.apple.com'], resolve });
  const target = { ...context.browser, token: 'https://web.push.apple.com/x' };
  assert.deepEqual(await context.send(neverAborted(), target), { kind: 'retry', reason: 'enotfound' });
  assert.equal(lookups, 1);
});

test('capacity is the number of pushes that would be sent at once', async (t) => {
  const context = await setUp(t, { maxInFlight: 2 });
  const release = context.service.server.faults.hold();
  const results = [context.send(), context.send()];
  await context.service.server.nextRequest();
  assert.equal(context.gateway.capacity(), 0);
  release();
  assert.deepEqual(await Promise.all(results), [ACCEPTED, ACCEPTED]);
  assert.equal(context.gateway.capacity(), 2);
});

test('closing ends pushes in flight, and nothing is sent afterwards', async (t) => {
  const context = await setUp(t);
  context.service.server.faults.always = 'silence';
  const result = context.send();
  await context.service.server.nextRequest();
  await context.gateway.close();
  assert.equal((await result).kind, 'retry');
  assert.deepEqual(await context.send(), { kind: 'retry', reason: 'closed', isUnsent: true });
});

test('the constructor throws if the keys are not a pair', () => {
  const keys = { publicKey: makeKeys().publicKey, privateKey: KEYS.privateKey };
  assert.throws(
    () => new WebPushGateway({ ...OPTIONS, clock: new FakeClock(), keys }),
    /VAPID_PUBLIC_KEY does not belong/,
  );
});

async function setUpTwoServices(t: TestContext, maxInFlight: number, timeoutMs?: number) {
  const context = await setUp(t);
  const other = await FakeWebPush.start(context.clock);
  const hosts = [context.service.server.host, other.server.host];
  const gateway = new WebPushGateway({
    ...OPTIONS,
    clock: context.clock,
    hosts,
    maxInFlight,
    ...(timeoutMs && { timeoutMs }),
  });
  t.after(async () => {
    await gateway.close();
    await other[Symbol.asyncDispose]();
  });
  const sendTo = (target: typeof context.browser) => gateway.send(nudgeOf(target), neverAborted());
  return {
    ...context,
    sendToHanging: () => sendTo(context.browser),
    testHanging: () => gateway.send(testPushOf(context.browser), neverAborted()),
    sendToOther: () => sendTo(browserOf(other.subscribe(KEYS.publicKey))),
  };
}

test('a push service that hangs leaves places in flight for the browsers of others', async (t) => {
  const context = await setUpTwoServices(t, 4);
  const release = context.service.server.faults.hold();
  const hanging = Array.from({ length: 20 }, context.sendToHanging);
  await context.service.server.nextRequest();
  assert.deepEqual(await context.sendToOther(), ACCEPTED);
  const tested = context.testHanging();
  release();
  assert.deepEqual(await tested, ACCEPTED, 'a person who waits for a test has a place of their own');
  const kinds = Object.groupBy(await Promise.all(hanging), ({ kind }) => kind);
  assert.deepEqual([kinds.accepted?.length, kinds.retry?.length], [3, 17]);
});

test('pushes to a silent service are put off without being sent; one tries it again after a while', async (t) => {
  const context = await setUpTwoServices(t, 8, 200);
  context.service.server.faults.always = 'silence';
  await Promise.all(Array.from({ length: 5 }, context.sendToHanging));
  const { seen } = context.service.server;
  const putOff = await context.sendToHanging();
  assert.deepEqual(putOff, { kind: 'retry', reason: 'service_silent', afterMs: 15_000, isUnsent: true });
  assert.equal(context.service.server.seen, seen);
  assert.deepEqual(await context.sendToOther(), ACCEPTED);
  await context.clock.advance('16s');
  context.service.server.faults.always = undefined;
  const [probe, meanwhile] = [context.sendToHanging(), context.sendToHanging()];
  assert.deepEqual([await probe, (await meanwhile).kind], [ACCEPTED, 'retry']);
  assert.deepEqual(await context.sendToHanging(), ACCEPTED);
});

test('a browser whose endpoint never answers is put off alone', async (t) => {
  const { service, browser, send } = await setUp(t, { timeoutMs: 200 });
  service.server.faults.always = 'silence';
  await Promise.all(Array.from({ length: 5 }, () => send()));
  service.server.faults.always = undefined;
  const other = browserOf(service.subscribe(KEYS.publicKey));
  assert.deepEqual(await send(neverAborted(), other), ACCEPTED);
  assert.equal((await send(neverAborted(), browser)).kind, 'retry');
});

test('UnifiedPush needs only the host of its server: ntfy gets the push, and one without a subscriber is tried again', async (t) => {
  const server = await HttpRecorder.start();
  t.after(() => server[Symbol.asyncDispose]());
  const { browser, gateway } = await setUp(t, { hosts: [server.host] });
  const app = { ...browser, token: `${server.origin}/upAbCdEf123456?up=1` };
  assert.deepEqual(await gateway.send(nudgeOf(app, 2), neverAborted()), ACCEPTED);
  const [push] = server.requests;
  assert.equal(push?.path, '/upAbCdEf123456?up=1');
  assert.deepEqual([push?.headers['content-encoding'], push?.headers.urgency], ['aes128gcm', 'high']);
  assert.match(push?.headers.authorization ?? '', /^vapid t=/);
  server.faults.next({ status: 507, body: { code: 50701, http: 507 } });
  const result = await gateway.send(nudgeOf(app, 2), neverAborted());
  assert.deepEqual([result.kind, 'reason' in result && result.reason], ['retry', 'http_507']);
  const other = new WebPushGateway({ ...OPTIONS, clock: new FakeClock(), hosts: ['ntfy.example'] });
  t.after(() => other.close());
  assert.deepEqual(await other.send(nudgeOf(app, 2), neverAborted()), NOT_ALLOWED);
});
