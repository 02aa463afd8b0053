import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net';
import { test } from 'node:test';
import { ApnsHarness } from '../../../test/support/apns-harness.ts';
import { nudgeTo } from '../../../test/support/apns-pushes.ts';
import { resourcesOf } from '../../../test/support/test-resources.ts';
import type { PushResult } from '../gateway.ts';

const ACCEPTED = { kind: 'accepted' };

const isUnreachable = (result: PushResult) => result.kind === 'retry' && result.reason === 'unreachable';

test('an untrusted certificate is a misconfiguration, and no connection is tried for a minute', async (t) => {
  const harness = resourcesOf(t).use(await ApnsHarness.open({ ca: '' }));
  const untrusted = { kind: 'misconfigured', reason: 'DEPTH_ZERO_SELF_SIGNED_CERT' };
  assert.deepEqual(await Promise.all(harness.burst(2)), [untrusted, untrusted]);
  await harness.clock.advance('59s');
  assert.deepEqual(await harness.send(nudgeTo(2)), untrusted);
});

test('while Apple refuses connections, every push ends at once with a retry time, and the next attempt backs off longer', async (t) => {
  const port = await closedPort();
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
  const harness = resourcesOf(t).use(await ApnsHarness.open());
  const proxy = resourcesOf(t).use(await SilentProxy.open(harness.apns.port));
  const through = resourcesOf(t).use(await ApnsHarness.open({ ...harness.apns.options, origin: proxy.origin }));
  proxy.isClosed = true;
  assert.ok(isUnreachable(await through.send(nudgeTo(0))));
  await through.clock.advance('500ms');
  assert.ok(isUnreachable(await through.send(nudgeTo(0))));
  proxy.isClosed = false;
  await Promise.all([through.clock.advance('1s'), harness.clock.advance('1500ms')]);
  assert.deepEqual(await through.send(nudgeTo(0)), ACCEPTED);
  assert.deepEqual(await through.send(nudgeTo(1)), ACCEPTED);
  assert.deepEqual(
    through.logLines.map((line) => JSON.parse(line).msg),
    ['Apple cannot be reached', 'Apple can be reached again'],
  );
});

test('a server that accepts the connection and sends nothing is unreachable', async (t) => {
  const harness = resourcesOf(t).use(await ApnsHarness.open());
  const proxy = resourcesOf(t).use(await SilentProxy.open(harness.apns.port));
  const through = resourcesOf(t).use(
    await ApnsHarness.open({
      ...harness.apns.options,
      origin: proxy.origin,
      timings: { connectMs: 30 },
    }),
  );
  proxy.isSilent = true;
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
  const harness = resourcesOf(t).use(await ApnsHarness.open());
  const proxy = resourcesOf(t).use(await SilentProxy.open(harness.apns.port));
  const durations = { pingEveryMs: 50, pongMs: 500 };
  const through = resourcesOf(t).use(
    await ApnsHarness.open({ ...harness.apns.options, origin: proxy.origin, timings: durations }),
  );
  assert.deepEqual(await through.send(nudgeTo(0)), ACCEPTED);
  proxy.cut();
  assert.deepEqual(await through.send(nudgeTo(1)), { kind: 'retry', reason: 'connection_lost' });
  assert.deepEqual(await through.send(nudgeTo(2)), ACCEPTED);
  assert.equal(harness.apns.connections, 2);
});

test('a push that times out triggers a ping', async (t) => {
  const harness = resourcesOf(t).use(await ApnsHarness.open());
  const proxy = resourcesOf(t).use(await SilentProxy.open(harness.apns.port));
  const durations = { requestMs: 500, pongMs: 300 };
  const through = resourcesOf(t).use(
    await ApnsHarness.open({ ...harness.apns.options, origin: proxy.origin, timings: durations }),
  );
  assert.deepEqual(await through.send(nudgeTo(0)), ACCEPTED);
  proxy.cut();
  const results = [await through.send(nudgeTo(1)), await through.send(nudgeTo(2))];
  assert.deepEqual(results, [
    { kind: 'retry', reason: 'timeout' },
    { kind: 'retry', reason: 'connection_lost' },
  ]);
});

test('closing does not wait for a server that never closes its side', async (t) => {
  const harness = resourcesOf(t).use(await ApnsHarness.open());
  const proxy = resourcesOf(t).use(await SilentProxy.open(harness.apns.port));
  const through = resourcesOf(t).use(
    await ApnsHarness.open({
      ...harness.apns.options,
      origin: proxy.origin,
      timings: { requestMs: 500 },
    }),
  );
  assert.deepEqual(await through.send(nudgeTo(0)), ACCEPTED);
  proxy.cut();
  await through.gateway.close();
});

async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** A TCP proxy in front of the server that can stop forwarding without closing its connections. */
class SilentProxy implements AsyncDisposable {
  readonly #server = createServer({ allowHalfOpen: true }, (client) => this.#forward(client));
  readonly #port: number;
  readonly #sockets = new Set<Socket>();
  #cuts = 0;
  /** Accepts connections and forwards nothing. */
  isSilent = false;
  /** Refuses new connections. */
  isClosed = false;

  private constructor(port: number) {
    this.#port = port;
  }

  static async open(port: number): Promise<SilentProxy> {
    const proxy = new SilentProxy(port);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get origin(): string {
    return `https://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Forwards nothing on existing connections, without closing them. */
  cut(): void {
    this.#cuts += 1;
  }

  #forward(client: Socket): void {
    if (this.isClosed) {
      client.destroy();
      return;
    }
    const cutsBefore = this.#cuts;
    const isDead = () => this.isSilent || this.#cuts > cutsBefore;
    const server = createConnection({ port: this.#port, host: '127.0.0.1', allowHalfOpen: true });
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(from);
      from.on('error', () => undefined);
      from.on('close', () => to.destroy());
      from.on('data', (data) => void (isDead() || to.write(data)));
      from.on('end', () => void (isDead() || to.end()));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
