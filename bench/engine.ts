/**
 * The engine: how fast it fires, how late it is at half that speed, what a hundred thousand tasks due
 * in the same second cost, and what a million that are not due cost. Beside the figures stand the
 * targets; all of them are ratios within this run.
 *
 * On PostgreSQL the yardstick is a loop of bare SQL that claims, moves and records the same rows in the
 * same batches and decides nothing. BENCH_ENGINES=sqlite runs one half; BENCH_DATABASE_URL names another server than the tests' own;
 * BENCH_PEERS a folder in whose node_modules graphile-worker and pg-boss are installed.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import pg from 'pg';
import { compose, type Service } from '../src/compose.ts';
import { loadConfig } from '../src/config.ts';
import { systemClock } from '../src/lib/clock.ts';
import { newId } from '../src/lib/ids.ts';
import { createLogger } from '../src/lib/logger.ts';
import type { Gateway, Push } from '../src/push/gateway.ts';
import { insertDueTasks } from '../test/support/due-tasks.ts';
import { PostgresServer } from '../test/support/postgres-server.ts';
import { runBareLoop } from './bare-loop.ts';
import { runPeers } from './peers.ts';

const FIRES = 20_000;
const SPIKE = 100_000;
const FUTURE = 1_000_000;
const LATENESS_SECONDS = 10;

export async function benchEngine(): Promise<void> {
  const wanted = process.env.BENCH_ENGINES ?? 'postgres,sqlite';
  if (wanted.includes('postgres')) await benchPostgres();
  if (wanted.includes('sqlite')) await benchOn('SQLite', newSqlite);
}

async function benchPostgres(): Promise<void> {
  const server = process.env.BENCH_DATABASE_URL ? undefined : await PostgresServer.start();
  try {
    const base = process.env.BENCH_DATABASE_URL ?? server?.urlOf('postgres') ?? '';
    await benchOn('PostgreSQL', () => newPostgres(base));
    await runPeers(base, FIRES / 4);
  } finally {
    await server?.stop();
  }
}

interface Place {
  readonly url: string;
  drop(): Promise<void>;
}

async function newPostgres(base: string): Promise<Place> {
  const name = `bench_${newId().replaceAll('-', '')}`;
  const admin = async (statement: string) => {
    const client = new pg.Client({ connectionString: base });
    await client.connect();
    await client.query(statement).finally(() => client.end());
  };
  await admin(`create database ${name}`);
  const url = new URL(base);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => admin(`drop database ${name} with (force)`) };
}

async function newSqlite(): Promise<Place> {
  const folder = mkdtempSync(join(tmpdir(), 'crescendo-bench-'));
  return { url: `sqlite:${join(folder, 'bench.db')}`, drop: async () => rmSync(folder, { recursive: true }) };
}

/** Phones that take everything at once and remember how late it was. */
class Phones implements Gateway {
  readonly latenessMs: number[] = [];

  async send(push: Push): Promise<{ kind: 'accepted' }> {
    if (push.kind === 'nudge') this.latenessMs.push(Date.now() - (push.task.occurrenceDueAt?.getTime() ?? 0));
    return { kind: 'accepted' };
  }

  room(): number {
    return 10_000;
  }

  async close(): Promise<void> {}
}

interface Running extends Service {
  readonly phones: Phones;
  readonly url: string;
  readonly mails: readonly string[];
}

async function withService(open: () => Promise<Place>, work: (running: Running) => Promise<void>): Promise<void> {
  const place = await open();
  const phones = new Phones();
  const mails: string[] = [];
  const settings = { DATABASE_URL: place.url, SECRET_KEY: 'x'.repeat(32), LOG_LEVEL: 'silent' };
  const service = await compose({
    config: loadConfig({ ...settings, RATE_LIMIT_PER_MINUTE: '9000000' }),
    ...{ version: '0.1.0', clock: systemClock(), wallClock: systemClock(), logger: createLogger('silent') },
    print: (text) => void mails.push(text),
    extra: { gateways: { apns: phones }, limits: { maxEventLoopDelayMs: 60_000 } },
  });
  try {
    await work({ ...service, phones, url: place.url, mails });
  } finally {
    await service.close();
    await place.drop();
  }
}

async function benchOn(name: string, open: () => Promise<Place>): Promise<void> {
  console.log(`\n${name}`);
  let rate = 0;
  await withService(open, async (running) => {
    rate = await fireRate(running, FIRES);
    print('fire rate', `${rate.toFixed(0)}/s`);
    if (name !== 'PostgreSQL') return;
    const bare = await runBareLoop(running, FIRES);
    print('bare SQL loop', `${bare.toFixed(0)}/s`);
    print('fire rate / bare loop', (rate / bare).toFixed(2), '>= 0.70');
  });
  await withService(open, (running) => benchLateness(running, rate / 2));
  await withService(open, (running) => benchSpike(running, name === 'SQLite' ? 5 : 2));
  await withService(open, benchFuture);
}

const print = (what: string, figure: string, target = '') =>
  console.log(`  ${what.padEnd(44)}${figure.padStart(14)}${target && `   target ${target}`}`);

