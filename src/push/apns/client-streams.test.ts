import assert from 'node:assert/strict';
import { constants } from 'node:http2';
import { test } from 'node:test';
import { ApnsHarness } from '../../../test/support/apns-harness.ts';
import { nudgeTo } from '../../../test/support/apns-pushes.ts';
import { resourcesOf } from '../../../test/support/test-resources.ts';
import type { PushResult } from '../gateway.ts';

const ACCEPTED = { kind: 'accepted' };
const retry = (reason: string) => ({ kind: 'retry', reason });

const kindsOf = (results: readonly PushResult[]) => Object.groupBy(results, ({ kind }) => kind);

test('a GOAWAY during a burst loses no push and sends none twice', async (t) => {
  const harness = resourcesOf(t).use(await ApnsHarness.open({}, { limit: 150 }));
  await harness.send(nudgeTo(0));
  harness.apns.hold();
  const sent = harness.burst(300, 1);
  await harness.apns.receives(121);
  // Of the 120 or more that have arrived, Apple will answer the first 30.
  harness.apns.goAway(harness.apns.heldIds[29] ?? 0);
  await harness.apns.receives(122);
  harness.apns.release();
  assert.equal(kindsOf(await Promise.all(sent)).accepted?.length, 300);
  const perConnection = Object.groupBy(harness.apns.pushes, ({ connection }) => connection);
  assert.equal(new Set(harness.apns.pushes.map(({ token }) => token)).size, 301);
  assert.equal(harness.apns.pushes.length, 301);
  assert.equal(perConnection[1]?.length, 31);
  assert.equal(harness.apns.connections, 2);
});

test('after a GOAWAY for an error, unprocessed pushes are sent again and the others are reported as lost', async (t) => {
  const harness = resourcesOf(t).use(await ApnsHarness.open({}, { limit: 50 }));
  await harness.send(nudgeTo(0));
  harness.apns.hold();
  const sent = harness.burst(50, 1);
  await harness.apns.receives(51);
  harness.apns.goAway(harness.apns.heldIds[9] ?? 0, constants.NGHTTP2_ENHANCE_YOUR_CALM);
  await harness.apns.receives(52);
  harness.apns.release();
  const results = await Promise.all(sent);
  assert.deepEqual(results.slice(0, 10), Array(10).fill(retry('connection_lost')));
  assert.equal(kindsOf(results.slice(10)).accepted?.length, 40);
});

test('after a connection that breaks before its first answer, no new one is opened for a while', async (t) => {
  const harness = resourcesOf(t).use(await ApnsHarness.open());
  harness.apns.hold();
  const sent = harness.burst(5);
  await harness.apns.receives(1);
  harness.apns.drop();
  const [first, ...waiting] = await Promise.all(sent);
  assert.deepEqual(first, retry('connection_lost'));
  for (const result of waiting) assert.equal(result.kind === 'retry' && result.reason, 'unreachable');
  assert.equal(harness.apns.connections, 1);
});

test('the stream limit is respected at every moment while it falls from 150 to 1 and rises again', async (t) => {
  const harness = resourcesOf(t).use(await ApnsHarness.open({}, { limit: 150 }));
  await harness.send(nudgeTo(0));
  harness.apns.hold();
  const sent = harness.burst(300, 1);
  await harness.apns.receives(151);
  await harness.apns.setStreamLimit(1);
  harness.apns.maxOpenStreams = 0;
  harness.apns.release();
  await harness.apns.receives(170);
  assert.equal(harness.apns.maxOpenStreams, 1);
  await harness.apns.setStreamLimit(150);
  assert.equal(kindsOf(await Promise.all(sent)).accepted?.length, 300);
  assert.ok(harness.apns.maxOpenStreams > 1 && harness.apns.maxOpenStreams <= 150, String(harness.apns.maxOpenStreams));
  assert.equal(harness.apns.connections, 1);
});

