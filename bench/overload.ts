/**
 * What happens at three times the load that the service can carry: how fast it refuses, how fast it serves what it
 * accepts, whether /health answers, how late nudges are, and how soon everything is normal again. The load comes
 * from a thread of its own. BENCH_ENGINES=sqlite measures one engine only.
 */
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { isMainThread, Worker, workerData } from 'node:worker_threads';
import type { Db } from '../src/db/schema.ts';
import { listen } from '../src/http/listen.ts';
import { insertDueTasks } from '../test/support/due-tasks.ts';
import { PostgresServer } from '../test/support/postgres-server.ts';
import { Connection } from './api/connection.ts';
import { startBenchService } from './bench-service.ts';
import { percentile } from './statistics.ts';

const ACCOUNTS = 50;
const CONNECTIONS = 1_600;
const SECONDS = 12;
/** So long the service takes an overload for a burst, and serves what it can. */
const ONSET_MS = 500;
/** Ten in a second, for as long as the whole measurement takes. */
const NUDGES = 450;

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
  readonly startedAt: number;
  readonly ms: number;
}

/**
 * The connections of the load. A request waits for a free one at its client, not at the service, so the time counts
 * from the moment at which it is written.
 */
class Clients {
  readonly #free: Connection[];
  readonly #requests: readonly string[];
  #count = 0;

  private constructor(connections: readonly Connection[], requests: readonly string[]) {
    this.#free = [...connections];
    this.#requests = requests;
  }

  static async open({ port, authorizations }: LoadPlan): Promise<Clients> {
    const body = '{"title":"Take the pills"}';
    const head = 'POST /v1/tasks HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json';
    const requests = authorizations.map(
      (authorization) => `${head}\r\ncontent-length: ${body.length}\r\nauthorization: ${authorization}\r\n\r\n${body}`,
    );
    const connections: Connection[] = [];
    for (let count = 0; count < CONNECTIONS; count += 1) connections.push(await Connection.open(port));
    return new Clients(connections, requests);
  }

  get isBusy(): boolean {
    return this.#free.length === 0;
  }

  async send(): Promise<Sent> {
    const connection = this.#free.shift();
    if (!connection) throw new Error('All connections are in use.');
    this.#count += 1;
    const request = this.#requests[this.#count % this.#requests.length] ?? '';
    const startedAt = performance.now();
    const { status } = await connection.send(request);
    this.#free.push(connection);
    return { status, startedAt, ms: performance.now() - startedAt };
  }

  close(): void {
    for (const connection of this.#free) connection.close();
  }
}

/** Over a connection of its own each time, as a load balancer does. */
async function askForHealth(port: number): Promise<Sent> {
  const startedAt = performance.now();
  const { status } = await fetch(`http://127.0.0.1:${port}/health`, { headers: { connection: 'close' } });
  return { status, startedAt, ms: performance.now() - startedAt };
}

/** Runs in the worker. */
async function applyLoad(plan: LoadPlan): Promise<void> {
  const clients = await Clients.open(plan);
  const send = () => clients.send();
  const capacity = await measureCapacity(send);
  const quiet = await atRate(clients, capacity / 3);
  const health: Sent[] = [];
  const watch = new AbortController();
  const watching = (async () => {
    while (!watch.signal.aborted) {
      health.push(await askForHealth(plan.port));
      await delay(200);
    }
  })();
  const loaded = await atRate(clients, capacity * 3);
  watch.abort();
  const calmAfterMs = await waitForCalm(send, percentile(latencies(quiet, 200), 0.99));
  await watching;
  const [accepted, refused] = [latencies(loaded, 200), latencies(loaded, 503)];
  const quietP99 = percentile(latencies(quiet, 200), 0.99);
  const ratio = percentile(accepted, 0.99) / quietP99;
  console.log(`  capacity ${capacity.toFixed(0)}/s, quiet p99 ${quietP99.toFixed(1)} ms`);
  console.log(`  sent ${(loaded.length / SECONDS).toFixed(0)}/s over ${CONNECTIONS} connections`);
  console.log(
    `  accepted ${accepted.length}, p99 ${percentile(accepted, 0.99).toFixed(1)} ms (${ratio.toFixed(1)} x quiet)`,
  );
  const onset = loaded.filter(({ startedAt }) => startedAt < (loaded[0]?.startedAt ?? 0) + ONSET_MS);
  console.log(`  in the first half second: p99 ${percentile(latencies(onset, 200), 0.99).toFixed(1)} ms`);
  console.log(`  refused ${refused.length}, p99 ${percentile(refused, 0.99).toFixed(1)} ms`);
  console.log(`  other answers: ${loaded.length - accepted.length - refused.length}`);
  const healthStatuses = [...new Set(health.map(({ status }) => status))].join(', ');
  console.log(`  /health: ${healthStatuses}, longest ${Math.max(...health.map(({ ms }) => ms)).toFixed(0)} ms`);
  console.log(`  normal again after ${(calmAfterMs / 1_000).toFixed(1)} s`);
  clients.close();
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

/** Sends at this rate whatever the answers, as strangers do, for as long as a connection is free. */
async function atRate(clients: Clients, perSecond: number): Promise<Sent[]> {
  const sent: Promise<Sent>[] = [];
  const startedAt = performance.now();
  for (let elapsed = 0; elapsed < SECONDS * 1_000; elapsed = performance.now() - startedAt) {
    while (sent.length < (elapsed * perSecond) / 1_000 && !clients.isBusy) sent.push(clients.send());
    await delay(2);
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
