/**
 * What happens at three times the load that the service can carry: how fast it refuses, how fast it serves what it
 * accepts, whether /health answers, how late nudges are, and how soon everything is normal again. The load comes
 * from a thread of its own. BENCH_ENGINES=sqlite measures one engine only.
 */
import { Agent, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { isMainThread, Worker, workerData } from 'node:worker_threads';
import type { Db } from '../src/db/schema.ts';
import { listen } from '../src/http/listen.ts';
import { insertDueTasks } from '../test/support/due-tasks.ts';
import { PostgresServer } from '../test/support/postgres-server.ts';
import { startBenchService } from './bench-service.ts';
import { percentile } from './statistics.ts';

const ACCOUNTS = 50;
const CONNECTIONS = 400;
const SECONDS = 6;
/** Ten in a second, for as long as the whole measurement takes. */
const NUDGES = 300;

interface LoadPlan {
  readonly port: number;
  /** One of each account, because the writes of one account wait for each other. */
  readonly authorizations: readonly string[];
}

export async function benchOverload(): Promise<void> {
  const engines = process.env.BENCH_ENGINES ?? 'sqlite,postgres';
  if (engines.includes('sqlite')) await measure('SQLite', {});
  if (!engines.includes('postgres')) return;
  const server = await PostgresServer.start();
  await measure('PostgreSQL', { DATABASE_URL: server.urlOf('postgres') }).finally(() => server.stop());
}

async function measure(name: string, settings: Readonly<Record<string, string>>): Promise<void> {
  console.log(`overload on ${name}`);
  const service = await startBenchService(settings);
  try {
    await listen(service.app, { port: 0, host: '127.0.0.1' });
    const { port } = service.app.server.address() as AddressInfo;
    const authorizations: string[] = [];
    for (let count = 0; count < ACCOUNTS; count += 1)
      authorizations.push((await service.signIn()).headers.authorization);
    const dueAt = new Date(Date.now() + 5_000);
    await insertDueTasks(service.db, { tasks: NUDGES, owners: 100, dueAt, intervalMs: 100, withDevices: false });
    const worker = new Worker(import.meta.filename, { workerData: { port, authorizations } satisfies LoadPlan });
    await new Promise((resolve, reject) => worker.once('exit', resolve).once('error', reject));
    await reportLateness(service.db);
  } finally {
    await service.close();
  }
}

/** Of the nudges that fell due before and during the load. */
async function reportLateness(db: Db): Promise<void> {
  const fired = await db
    .selectFrom('tasks')
    .select(['due_at', 'last_nudge_at'])
    .where('nudge_count', '=', 1)
    .where('due_at', 'is not', null)
    .execute();
  const lateMs = fired.map(({ due_at, last_nudge_at }) => Number(last_nudge_at) - Number(due_at));
  console.log(`  ${fired.length} nudges, p99 ${percentile(lateMs, 0.99)} ms late, latest ${Math.max(...lateMs)} ms`);
}

interface Sent {
  readonly status: number;
  readonly ms: number;
}

/** Runs in the worker. */
async function applyLoad({ port, authorizations }: LoadPlan): Promise<void> {
  let count = 0;
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const send = (path = '/v1/tasks', method = 'POST', own: Agent | false = agent): Promise<Sent> =>
    new Promise((resolve) => {
      const startedAt = performance.now();
      count += 1;
      const authorization = authorizations[count % authorizations.length];
      const end = (status: number) => resolve({ status, ms: performance.now() - startedAt });
      const outgoing = request({ port, path, method, agent: own, headers: { authorization } }, (response) => {
        response.resume().once('close', () => end(response.statusCode ?? 0));
      });
      outgoing.once('error', () => end(0));
      if (method === 'POST') outgoing.setHeader('content-type', 'application/json');
      outgoing.end(method === 'POST' ? '{"title":"Take the pills"}' : undefined);
    });
  const capacity = await measureCapacity(send);
  const quiet = await atRate(send, capacity / 3);
  const health: Sent[] = [];
  const watch = new AbortController();
  const watching = (async () => {
    while (!watch.signal.aborted) {
      health.push(await send('/health', 'GET', false));
      await delay(200);
    }
  })();
  const loaded = await atRate(send, capacity * 3);
  watch.abort();
  const calmAfterMs = await waitForCalm(send, percentile(latencies(quiet, 200), 0.99));
  await watching;
  const [accepted, refused] = [latencies(loaded, 200), latencies(loaded, 503)];
  const quietP99 = percentile(latencies(quiet, 200), 0.99);
  const ratio = percentile(accepted, 0.99) / quietP99;
  console.log(`  capacity ${capacity.toFixed(0)}/s, quiet p99 ${quietP99.toFixed(1)} ms`);
  console.log(
    `  accepted ${accepted.length}, p99 ${percentile(accepted, 0.99).toFixed(1)} ms (${ratio.toFixed(1)} x quiet)`,
  );
  console.log(`  refused ${refused.length}, p99 ${percentile(refused, 0.99).toFixed(1)} ms`);
  console.log(`  other answers: ${loaded.length - accepted.length - refused.length}`);
  const healthStatuses = [...new Set(health.map(({ status }) => status))].join(', ');
  console.log(`  /health: ${healthStatuses}, longest ${Math.max(...health.map(({ ms }) => ms)).toFixed(0)} ms`);
  console.log(`  normal again after ${(calmAfterMs / 1_000).toFixed(1)} s`);
  agent.destroy();
}

type Send = () => Promise<Sent>;

const latencies = (sent: readonly Sent[], status: number) =>
  sent.filter((one) => one.status === status).map(({ ms }) => ms);

async function measureCapacity(send: Send): Promise<number> {
  let count = 0;
  let isOver = false;
  const clients = Array.from({ length: 16 }, async () => {
    while (!isOver) {
      await send();
      count += 1;
    }
  });
  await delay(1_000);
  count = 0;
  await delay(3_000);
  const capacity = count / 3;
  isOver = true;
  await Promise.all(clients);
  return capacity;
}

/** Sends at this rate whatever the answers, as strangers do. */
async function atRate(send: Send, perSecond: number): Promise<Sent[]> {
  const sent: Promise<Sent>[] = [];
  const startedAt = performance.now();
  for (let elapsed = 0; elapsed < SECONDS * 1_000; elapsed = performance.now() - startedAt) {
    while (sent.length < (elapsed * perSecond) / 1_000) sent.push(send());
    await delay(5);
  }
  return Promise.all(sent);
}

async function waitForCalm(send: Send, quietMs: number): Promise<number> {
  const startedAt = performance.now();
  for (let inARow = 0; inARow < 20; ) {
    const { status, ms } = await send();
    inARow = status === 200 && ms <= 2 * quietMs ? inARow + 1 : 0;
  }
  return performance.now() - startedAt;
}

if (!isMainThread) await applyLoad(workerData as LoadPlan);
