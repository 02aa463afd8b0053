import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { FakeClock } from '../../../test/support/fake-clock.ts';
import type { Fault } from '../../../test/support/faults.ts';
import {
  activityPushOf,
  browserOf,
  nudgeOf,
  TASK,
  testPushOf,
  unhurried,
} from '../../../test/support/sample-pushes.ts';
import { FakeWebPush } from '../../../test/support/web-push-service.ts';
import { createLogger } from '../../lib/logger.ts';
import type { PushResult } from '../gateway.ts';
import { WebPushGateway, type WebPushOptions } from './client.ts';
import type { Resolve } from './endpoint.ts';
import { findPublicKey } from './vapid-keys.ts';

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
  subject: 'mailto:keeper@crescendo.example',
  hosts: [],
  baseUrl: 'https://crescendo.example',
  logger: createLogger('silent'),
};

async function bed(t: TestContext, replaced: Partial<WebPushOptions> = {}) {
  const clock = new FakeClock();
  const service = await FakeWebPush.start(clock);
  const browser = browserOf(service.subscribe(KEYS.publicKey));
  const hosts = [`127.0.0.1:${service.port}`];
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
    send: (signal = unhurried(), target = browser) => gateway.send(nudgeOf(target, 2), signal),
  };
}

test('a nudge arrives signed, encrypted, and with its time to live, urgency and topic', async (t) => {
  const at = await bed(t);
  assert.deepEqual(await at.send(), ACCEPTED);
  const [push] = at.service.pushes;
  assert.ok(push);
  assert.deepEqual([push.ttl, push.urgency, push.topic], [3_600, 'high', TASK.id.replaceAll('-', '')]);
  assert.equal(push.subject, 'mailto:keeper@crescendo.example');
  const { web_push, notification } = push.payload as { web_push: number; notification: Record<string, unknown> };
  assert.deepEqual([web_push, notification.title, notification.requireInteraction], [8030, TASK.title, true]);
});

test('the longest title still makes a body that every push service has to take', async (t) => {
  const at = await bed(t);
  const result = await at.gateway.send(nudgeOf(at.browser, 1, { title: '🍉'.repeat(5_000) }), unhurried());
  assert.deepEqual(result, ACCEPTED);
  assert.ok((at.service.pushes[0]?.bodyBytes ?? 0) > 4_080);
});

test('a test push arrives without a topic, a live activity is nothing for a browser', async (t) => {
  const at = await bed(t);
  assert.deepEqual(await at.gateway.send(testPushOf(at.browser), unhurried()), ACCEPTED);
  assert.equal(at.service.pushes[0]?.topic, undefined);
  const activity = await at.gateway.send(activityPushOf(at.browser), unhurried());
  assert.deepEqual(activity, { kind: 'rejected', reason: 'unsupported' });
  assert.equal(at.service.requests, 1);
});

test('the signed token is used again for hours, and replaced before it ends', async (t) => {
  const at = await bed(t);
  for (const wait of ['1h', '9h', '2h', '23h']) {
    assert.deepEqual(await at.send(), ACCEPTED);
    await at.clock.advance(wait);
  }
  assert.deepEqual(await at.send(), ACCEPTED);
  const [first, second, third, fourth, fifth] = at.service.pushes.map(({ authorization }) => authorization);
  assert.equal(first, second);
  assert.equal(first, third);
  assert.equal(new Set([first, fourth, fifth]).size, 3);
});

test('each push service gets a token of its own', async (t) => {
  const clock = new FakeClock();
  const other = await FakeWebPush.start(clock);
  t.after(() => other[Symbol.asyncDispose]());
  const at = await bed(t);
  const hosts = [`127.0.0.1:${at.service.port}`, `127.0.0.1:${other.port}`];
  const gateway = new WebPushGateway({ ...OPTIONS, clock, hosts });
  assert.deepEqual(await gateway.send(nudgeOf(at.browser), unhurried()), ACCEPTED);
  assert.deepEqual(await gateway.send(nudgeOf(browserOf(other.subscribe())), unhurried()), ACCEPTED);
  await gateway.close();
});

test('a subscription that was given up is gone', async (t) => {
  const at = await bed(t);
  at.service.unsubscribe({ endpoint: at.browser.token, keys: { p256dh: '', auth: '' } });
  assert.deepEqual(await at.send(), { kind: 'gone', reason: 'http_410' });
});

test('a subscription made with another key is refused by itself alone', async (t) => {
  const at = await bed(t);
  const stranger = browserOf(at.service.subscribe(makeKeys().publicKey));
  assert.deepEqual(await at.send(unhurried(), stranger), { kind: 'misconfigured', reason: 'http_403' });
  assert.deepEqual(await at.send(), ACCEPTED);
});

