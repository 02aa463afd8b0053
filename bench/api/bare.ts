/**
 * The same calls on a bare `node:http` server: the same session look-up, the same rows read, and the same rows written
 * in one transaction with the same durability. It validates nothing, limits nothing and knows one kind of caller.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hashToken } from '../../src/lib/secrets.ts';
import { serveParent } from '../child.ts';
import { openPostgresStore } from './bare-postgres.ts';
import { openSqliteStore } from './bare-sqlite.ts';
import type { BareStore } from './bare-store.ts';
import type { ServerMethods, ServerSettings } from './service.ts';

async function answer(store: BareStore, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const userId = await authenticate(store, request);
  if (userId === undefined) return void response.writeHead(401).end();
  const url = new URL(request.url ?? '', 'http://bare');
  const [, , , taskId = ''] = url.pathname.split('/');
  const data = await dataOf(store, userId, request, url, taskId);
  if (data === undefined) return void response.writeHead(404).end();
  const body = JSON.stringify({ ok: true, data, error: null });
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }).end(body);
}

async function authenticate(store: BareStore, { headers }: IncomingMessage): Promise<string | undefined> {
  const session = await store.findSession(hashToken((headers.authorization ?? '').slice('Bearer '.length)));
  return session && session.expiresAt > Date.now() ? session.userId : undefined;
}

async function dataOf(
  store: BareStore,
  userId: string,
  request: IncomingMessage,
  { pathname, searchParams }: URL,
  taskId: string,
): Promise<unknown> {
  if (request.method === 'POST') {
    const body = (await request.toArray()).join('');
    return taskId === '' ? store.create(userId, JSON.parse(body)) : store.complete(userId, taskId);
  }
  if (pathname === '/v1/sync') return store.sync(userId, new Date(searchParams.get('since') ?? ''));
  return taskId === '' ? store.list(userId, Number(searchParams.get('limit'))) : store.find(userId, taskId);
}

await serveParent(async ({ databaseUrl }: ServerSettings) => {
  const store = databaseUrl.startsWith('sqlite:')
    ? openSqliteStore(databaseUrl.slice('sqlite:'.length))
    : openPostgresStore(databaseUrl);
  const server = createServer((request, response) => {
    answer(store, request, response).catch((error) => response.writeHead(500).end(String(error)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    server.closeAllConnections();
    server.close();
    await store.close();
  };
  return { methods: { port: () => port } satisfies ServerMethods, close };
});
