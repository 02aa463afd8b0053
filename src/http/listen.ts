/**
 * Listens with several sockets on one port. The event loop accepts one connection per socket and turn. While
 * hundreds of busy connections make its turns long, a single socket would let in only a few new ones per second,
 * and a health check would wait behind all of them.
 */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import type { FastifyInstance } from 'fastify';

const SOCKETS = 16;

declare module 'fastify' {
  interface FastifyInstance {
    /** They accept connections for the server of the app. */
    readonly otherSockets: Server[];
  }
}

/** Lets the app close all its sockets, and wait for the requests that came through them. */
export function closeAllSockets(app: FastifyInstance): void {
  const sockets: Server[] = [];
  let closed: Promise<unknown> = Promise.resolve();
  app.decorate('otherSockets', sockets);
  app.addHook('preClose', async () => {
    closed = Promise.all(sockets.map((server) => new Promise((resolve) => server.close(resolve))));
  });
  app.addHook('onClose', async () => void (await closed));
}

interface Address {
  readonly host: string;
  readonly port: number;
}

/** Rejects with EADDRINUSE if another process listens there, even one that would share the port. */
export async function listen(app: FastifyInstance, address: Address): Promise<void> {
  const { host } = address;
  const port = await findFreePort(address);
  const options = { host, port, reusePort: await canSharePort(host) };
  await app.listen(options);
  if (!options.reusePort) return;
  for (let opened = 1; opened < SOCKETS; opened += 1) {
    const server = createServer((socket) => app.server.emit('connection', socket));
    server.listen(options);
    await once(server, 'listening');
    app.otherSockets.push(server);
  }
}

async function findFreePort(address: Address): Promise<number> {
  const probe = createServer().listen(address);
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

/** Windows and some older systems cannot. */
async function canSharePort(host: string): Promise<boolean> {
  const probe = createServer();
  try {
    probe.listen({ host, port: 0, reusePort: true });
    await once(probe, 'listening');
    await new Promise((resolve) => probe.close(resolve));
    return true;
  } catch {
    return false;
  }
}