/** From the moment everything is due to the moment the last result is stored. */
async function fireRate({ db, engine, phones }: Running, count: number): Promise<number> {
  await insertDueTasks(db, { tasks: count, owners: count / 10, dueAt: new Date(Date.now() + 3_600_000) });
  await sql`analyze`.execute(db);
  phones.latenessMs.length = 0;
  const due = new Date(Date.now() - 1);
  await sql`update tasks set next_fire_at = ${due}, due_at = ${due}, wanted_at = ${due} where nudge_count = 0`.execute(
    db,
  );
  if (db.getExecutor().adapter.supportsReturning) await sql`vacuum`.execute(db).catch(() => undefined);
  const startedAt = performance.now();
  engine?.wakeUp();
  await engine?.settled();
  const seconds = (performance.now() - startedAt) / 1_000;
  if (phones.latenessMs.length !== count) throw new Error(`${phones.latenessMs.length} of ${count} were shown.`);
  return count / seconds;
}

async function benchLateness({ db, engine, phones }: Running, perSecond: number): Promise<void> {
  const tasks = Math.floor(perSecond * LATENESS_SECONDS);
  const dueAt = new Date(Date.now() + 10_000);
  await insertDueTasks(db, { tasks, owners: Math.ceil(tasks / 10), dueAt, apartMs: 1_000 / perSecond });
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

async function benchSpike(running: Running, mostTimes: number): Promise<void> {
  const { db, engine, phones } = running;
  const steady = await fireRate(running, FIRES);
  const token = await signIn(running);
  const quiet = await probe(running, token, 2_000);
  phones.latenessMs.length = 0;
  await insertDueTasks(db, { tasks: SPIKE, owners: SPIKE / 10, dueAt: new Date(Date.now() + 20_000) });
  await sql`analyze`.execute(db);
  while (phones.latenessMs.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  const startedAt = performance.now();
  const busy = await probe(running, token, 5_000);
  await engine?.settled();
  const seconds = (performance.now() - startedAt) / 1_000;
  const expected = SPIKE / steady;
  print(`${SPIKE} due at once drained`, `${seconds.toFixed(1)} s`);
  print('drain / (N / steady rate)', (seconds / expected).toFixed(2), '<= 1.30');
  print('API p99 quiet', `${percentile(quiet, 0.99).toFixed(1)} ms`);
  print('API p99 meanwhile / quiet', (percentile(busy, 0.99) / percentile(quiet, 0.99)).toFixed(2), `<= ${mostTimes}`);
}

async function signIn({ app, mails }: Running): Promise<string> {
  const email = `bench-${newId()}@example.org`;
  await app.inject({ method: 'POST', url: '/v1/auth/email/request', payload: { email } });
  const code = /is (\d{6})/.exec(mails.find((mail) => mail.includes(email)) ?? '')?.[1];
  const { data } = (
    await app.inject({ method: 'POST', url: '/v1/auth/email/verify', payload: { email, code } })
  ).json();
  return data.session_token;
}

/** A client that reads and writes at a steady pace, however slow the answers are. */
async function probe({ app }: Running, token: string, forMs: number): Promise<number[]> {
  const headers = { authorization: `Bearer ${token}` };
  const times: number[] = [];
  const asking: Promise<void>[] = [];
  const endsAt = performance.now() + forMs;
  for (let turn = 0; performance.now() < endsAt; turn += 1) {
    const ask = async () => {
      const startedAt = performance.now();
      await app.inject(
        turn % 4 === 0
          ? { method: 'POST', url: '/v1/tasks', headers, payload: { title: 'probe' } }
          : { method: 'GET', url: '/v1/tasks?limit=20', headers },
      );
      times.push(performance.now() - startedAt);
    };
    asking.push(ask());
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  await Promise.all(asking);
  return times;
}

async function benchFuture(running: Running): Promise<void> {
  const { db } = running;
  const few = await fireRate(running, FIRES / 2);
  const beforeMb = process.memoryUsage().rss / 2 ** 20;
  await insertDueTasks(db, { tasks: FUTURE, owners: 10_000, dueAt: new Date(Date.now() + 86_400_000), apartMs: 100 });
  await sql`analyze`.execute(db);
  globalThis.gc?.();
  const cpu = process.cpuUsage();
  await new Promise((resolve) => setTimeout(resolve, 10_000));
  const { user, system } = process.cpuUsage(cpu);
  print(`idle over ${FUTURE} future tasks`, `${((user + system) / 100_000).toFixed(2)} % CPU`);
  const many = await fireRateKept(running, FIRES / 2);
  print('cost per fire, 10,000 -> 1,000,000 tasks', (few / many).toFixed(2), '<= 1.15');
  print('resident memory', `${beforeMb.toFixed(0)} -> ${(process.memoryUsage().rss / 2 ** 20).toFixed(0)} MB`);
}

/** Makes new tasks due without touching the ones that wait. */
async function fireRateKept({ db, engine, phones }: Running, count: number): Promise<number> {
  phones.latenessMs.length = 0;
  await engine?.settled();
  await insertDueTasks(db, { tasks: count, owners: count / 10, dueAt: new Date(Date.now() + 8_000) });
  while (phones.latenessMs.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  const startedAt = performance.now();
  await engine?.settled();
  return count / ((performance.now() - startedAt) / 1_000);
}

function percentile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? 0;
}
