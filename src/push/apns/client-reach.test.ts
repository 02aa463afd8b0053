import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net';
import { test } from 'node:test';
import { ApnsBed } from '../../../test/support/apns-bed.ts';
import { nudgeTo } from '../../../test/support/apns-pushes.ts';
import { partsOf } from '../../../test/support/parts.ts';
import type { PushResult } from '../gateway.ts';

const ACCEPTED = { kind: 'accepted' };

const isUnreachable = (result: PushResult) => result.kind === 'retry' && result.reason === 'unreachable';

test('a certificate that nobody vouches for is a matter of settings, and is not asked for again at once', async (t) => {
  const bed = partsOf(t).use(await ApnsBed.open({ ca: '' }));
  const untrusted = { kind: 'misconfigured', reason: 'DEPTH_ZERO_SELF_SIGNED_CERT' };
  assert.deepEqual(await Promise.all(bed.burst(2)), [untrusted, untrusted]);
  await bed.clock.advance('59s');
  assert.deepEqual(await bed.send(nudgeTo(2)), untrusted);
});

test('where nobody listens everyone is told at once when to come back, and then it is tried again', async (t) => {
  const port = await closedPort();
  const bed = partsOf(t).use(await ApnsBed.open({ origin: `http://127.0.0.1:${port}` }));
  for (const result of [...(await Promise.all(bed.burst(5))), await bed.send(nudgeTo(9))]) {
    assert.ok(result.kind === 'retry' && isUnreachable(result));
    assert.ok(result.afterMs !== undefined && result.afterMs >= 250 && result.afterMs <= 500);
  }
  await bed.clock.advance('500ms');
  const later = await bed.send(nudgeTo(0));
  assert.ok(later.kind === 'retry' && later.afterMs !== undefined);
  assert.ok(later.afterMs >= 500 && later.afterMs <= 1_000, 'the second pause is longer');
});

test('once the peer is back, pushes go through without anyone having to ask for it', async (t) => {
  const bed = partsOf(t).use(await ApnsBed.open());
  const tunnel = partsOf(t).use(await Tunnel.open(bed.apns.port));
  const through = partsOf(t).use(await ApnsBed.open({ ...bed.apns.options, origin: tunnel.origin }));
  tunnel.isClosed = true;
  assert.ok(isUnreachable(await through.send(nudgeTo(0))));
  tunnel.isClosed = false;
  await through.clock.advance('500ms');
  assert.deepEqual(await through.send(nudgeTo(0)), ACCEPTED);
});

test('a peer that takes the connection and then says nothing is given up', async (t) => {
  const bed = partsOf(t).use(await ApnsBed.open());
  const tunnel = partsOf(t).use(await Tunnel.open(bed.apns.port));
  const through = partsOf(t).use(
    await ApnsBed.open({
      ...bed.apns.options,
      origin: tunnel.origin,
      durations: { connectMs: 30 },
    }),
  );
  tunnel.isMute = true;
  assert.ok(isUnreachable(await through.send(nudgeTo(0))));
});

test('a peer that does not speak HTTP/2 is unreachable', async (t) => {
  const server = createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const bed = partsOf(t).use(await ApnsBed.open({ origin: `http://127.0.0.1:${port}` }));
  assert.ok(isUnreachable(await bed.send(nudgeTo(0))));
  server.close();
});

test('a connection that died without a word is noticed by a ping, and the next push takes another one', async (t) => {
  const bed = partsOf(t).use(await ApnsBed.open());
  const tunnel = partsOf(t).use(await Tunnel.open(bed.apns.port));
  const durations = { pingEveryMs: 50, pongMs: 500 };
  const through = partsOf(t).use(await ApnsBed.open({ ...bed.apns.options, origin: tunnel.origin, durations }));
  assert.deepEqual(await through.send(nudgeTo(0)), ACCEPTED);
  tunnel.cut();
  assert.deepEqual(await through.send(nudgeTo(1)), { kind: 'retry', reason: 'connection_lost' });
  assert.deepEqual(await through.send(nudgeTo(2)), ACCEPTED);
  assert.equal(bed.apns.connections, 2);
});

test('a push that is not answered in time is reason enough to ask whether the connection is alive', async (t) => {
  const bed = partsOf(t).use(await ApnsBed.open());
  const tunnel = partsOf(t).use(await Tunnel.open(bed.apns.port));
  const durations = { requestMs: 500, pongMs: 300 };
  const through = partsOf(t).use(await ApnsBed.open({ ...bed.apns.options, origin: tunnel.origin, durations }));
  assert.deepEqual(await through.send(nudgeTo(0)), ACCEPTED);
  tunnel.cut();
  const results = [await through.send(nudgeTo(1)), await through.send(nudgeTo(2))];
  assert.deepEqual(results, [
    { kind: 'retry', reason: 'timeout' },
    { kind: 'retry', reason: 'connection_lost' },
  ]);
});

test('closing does not wait for ever for a peer that does not close its side', async (t) => {
  const bed = partsOf(t).use(await ApnsBed.open());
  const tunnel = partsOf(t).use(await Tunnel.open(bed.apns.port));
  const through = partsOf(t).use(
    await ApnsBed.open({
      ...bed.apns.options,
      origin: tunnel.origin,
      durations: { requestMs: 500 },
    }),
  );
  assert.deepEqual(await through.send(nudgeTo(0)), ACCEPTED);
  tunnel.cut();
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

/** A stretch of the way to a server, which a test can cut. */
class Tunnel implements AsyncDisposable {
  readonly #server = createServer({ allowHalfOpen: true }, (near) => this.#dig(near));
  readonly #port: number;
  readonly #sockets = new Set<Socket>();
  #cuts = 0;
  /** Whoever comes is let in and hears nothing. */
  isMute = false;
  /** Whoever comes is turned away. */
  isClosed = false;

  private constructor(port: number) {
    this.#port = port;
  }

  static async open(port: number): Promise<Tunnel> {
    const tunnel = new Tunnel(port);
    tunnel.#server.listen(0, '127.0.0.1');
    await once(tunnel.#server, 'listening');
    return tunnel;
  }

  get origin(): string {
    return `https://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Whoever is inside hears nothing any more, and is not told. */
  cut(): void {
    this.#cuts += 1;
  }

  #dig(near: Socket): void {
    if (this.isClosed) {
      near.destroy();
      return;
    }
    const cutsBefore = this.#cuts;
    const isDead = () => this.isMute || this.#cuts > cutsBefore;
    const far = createConnection({ port: this.#port, host: '127.0.0.1', allowHalfOpen: true });
    for (const [from, to] of [
      [near, far],
      [far, near],
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
