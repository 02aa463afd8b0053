/**
 * A client of the fairness benchmark, as a thread. It reports that it is ready, is told for how many seconds to
 * work, and then reports how many milliseconds each call took. It reads no more of an answer than its end, and on Linux
 * a loud client has the lowest priority: a stranger's phone does not use the cores of the service.
 */
import { constants, setPriority } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { Connection } from './api/connection.ts';

export type LoudWork = 'list' | 'sync' | 'export' | 'import' | 'mcp' | 'zone';

interface ClientData {
  readonly port: number;
  readonly work: LoudWork | 'quiet';
  readonly session: string;
  readonly token: string;
}

/** Requests are sent at a fixed pace, whether or not those before were answered: a stall delays all of them. */
const QUIET_EVERY_MS = 10;
const QUIET_WARM_UPS = 100;
const ZONES = ['Europe/Amsterdam', 'America/New_York', 'Asia/Tokyo'];
const IMPORTED_TASKS = 500;
const MCP_CALLS = 20;

const { port, work, session, token } = workerData as ClientData;
/** Linux counts the priority per thread. */
if (work !== 'quiet' && process.platform === 'linux') setPriority(constants.priority.PRIORITY_LOW);
const free: Connection[] = [];
let count = 0;

async function call(method: string, path: string, payload?: object, authorization = session): Promise<number> {
  const body = payload ? JSON.stringify(payload) : '';
  const head = [
    `${method} ${path} HTTP/1.1`,
    'host: 127.0.0.1',
    `authorization: ${authorization}`,
    'accept: application/json, text/event-stream',
    ...(payload ? ['content-type: application/json', `content-length: ${Buffer.byteLength(body)}`] : []),
  ].join('\r\n');
  const connection = free.pop() ?? (await Connection.open(port));
  const startedAt = performance.now();
  const { status } = await connection.send(`${head}\r\n\r\n${body}`);
  // An import whose account changes its zone all the time is refused in the end.
  const isRefused = status === 503 && work === 'import';
  if (status !== 200 && !isRefused) throw new Error(`${method} ${path}: ${status}`);
  free.push(connection);
  return performance.now() - startedAt;
}

const calls: Readonly<Record<ClientData['work'], () => Promise<number>>> = {
  quiet: () =>
    count % 4 === 0 ? call('POST', '/v1/tasks', { title: 'Water the plants' }) : call('GET', '/v1/tasks?limit=20'),
  list: () => call('GET', '/v1/tasks'),
  sync: () => call('GET', '/v1/sync'),
  export: () => call('GET', '/v1/me/export?importable=true'),
  import: () =>
    call('POST', '/v1/me/import', {
      tasks: Array.from({ length: IMPORTED_TASKS }, () => ({ title: `x${Math.random()}` })),
    }),
  mcp: () =>
    call(
      'POST',
      '/mcp',
      Array.from({ length: MCP_CALLS }, (_, id) => listCall(id)),
      token,
    ),
  zone: () => call('PATCH', '/v1/me', { timezone: ZONES[count % ZONES.length] }),
};

const listCall = (id: number) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name: 'list_tasks', arguments: { limit: 100 } },
});

async function workFor(seconds: number): Promise<number[]> {
  const endsAt = performance.now() + seconds * 1_000;
  const running: Promise<number>[] = [];
  const waits: number[] = [];
  for (let next = performance.now(); performance.now() < endsAt; count += 1) {
    if (work !== 'quiet') {
      waits.push(await calls[work]());
      continue;
    }
    running.push(calls.quiet());
    next += QUIET_EVERY_MS;
    await delay(Math.max(0, next - performance.now()));
  }
  return [...waits, ...(await Promise.all(running))];
}

// The first calls load modules and compile code, which later ones do not.
for (let warmUps = work === 'quiet' ? QUIET_WARM_UPS : 1; warmUps > 0; warmUps -= 1) await calls[work]();
parentPort?.once('message', async (seconds: number) => parentPort?.postMessage(await workFor(seconds)));
parentPort?.postMessage('ready');
