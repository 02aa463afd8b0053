/**
 * The engine: how fast it fires, how late it is at half that rate, what a hundred thousand tasks due in the
 * same second cost, and what a million tasks that are not due cost. The targets printed next to the figures
 * are ratios within this run, except for the lateness.
 *
 * On PostgreSQL the reference is a loop of bare SQL that claims, updates and records the same rows in the
 * same batches and makes no decisions.
 *
 * BENCH_ENGINES=sqlite measures one engine only. BENCH_DATABASE_URL is a PostgreSQL server to use instead of the
 * one from the tests. BENCH_PEERS is a folder in whose node_modules graphile-worker and pg-boss are installed.
 */
import { sql } from 'kysely';
import pg from 'pg';
import { isPostgres } from '../src/db/schema.ts';
import { newId } from '../src/lib/ids.ts';
import type { Gateway, Push } from '../src/push/gateway.ts';
import { insertDueTasks } from '../test/support/due-tasks.ts';
import { PostgresServer } from '../test/support/postgres-server.ts';
import { runBareLoop } from './bare-loop.ts';
import { type BenchService, type BenchUser, startBenchService } from './bench-service.ts';
import { runPeers } from './peers.ts';
import { percentile } from './statistics.ts';

const FIRES = 20_000;
const SPIKE = 100_000;
const FUTURE = 1_000_000;
const LATENESS_SECONDS = 10;

export async function benchEngine(): Promise<void> {
  const engines = process.env.BENCH_ENGINES ?? 'postgres,sqlite';
  if (engines.includes('postgres')) await benchPostgres();
  if (engines.includes('sqlite')) await benchOn('SQLite');
}

async function benchPostgres(): Promise<void> {
  const server = process.env.BENCH_DATABASE_URL ? undefined : await PostgresServer.start();
  try {
    const serverUrl = process.env.BENCH_DATABASE_URL ?? server?.urlOf('postgres') ?? '';
    await benchOn('PostgreSQL', () => createDatabase(serverUrl));
    await runPeers(serverUrl, FIRES / 4);
  } finally {
    await server?.stop();
  }
}

interface PostgresDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

type CreateDatabase = () => Promise<PostgresDatabase>;