test('while Apple allows no stream all pushes wait, and all are sent once it allows some', async (t) => {
  const harness = resourcesOf(t).use(await ApnsHarness.open({}, { limit: 10 }));
  await harness.send(nudgeTo(0));
  await harness.send(nudgeTo(0, 'sandbox'));
  await harness.apns.setStreamLimit(0);
  assert.equal(harness.gateway.capacity(), 0);
  const sent = harness.burst(20, 1);
  await new Promise(setImmediate);
  assert.equal(harness.apns.received, 2);
  await harness.apns.setStreamLimit(3);
  assert.equal(kindsOf(await Promise.all(sent)).accepted?.length, 20);
});

test('a push on a refused stream is sent again, up to three times', async (t) => {
  const harness = resourcesOf(t).use(await ApnsHarness.open());
  await harness.send(nudgeTo(0));
  harness.apns.refuseStreams(3);
  assert.deepEqual(await harness.send(nudgeTo(1)), ACCEPTED);
  harness.apns.refuseStreams(4);
  assert.deepEqual(await harness.send(nudgeTo(2)), retry('connection_lost'));
  assert.deepEqual(await harness.send(nudgeTo(3)), ACCEPTED);
  assert.equal(harness.apns.connections, 1);
});

test('when a connection breaks, the pushes in flight are retries and the waiting ones are sent on a new connection', async (t) => {
  const harness = resourcesOf(t).use(await ApnsHarness.open({}, { limit: 50 }));
  await harness.send(nudgeTo(0));
  harness.apns.hold();
  const sent = harness.burst(200, 1);
  await harness.apns.receives(51);
  harness.apns.drop();
  harness.apns.release();
  const results = await Promise.all(sent);
  assert.deepEqual(results.slice(0, 50), Array(50).fill(retry('connection_lost')));
  assert.equal(kindsOf(results.slice(50)).accepted?.length, 150);
  assert.equal(harness.apns.connections, 2);
});

test('if the first push times out, the connection is closed and no push waits for it', async (t) => {
  const harness = resourcesOf(t).use(await ApnsHarness.open({ timings: { requestMs: 30 } }));
  harness.apns.isSilent = true;
  const [first, ...waiting] = await Promise.all(harness.burst(5));
  assert.deepEqual(first, retry('timeout'));
  for (const result of waiting) assert.equal(result.kind === 'retry' && result.reason, 'unreachable');
});

test('a push that times out does not close a live connection', async (t) => {
  const harness = resourcesOf(t).use(await ApnsHarness.open({ timings: { requestMs: 500 } }));
  await harness.send(nudgeTo(0));
  harness.apns.isSilent = true;
  assert.deepEqual(await harness.send(nudgeTo(1)), retry('timeout'));
  harness.apns.isSilent = false;
  assert.deepEqual(await harness.send(nudgeTo(2)), ACCEPTED);
  assert.equal(harness.apns.connections, 1);
});

test('a push whose signal fires ends at once, waiting or in flight, and frees its place', async (t) => {
  const harness = resourcesOf(t).use(await ApnsHarness.open({ timings: { requestMs: 60_000 } }, { limit: 1 }));
  await harness.send(nudgeTo(0));
  harness.apns.hold();
  const [inFlight, waiting] = [new AbortController(), new AbortController()];
  const sent = [
    harness.send(nudgeTo(1), inFlight.signal),
    harness.send(nudgeTo(2), waiting.signal),
    harness.send(nudgeTo(3)),
  ];
  await harness.apns.receives(2);
  waiting.abort();
  assert.deepEqual(await sent[1], retry('timeout'));
  inFlight.abort();
  assert.deepEqual(await sent[0], retry('timeout'));
  await harness.apns.receives(3);
  harness.apns.release();
  assert.deepEqual(await sent[2], ACCEPTED);
  assert.deepEqual(await harness.send(nudgeTo(4), AbortSignal.abort()), retry('timeout'));
  assert.equal(harness.apns.received, 3);
});
