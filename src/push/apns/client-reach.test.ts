import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { type TestContext, test } from 'node:test';
import { ApnsHarness } from '../../../test/support/apns-harness.ts';
import { nudgeTo } from '../../../test/support/apns-pushes.ts';
import { freePort } from '../../../test/support/free-port.ts';
import { TcpProxy } from '../../../test/support/tcp-proxy.ts';
import { resourcesOf } from '../../../test/support/test-resources.ts';
import type { PushResult } from '../gateway.ts';
import type { ApnsOptions } from './client.ts';

const ACCEPTED = { kind: 'accepted' };

const isUnreachable = (result: PushResult) => result.kind === 'retry' && result.reason === 'unreachable';

/** A gateway that reaches the server of another harness through a proxy. */
async function setUpProxy(t: TestContext, timings: ApnsOptions['timings'] = {}) {
  const { apns, clock } = resourcesOf(t).use(await ApnsHarness.open());
  const proxy = resourcesOf(t).use(await TcpProxy.to(apns.port));
  const origin = `https://127.0.0.1:${proxy.port}`;
  const through = resourcesOf(t).use(await ApnsHarness.open({ ...apns.options, origin, timings }));
  /** Connections stay open and transfer nothing any more. New ones work. */
  const silenceOpenConnections = () => {
    proxy.freeze();
    proxy.switchTo(apns.port);
  };
  return { apns, clock, proxy, through, silenceOpenConnections };
}

test('an untrusted certificate is a misconfiguration, and no connection is tried for a minute', async (t) => {
  const harness = resourcesOf(t).use(await ApnsHarness.open({ ca: '' }));
  const untrusted = { kind: 'misconfigured', reason: 'DEPTH_ZERO_SELF_SIGNED_CERT' };
  assert.deepEqual(await Promise.all(harness.burst(2)), [untrusted, untrusted]);
  await harness.clock.advance('59s');
  assert.deepEqual(await harness.send(nudgeTo(2)), untrusted);
});

test('while Apple refuses connections, every push ends at once with a retry time, and the next attempt backs off longer', async (t) => {
  const port = await freePort();
  const harness = resourcesOf(t).use(await ApnsHarness.open({ origin: `http://127.0.0.1:${port}` }));
  for (const result of [...(await Promise.all(harness.burst(5))), await harness.send(nudgeTo(9))]) {
    assert.ok(result.kind === 'retry' && isUnreachable(result));
    assert.ok(result.afterMs !== undefined && result.afterMs >= 250 && result.afterMs <= 500);
  }
  await harness.clock.advance('500ms');
  const later = await harness.send(nudgeTo(0));
  assert.ok(later.kind === 'retry' && later.afterMs !== undefined);
  assert.ok(later.afterMs >= 500 && later.afterMs <= 1_000, 'the second pause is longer');
});

test('once Apple can be reached again, pushes get through, and the outage is logged as two lines', async (t) => {
  const { proxy, through, clock } = await setUpProxy(t);
  proxy.cut();
  assert.ok(isUnreachable(await through.send(nudgeTo(0))));
  await through.clock.advance('500ms');
  assert.ok(isUnreachable(await through.send(nudgeTo(0))));
  proxy.restore();
  await Promise.all([through.clock.advance('1s'), clock.advance('1500ms')]);
  assert.deepEqual(await through.send(nudgeTo(0)), ACCEPTED);
  assert.deepEqual(await through.send(nudgeTo(1)), ACCEPTED);
  assert.deepEqual(
    through.logLines.map((line) => JSON.parse(line).msg),
    ['Apple cannot be reached', 'Apple can be reached again'],
  );
});

test('a server that accepts the connection and sends nothing is unreachable', async (t) => {
  const { proxy, through } = await setUpProxy(t, { connectMs: 30 });
  proxy.freeze();
  assert.ok(isUnreachable(await through.send(nudgeTo(0))));
});

test('a server without HTTP/2 is unreachable', async (t) => {
  const server = createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const harness = resourcesOf(t).use(await ApnsHarness.open({ origin: `http://127.0.0.1:${port}` }));
  assert.ok(isUnreachable(await harness.send(nudgeTo(0))));
  server.close();
});

test('a ping detects a connection that died silently, and the next push opens another one', async (t) => {
  const { apns, through, silenceOpenConnections } = await setUpProxy(t, { pingEveryMs: 50, pongMs: 500 });
  assert.deepEqual(await through.send(nudgeTo(0)), ACCEPTED);
  silenceOpenConnections();
  assert.deepEqual(await through.send(nudgeTo(1)), { kind: 'retry', reason: 'connection_lost' });
  assert.deepEqual(await through.send(nudgeTo(2)), ACCEPTED);
  assert.equal(apns.connections, 2);
});

test('a push that times out triggers a ping', async (t) => {
  const { through, silenceOpenConnections } = await setUpProxy(t, { requestMs: 500, pongMs: 300 });
  assert.deepEqual(await through.send(nudgeTo(0)), ACCEPTED);
  silenceOpenConnections();
  const results = [await through.send(nudgeTo(1)), await through.send(nudgeTo(2))];
  assert.deepEqual(results, [
    { kind: 'retry', reason: 'timeout' },
    { kind: 'retry', reason: 'connection_lost' },
  ]);
});

test('a push that its sender gives up finds out whether the connection lives', async (t) => {
  const { through, silenceOpenConnections } = await setUpProxy(t, { requestMs: 20_000, pongMs: 300 });
  assert.deepEqual(await through.send(nudgeTo(0)), ACCEPTED);
  silenceOpenConnections();
  const givenUp = new AbortController();
  const sent = through.send(nudgeTo(1), givenUp.signal);
  givenUp.abort();
  assert.deepEqual(await sent, { kind: 'retry', reason: 'timeout' });
  assert.deepEqual(await through.send(nudgeTo(2)), { kind: 'retry', reason: 'connection_lost' });
});

test('closing does not wait for a server that never closes its side', async (t) => {
  const { through, silenceOpenConnections } = await setUpProxy(t, { requestMs: 500 });
  assert.deepEqual(await through.send(nudgeTo(0)), ACCEPTED);
  silenceOpenConnections();
  await through.gateway.close();
});