const ANSWERS: readonly [name: string, fault: Fault, expected: PushResult][] = [
  ['404', { status: 404 }, { kind: 'gone', reason: 'http_404' }],
  ['413', { status: 413 }, { kind: 'rejected', reason: 'http_413' }],
  ['429', { status: 429 }, { kind: 'retry', reason: 'http_429' }],
  [
    '429 with Retry-After',
    { status: 429, headers: { 'retry-after': '9' } },
    { kind: 'retry', reason: 'http_429', afterMs: 9_000 },
  ],
  ['500', { status: 500 }, { kind: 'retry', reason: 'http_500' }],
  [
    '503 with a date',
    { status: 503, headers: { 'retry-after': 'Mon, 02 Mar 2026 09:00:30 GMT' } },
    { kind: 'retry', reason: 'http_503', afterMs: 30_000 },
  ],
  ['a dropped connection', 'drop', { kind: 'retry', reason: 'econnreset' }],
];

for (const [name, fault, expected] of ANSWERS) {
  test(`${name} is ${expected.kind}, and the next push gets through`, async (t) => {
    const at = await bed(t);
    at.service.faults.next(fault);
    assert.deepEqual(await at.send(), expected);
    assert.deepEqual(await at.send(), ACCEPTED);
  });
}

test('silence is a retry when the time is up', async (t) => {
  const at = await bed(t, { timeoutMs: 50 });
  at.service.faults.next('silence');
  assert.deepEqual(await at.send(), { kind: 'retry', reason: 'timeout' });
});

test('silence is a retry when the signal fires', async (t) => {
  const at = await bed(t);
  at.service.faults.next('silence');
  const controller = new AbortController();
  const result = at.send(controller.signal);
  await at.service.nextRequest();
  controller.abort();
  assert.deepEqual(await result, { kind: 'retry', reason: 'timeout' });
});

test('a redirect is not followed, wherever it leads', async (t) => {
  const at = await bed(t);
  const other = at.service.subscribe();
  at.service.faults.next({ status: 307, headers: { location: other.endpoint } });
  assert.deepEqual(await at.send(), { kind: 'rejected', reason: 'http_307' });
  assert.equal(at.service.requests, 1);
});

test('keys that no browser has make the push rejected', async (t) => {
  const at = await bed(t);
  const result = await at.send(unhurried(), { ...at.browser, keys: null });
  assert.deepEqual(result, { kind: 'rejected', reason: 'bad_subscription_keys' });
  assert.equal(at.service.requests, 0);
});

test('an endpoint that is not in the list is not called', async (t) => {
  const at = await bed(t, { hosts: ['fcm.googleapis.com', '127.0.0.1'] });
  assert.deepEqual(await at.send(), NOT_ALLOWED);
  assert.equal(at.service.connections, 0);
});

test('a listed name that leads to a private address is not called', async (t) => {
  let questions = 0;
  const resolve: Resolve = (_hostname, _options, done) => {
    questions += 1;
    done(null, [{ address: '127.0.0.1', family: 4 }]);
  };
  const at = await bed(t, { hosts: ['*.push.apple.com'], resolve });
  const target = { ...at.browser, token: 'https://web.push.apple.com/x' };
  assert.deepEqual(await at.send(unhurried(), target), NOT_ALLOWED);
  assert.equal(questions, 1);
});

test('one connection serves push after push', async (t) => {
  const at = await bed(t);
  for (let count = 0; count < 3; count += 1) await at.send();
  assert.equal(at.service.connections, 1);
});

test('room tells how many more would go out at once', async (t) => {
  const at = await bed(t, { mostInFlight: 2 });
  const release = at.service.faults.hold();
  const results = [at.send(), at.send(), at.send()];
  assert.equal(at.gateway.room(), 0);
  await at.service.nextRequest();
  release();
  assert.deepEqual(await Promise.all(results), [ACCEPTED, ACCEPTED, ACCEPTED]);
  assert.equal(at.gateway.room(), 2);
});

test('closing answers what is under way, and nothing is sent afterwards', async (t) => {
  const at = await bed(t);
  at.service.faults.always = 'silence';
  const result = at.send();
  await at.service.nextRequest();
  await at.gateway.close();
  assert.equal((await result).kind, 'retry');
  assert.deepEqual(await at.send(), { kind: 'retry', reason: 'closed' });
});

test('keys that are not a pair stop the start', () => {
  const keys = { publicKey: makeKeys().publicKey, privateKey: KEYS.privateKey };
  assert.throws(
    () => new WebPushGateway({ ...OPTIONS, clock: new FakeClock(), keys }),
    /VAPID_PUBLIC_KEY does not belong/,
  );
});
