import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApnsHarness } from '../../../test/support/apns-harness.ts';
import { deviceToken, nudgeTo } from '../../../test/support/apns-pushes.ts';
import { resourcesOf } from '../../../test/support/test-resources.ts';
import type { PushResult } from '../gateway.ts';

const ACCEPTED = { kind: 'accepted' };
const retry = (reason: string) => ({ kind: 'retry', reason });

const kindsOf = (results: readonly PushResult[]) => Object.groupBy(results, ({ kind }) => kind);

const TRANSIENT: [status: number, reason: string][] = [
  [429, 'TooManyRequests'],
  [500, 'InternalServerError'],
  [503, 'ServiceUnavailable'],
  [503, 'Shutdown'],
];
for (const [status, reason] of TRANSIENT) {
  test(`${status} ${reason} is a retry, and affects neither the connection nor other pushes`, async (t) => {
    const harness = resourcesOf(t).use(await ApnsHarness.open());
    await harness.send(nudgeTo(0));
    harness.apns.refuseToken(deviceToken(5), { status, reason });
    const results = await Promise.all(harness.burst(10));
    assert.deepEqual(results[5], retry(reason));
    assert.equal(kindsOf(results).accepted?.length, 9);
    assert.equal(harness.apns.connections, 1);
  });
}

test('410 carries the instant since which the token is dead', async (t) => {
  const harness = resourcesOf(t).use(await ApnsHarness.open());
  const timestamp = Date.parse('2026-02-27T08:00:00.500Z');
  harness.apns.refuseNext(1, { status: 410, reason: 'Unregistered', timestamp });
  assert.deepEqual(await harness.send(nudgeTo(0)), {
    kind: 'gone',
    reason: 'Unregistered',
    since: new Date(timestamp),
  });
});

test('a refusal of our credentials ends all waiting pushes, and one push a minute is a probe', async (t) => {
  const harness = resourcesOf(t).use(await ApnsHarness.open());
  const refused = { kind: 'misconfigured', reason: 'InvalidProviderToken' };
  harness.apns.refuseNext(2, { status: 403, reason: 'InvalidProviderToken' });
  for (const result of await Promise.all(harness.burst(100))) assert.deepEqual(result, refused);
  assert.deepEqual(await harness.send(nudgeTo(0)), refused);
  assert.equal(harness.apns.received, 1);
  assert.equal(harness.gateway.capacity(), 1, 'Apple has not taken a token on this connection yet');
  await harness.clock.advance('60s');
  for (const result of await Promise.all(harness.burst(10))) assert.deepEqual(result, refused);
  assert.equal(harness.apns.received, 2);
  await harness.clock.advance('60s');
  assert.deepEqual(await harness.send(nudgeTo(0)), ACCEPTED);
  assert.equal(kindsOf(await Promise.all(harness.burst(10))).accepted?.length, 10);
});

test('a provider token that Apple calls expired is replaced on another connection, and the push gets through', async (t) => {
  const harness = resourcesOf(t).use(await ApnsHarness.open());
  await harness.send(nudgeTo(0));
  harness.apns.refuseNext(20, { status: 403, reason: 'ExpiredProviderToken' });
  const results = await Promise.all(harness.burst(20, 1));
  assert.equal(kindsOf(results).accepted?.length, 20);
  assert.equal(harness.apns.connections, 2);
  assert.equal(new Set(harness.apns.pushes.map(({ headers }) => headers.authorization)).size, 2);
});

test('if Apple calls the new provider token expired too, it is not replaced again', async (t) => {
  const harness = resourcesOf(t).use(await ApnsHarness.open());
  harness.apns.refuseNext(9, { status: 403, reason: 'ExpiredProviderToken' });
  const refused = { ...retry('ExpiredProviderToken'), isRefusal: true };
  assert.deepEqual(await harness.send(nudgeTo(0)), refused);
  assert.deepEqual(await harness.send(nudgeTo(0)), refused);
  assert.equal(harness.apns.received, 2);
});

test('a connection on which Apple saw too many provider tokens is replaced', async (t) => {
  const harness = resourcesOf(t).use(await ApnsHarness.open());
  harness.apns.refuseNext(1, { status: 429, reason: 'TooManyProviderTokenUpdates' });
  assert.deepEqual(await harness.send(nudgeTo(0)), retry('TooManyProviderTokenUpdates'));
  assert.deepEqual(await harness.send(nudgeTo(0)), ACCEPTED);
  assert.equal(harness.apns.connections, 2);
});
