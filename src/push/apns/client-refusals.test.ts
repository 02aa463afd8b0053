import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApnsBed } from '../../../test/support/apns-bed.ts';
import { deviceToken, nudgeTo } from '../../../test/support/apns-pushes.ts';
import { partsOf } from '../../../test/support/parts.ts';
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
  test(`${status} ${reason} is worth another try, and costs neither the connection nor the others anything`, async (t) => {
    const bed = partsOf(t).use(await ApnsBed.open());
    await bed.send(nudgeTo(0));
    bed.apns.refuseToken(deviceToken(5), { status, reason });
    const results = await Promise.all(bed.burst(10));
    assert.deepEqual(results[5], retry(reason));
    assert.equal(kindsOf(results).accepted?.length, 9);
    assert.equal(bed.apns.connections, 1);
  });
}

test('410 says since when the token is dead', async (t) => {
  const bed = partsOf(t).use(await ApnsBed.open());
  const timestamp = Date.parse('2026-02-27T08:00:00.500Z');
  bed.apns.refuseNext(1, { status: 410, reason: 'Unregistered', timestamp });
  assert.deepEqual(await bed.send(nudgeTo(0)), { kind: 'gone', reason: 'Unregistered', since: new Date(timestamp) });
});

test('one refusal of our credentials answers all who wait, and one push a minute asks again', async (t) => {
  const bed = partsOf(t).use(await ApnsBed.open());
  const refused = { kind: 'misconfigured', reason: 'InvalidProviderToken' };
  bed.apns.refuseNext(2, { status: 403, reason: 'InvalidProviderToken' });
  for (const result of await Promise.all(bed.burst(100))) assert.deepEqual(result, refused);
  assert.deepEqual(await bed.send(nudgeTo(0)), refused);
  assert.equal(bed.apns.received, 1);
  await bed.clock.advance('60s');
  for (const result of await Promise.all(bed.burst(10))) assert.deepEqual(result, refused);
  assert.equal(bed.apns.received, 2);
  await bed.clock.advance('60s');
  assert.deepEqual(await bed.send(nudgeTo(0)), ACCEPTED);
  assert.equal(kindsOf(await Promise.all(bed.burst(10))).accepted?.length, 10);
});

test('a provider token that Apple calls expired is replaced, on another connection, and the push gets through', async (t) => {
  const bed = partsOf(t).use(await ApnsBed.open());
  await bed.send(nudgeTo(0));
  bed.apns.refuseNext(20, { status: 403, reason: 'ExpiredProviderToken' });
  const results = await Promise.all(bed.burst(20, 1));
  assert.equal(kindsOf(results).accepted?.length, 20);
  assert.equal(bed.apns.connections, 2);
  assert.equal(new Set(bed.apns.pushes.map(({ headers }) => headers.authorization)).size, 2);
});

test('a new provider token that is expired as well is not replaced again and again', async (t) => {
  const bed = partsOf(t).use(await ApnsBed.open());
  bed.apns.refuseNext(9, { status: 403, reason: 'ExpiredProviderToken' });
  assert.deepEqual(await bed.send(nudgeTo(0)), retry('ExpiredProviderToken'));
  assert.deepEqual(await bed.send(nudgeTo(0)), retry('ExpiredProviderToken'));
  assert.equal(bed.apns.received, 2);
});

test('a connection on which Apple saw too many provider tokens is left', async (t) => {
  const bed = partsOf(t).use(await ApnsBed.open());
  bed.apns.refuseNext(1, { status: 429, reason: 'TooManyProviderTokenUpdates' });
  assert.deepEqual(await bed.send(nudgeTo(0)), retry('TooManyProviderTokenUpdates'));
  assert.deepEqual(await bed.send(nudgeTo(0)), ACCEPTED);
  assert.equal(bed.apns.connections, 2);
});
