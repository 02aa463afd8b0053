import assert from 'node:assert/strict';
import { constants } from 'node:http2';
import { test } from 'node:test';
import { ApnsBed } from '../../../test/support/apns-bed.ts';
import { nudgeTo } from '../../../test/support/apns-pushes.ts';
import { partsOf } from '../../../test/support/parts.ts';
import type { PushResult } from '../gateway.ts';

const ACCEPTED = { kind: 'accepted' };
const retry = (reason: string) => ({ kind: 'retry', reason });

const kindsOf = (results: readonly PushResult[]) => Object.groupBy(results, ({ kind }) => kind);

test('a goaway in the middle of a burst loses none and sends none twice', async (t) => {
  const bed = partsOf(t).use(await ApnsBed.open({}, { limit: 500 }));
  await bed.send(nudgeTo(0));
  bed.apns.hold();
  const sent = bed.burst(1_000, 1);
  await bed.apns.receives(401);
  // Of the 400 and more that have arrived, Apple means to answer the first hundred.
  bed.apns.goAway(bed.apns.heldIds[99] ?? 0);
  await bed.apns.receives(402);
  bed.apns.release();
  assert.equal(kindsOf(await Promise.all(sent)).accepted?.length, 1_000);
  const perConnection = Object.groupBy(bed.apns.pushes, ({ connection }) => connection);
  assert.equal(new Set(bed.apns.pushes.map(({ token }) => token)).size, 1_001);
  assert.equal(bed.apns.pushes.length, 1_001);
  assert.equal(perConnection[1]?.length, 101);
  assert.equal(bed.apns.connections, 2);
});

test('a goaway for a fault keeps what was answered, moves what was not looked at and says what is unknown', async (t) => {
  const bed = partsOf(t).use(await ApnsBed.open({}, { limit: 50 }));
  await bed.send(nudgeTo(0));
  bed.apns.hold();
  const sent = bed.burst(50, 1);
  await bed.apns.receives(51);
  bed.apns.goAway(bed.apns.heldIds[9] ?? 0, constants.NGHTTP2_ENHANCE_YOUR_CALM);
  await bed.apns.receives(52);
  bed.apns.release();
  const results = await Promise.all(sent);
  assert.deepEqual(results.slice(0, 10), Array(10).fill(retry('connection_lost')));
  assert.equal(kindsOf(results.slice(10)).accepted?.length, 40);
});

test('a peer that breaks off before its first answer is left alone for a while', async (t) => {
  const bed = partsOf(t).use(await ApnsBed.open());
  bed.apns.hold();
  const sent = bed.burst(5);
  await bed.apns.receives(1);
  bed.apns.drop();
  const [first, ...behind] = await Promise.all(sent);
  assert.deepEqual(first, retry('connection_lost'));
  for (const result of behind) assert.equal(result.kind === 'retry' && result.reason, 'unreachable');
  assert.equal(bed.apns.connections, 1);
});

test('a stream limit that falls from 500 to 1 and rises again is kept at every moment', async (t) => {
  const bed = partsOf(t).use(await ApnsBed.open({}, { limit: 500 }));
  await bed.send(nudgeTo(0));
  bed.apns.hold();
  const sent = bed.burst(1_000, 1);
  await bed.apns.receives(501);
  await bed.apns.allow(1);
  bed.apns.mostOpen = 0;
  bed.apns.release();
  await bed.apns.receives(520);
  assert.equal(bed.apns.mostOpen, 1);
  await bed.apns.allow(500);
  assert.equal(kindsOf(await Promise.all(sent)).accepted?.length, 1_000);
  assert.ok(bed.apns.mostOpen > 1 && bed.apns.mostOpen <= 500, String(bed.apns.mostOpen));
  assert.equal(bed.apns.connections, 1);
});

test('while the peer allows no stream all wait, and all go out once it allows some', async (t) => {
  const bed = partsOf(t).use(await ApnsBed.open({}, { limit: 10 }));
  await bed.send(nudgeTo(0));
  await bed.send(nudgeTo(0, 'sandbox'));
  await bed.apns.allow(0);
  assert.equal(bed.gateway.room(), 0);
  const sent = bed.burst(20, 1);
  await new Promise(setImmediate);
  assert.equal(bed.apns.received, 2);
  await bed.apns.allow(3);
  assert.equal(kindsOf(await Promise.all(sent)).accepted?.length, 20);
});

test('a stream that the peer refuses without having looked at it is opened again, but not for ever', async (t) => {
  const bed = partsOf(t).use(await ApnsBed.open());
  await bed.send(nudgeTo(0));
  bed.apns.turnAway(3);
  assert.deepEqual(await bed.send(nudgeTo(1)), ACCEPTED);
  bed.apns.turnAway(4);
  assert.deepEqual(await bed.send(nudgeTo(2)), retry('connection_lost'));
  assert.deepEqual(await bed.send(nudgeTo(3)), ACCEPTED);
  assert.equal(bed.apns.connections, 1);
});

test('a connection that breaks after it took pushes leaves those to be tried again, and the others go on', async (t) => {
  const bed = partsOf(t).use(await ApnsBed.open({}, { limit: 50 }));
  await bed.send(nudgeTo(0));
  bed.apns.hold();
  const sent = bed.burst(200, 1);
  await bed.apns.receives(51);
  bed.apns.drop();
  bed.apns.release();
  const results = await Promise.all(sent);
  assert.deepEqual(results.slice(0, 50), Array(50).fill(retry('connection_lost')));
  assert.equal(kindsOf(results.slice(50)).accepted?.length, 150);
  assert.equal(bed.apns.connections, 2);
});

test('a first push that is not answered in time gives up the connection, and nobody waits behind it', async (t) => {
  const bed = partsOf(t).use(await ApnsBed.open({ durations: { requestMs: 30 } }));
  bed.apns.isSilent = true;
  const [first, ...behind] = await Promise.all(bed.burst(5));
  assert.deepEqual(first, retry('timeout'));
  for (const result of behind) assert.equal(result.kind === 'retry' && result.reason, 'unreachable');
});

test('a push that is not answered in time costs a connection that is alive nothing', async (t) => {
  const bed = partsOf(t).use(await ApnsBed.open({ durations: { requestMs: 500 } }));
  await bed.send(nudgeTo(0));
  bed.apns.isSilent = true;
  assert.deepEqual(await bed.send(nudgeTo(1)), retry('timeout'));
  bed.apns.isSilent = false;
  assert.deepEqual(await bed.send(nudgeTo(2)), ACCEPTED);
  assert.equal(bed.apns.connections, 1);
});

test('a push whose time is up is given up at once, wherever it is, and takes no place any longer', async (t) => {
  const bed = partsOf(t).use(await ApnsBed.open({ durations: { requestMs: 60_000 } }, { limit: 1 }));
  await bed.send(nudgeTo(0));
  bed.apns.hold();
  const [underWay, waiting] = [new AbortController(), new AbortController()];
  const sent = [bed.send(nudgeTo(1), underWay.signal), bed.send(nudgeTo(2), waiting.signal), bed.send(nudgeTo(3))];
  await bed.apns.receives(2);
  waiting.abort();
  assert.deepEqual(await sent[1], retry('timeout'));
  underWay.abort();
  assert.deepEqual(await sent[0], retry('timeout'));
  await bed.apns.receives(3);
  bed.apns.release();
  assert.deepEqual(await sent[2], ACCEPTED);
  assert.deepEqual(await bed.send(nudgeTo(4), AbortSignal.abort()), retry('timeout'));
  assert.equal(bed.apns.received, 3);
});