export async function createDatabase(serverUrl: string): Promise<PostgresDatabase> {
  const name = `bench_${newId().replaceAll('-', '')}`;
  const execute = async (statement: string) => {
    const client = new pg.Client({ connectionString: serverUrl });
    await client.connect();
    await client.query(statement).finally(() => client.end());
  };
  await execute(`create database ${name}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => execute(`drop database ${name} with (force)`) };
}

/** Phones that accept every push at once and record how late it was. */
class Phones implements Gateway {
  readonly latenessMs: number[] = [];

  async send(push: Push): Promise<{ kind: 'accepted' }> {
    if (push.kind === 'nudge') this.latenessMs.push(Date.now() - (push.task.occurrenceDueAt?.getTime() ?? 0));
    return { kind: 'accepted' };
  }

  capacity(): number {
    return 10_000;
  }

  async close(): Promise<void> {}
}

interface Running extends BenchService {
  readonly phones: Phones;
  /** Empty on SQLite. */
  readonly postgresUrl: string;
}

async function withService(
  create: CreateDatabase | undefined,
  measure: (running: Running) => Promise<void>,
): Promise<void> {
  const database = await create?.();
  const phones = new Phones();
  const service = await startBenchService(database && { DATABASE_URL: database.url }, {
    gateways: { apns: phones },
    limits: { patienceMs: Number.POSITIVE_INFINITY },
  });
  try {
    await measure({ ...service, phones, postgresUrl: database?.url ?? '' });
  } finally {
    await service.close();
    await database?.drop();
  }
}

async function benchOn(name: 'PostgreSQL' | 'SQLite', create?: CreateDatabase): Promise<void> {
  console.log(`\n${name}`);
  let rate = 0;
  await withService(create, async (running) => {
    rate = await fireRate(running, FIRES);
    print('nudges fired per second', `${rate.toFixed(0)}/s`);
    if (name !== 'PostgreSQL') return;
    const bareRate = await runBareLoop(running, FIRES);
    print('bare SQL loop', `${bareRate.toFixed(0)}/s`);
    print('fire rate / bare SQL loop', (rate / bareRate).toFixed(2), '>= 0.70');
  });
  await withService(create, (running) => benchLateness(running, rate / 2));
  await withService(create, (running) => benchSpike(running, name === 'SQLite' ? 5 : 2));
  await withService(create, benchFuture);
}

const print = (what: string, figure: string, target = '') =>
  console.log(`  ${what.padEnd(44)}${figure.padStart(14)}${target && `   target ${target}`}`);

/** Measured from the moment all tasks are due until the last delivery result is stored. */
async function fireRate({ db, engine, phones }: Running, count: number): Promise<number> {
  await insertDueTasks(db, { tasks: count, owners: count / 10, dueAt: new Date(Date.now() + 3_600_000) });
  await sql`analyze`.execute(db);
  phones.latenessMs.length = 0;
  const dueAt = new Date(Date.now() - 1);
  await sql`update tasks set next_fire_at = ${dueAt}, due_at = ${dueAt}, wanted_at = ${dueAt}
    where nudge_count = 0`.execute(db);
  if (isPostgres(db)) await sql`vacuum`.execute(db).catch(() => undefined);
  const startedAt = performance.now();
  engine?.wakeUp();
  await engine?.settled();
  const seconds = (performance.now() - startedAt) / 1_000;
  if (phones.latenessMs.length !== count) throw new Error(`${phones.latenessMs.length} of ${count} nudges were sent.`);
  return count / seconds;
}

async function benchLateness({ db, engine, phones }: Running, perSecond: number): Promise<void> {
  const tasks = Math.floor(perSecond * LATENESS_SECONDS);
  const dueAt = new Date(Date.now() + 10_000);
  await insertDueTasks(db, { tasks, owners: Math.ceil(tasks / 10), dueAt, intervalMs: 1_000 / perSecond });
  await sql`analyze`.execute(db);
  phones.latenessMs.length = 0;
  engine?.wakeUp();
  while (phones.latenessMs.length < tasks) await new Promise((resolve) => setTimeout(resolve, 50));
  print(
    `lateness p99 at ${perSecond.toFixed(0)}/s`,
    `${percentile(phones.latenessMs, 0.99).toFixed(0)} ms`,
    '<= 250 ms',
  );
}

async function benchSpike(running: Running, maxSlowdown: number): Promise<void> {
  const { db, engine, phones } = running;
  const steadyRate = await fireRate(running, FIRES);
  const user = await running.signIn();
  const idleMs = await probe(running, user, 2_000);
  phones.latenessMs.length = 0;
  await insertDueTasks(db, { tasks: SPIKE, owners: SPIKE / 10, dueAt: new Date(Date.now() + 20_000) });
  await sql`analyze`.execute(db);
  while (phones.latenessMs.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  const startedAt = performance.now();
  const busyMs = await probe(running, user, 5_000);
  await engine?.settled();
  const seconds = (performance.now() - startedAt) / 1_000;
  print(`${SPIKE} due at once, all sent after`, `${seconds.toFixed(1)} s`);
  print('that time / (N / steady rate)', ((seconds * steadyRate) / SPIKE).toFixed(2), '<= 1.30');
  const [idleP99, busyP99] = [percentile(idleMs, 0.99), percentile(busyMs, 0.99)];
  print('API p99 while the engine is idle', `${idleP99.toFixed(1)} ms`);
  print('API p99 during the spike / idle', (busyP99 / idleP99).toFixed(2), `<= ${maxSlowdown}`);
}

/** Reads and writes at a constant rate, however slow the answers are. Returns the response times. */
async function probe({ app }: Running, { headers }: BenchUser, forMs: number): Promise<number[]> {
  const timesMs: number[] = [];
  const pending: Promise<void>[] = [];
  const endsAt = performance.now() + forMs;
  for (let count = 0; performance.now() < endsAt; count += 1) {
    const request = async () => {
      const startedAt = performance.now();
      await app.inject(
        count % 4 === 0
          ? { method: 'POST', url: '/v1/tasks', headers, payload: { title: 'probe' } }
          : { method: 'GET', url: '/v1/tasks?limit=20', headers },
      );
      timesMs.push(performance.now() - startedAt);
    };
    pending.push(request());
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  await Promise.all(pending);
  return timesMs;
}

async function benchFuture(running: Running): Promise<void> {
  const { db } = running;
  const rateWithFew = await fireRate(running, FIRES / 2);
  const memoryBeforeMb = process.memoryUsage().rss / 2 ** 20;
  await insertDueTasks(db, {
    tasks: FUTURE,
    owners: 10_000,
    dueAt: new Date(Date.now() + 86_400_000),
    intervalMs: 100,
  });
  await sql`analyze`.execute(db);
  globalThis.gc?.();
  const cpu = process.cpuUsage();
  await new Promise((resolve) => setTimeout(resolve, 10_000));
  const { user, system } = process.cpuUsage(cpu);
  print(`idle engine over ${FUTURE} waiting tasks`, `${((user + system) / 100_000).toFixed(2)} % CPU`);
  const rateWithMany = await fireRateOfNewTasks(running, FIRES / 2);
  print('cost per nudge, 10,000 -> 1,000,000 tasks', (rateWithFew / rateWithMany).toFixed(2), '<= 1.15');
  print('resident memory', `${memoryBeforeMb.toFixed(0)} -> ${(process.memoryUsage().rss / 2 ** 20).toFixed(0)} MB`);
}

/** Fires new tasks and leaves the waiting ones alone. */
async function fireRateOfNewTasks({ db, engine, phones }: Running, count: number): Promise<number> {
  phones.latenessMs.length = 0;
  await engine?.settled();
  await insertDueTasks(db, { tasks: count, owners: count / 10, dueAt: new Date(Date.now() + 8_000) });
  while (phones.latenessMs.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  const startedAt = performance.now();
  await engine?.settled();
  return count / ((performance.now() - startedAt) / 1_000);
}
