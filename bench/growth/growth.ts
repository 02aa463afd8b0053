/**
 * What a nudge and a call cost in a database of a thousand tasks and in one of a million (ten million if this part runs
 * alone). Two services take turns, one on each database, so other load on the machine affects both alike. The large
 * database has the same users for the measurement as the small one, and millions of waiting tasks beside them.
 *
 * BENCH_ENGINES=sqlite measures one engine only.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { CompiledQuery } from 'kysely';
import type { Db } from '../../src/db/schema.ts';
import { findNextAttemptAt, leaseDeliveries, NOTHING } from '../../src/deliveries/leases.store.ts';
import { claimDueTasks, findNextFireAt } from '../../src/engine/sweep.store.ts';
import { findShownTask, listOutlines } from '../../src/tasks/shown-tasks.store.ts';
import { listEntries } from '../../src/tasks/timeline/timeline.store.ts';
import { recordQueries } from '../../test/support/recorded-queries.ts';
import { Connection } from '../api/connection.ts';
import { type BenchService, startBenchService } from '../bench-service.ts';
import { type Child, startChild } from '../child.ts';
import { createDatabase, withPostgres } from '../databases.ts';
import type { EngineMethods } from '../engine/service.ts';
import type { Report } from '../report.ts';
import { sized } from '../sizes.ts';
import { median, round, spread } from '../statistics.ts';
import { insertTasks } from '../tasks.ts';
import { fill } from './fill.ts';

const SMALL = 1_000;
const ROUNDS = sized(20, 150);
const RUNS = sized(1, 3);
const FIRES = sized(300, 5_000);
const IDLE_MS = sized(500, 5_000);
/** Of the user who makes the calls; each is completed once at most. */
const OWN_TASKS = 400;

type EngineName = 'PostgreSQL' | 'SQLite';

export async function benchGrowth(report: Report, isAlone: boolean): Promise<void> {
  const large = sized(10_000, isAlone ? 10_000_000 : 1_000_000);
  const engines = process.env.BENCH_ENGINES ?? 'postgres,sqlite';
  if (engines.includes('postgres')) {
    await withPostgres(report, (serverUrl) =>
      compareSizes(report, 'PostgreSQL', large, async () => (await createDatabase(serverUrl)).url),
    );
  }
  if (!engines.includes('sqlite')) return;
  const folder = mkdtempSync(join(tmpdir(), 'crescendo-bench-'));
  let files = 0;
  const newFile = async () => {
    files += 1;
    return `sqlite:${join(folder, `${files}.db`)}`;
  };
  await compareSizes(report, 'SQLite', large, newFile).finally(() => rmSync(folder, { recursive: true, force: true }));
}

interface Sized {
  readonly size: number;
  readonly databaseUrl: string;
  readonly authorization: string;
  readonly taskIds: readonly string[];
  /** What the hot statements read, by their names. */
  readonly buffers: ReadonlyMap<string, number>;
}

interface Running extends Sized {
  readonly service: Child<EngineMethods>;
}

async function compareSizes(
  report: Report,
  engine: EngineName,
  large: number,
  newDatabase: () => Promise<string>,
): Promise<void> {
  const pair: Running[] = [];
  try {
    for (const size of [SMALL, large]) pair.push(await open(engine, await prepare(engine, await newDatabase(), size)));
    const id = engine.toLowerCase();
    const sizes = `${SMALL.toLocaleString('en')} → ${large.toLocaleString('en')} tasks, ${engine}`;
    if (engine === 'PostgreSQL') reportBuffers(report, sizes, pair);
    await compareFires(report, id, sizes, pair);
    await compareCalls(report, id, sizes, pair);
    await compareUsage(report, id, sizes, pair);
  } finally {
    for (const { service } of pair) await service.stop();
  }
}

async function prepare(engine: EngineName, databaseUrl: string, size: number): Promise<Sized> {
  const startedAt = performance.now();
  const setUp = await startBenchService({ DATABASE_URL: databaseUrl });
  const user = await setUp.signIn();
  const taskIds = await insertTasks(setUp.db, user.id, OWN_TASKS, new Date(Date.now() + 86_400_000));
  await setUp.close();
  await fill(databaseUrl, size);
  const service = await startBenchService({ DATABASE_URL: databaseUrl });
  const buffers = await readPlans(engine, service, user.id, taskIds[0] ?? '').finally(() => service.close());
  console.log(`  ${size.toLocaleString('en')} tasks inserted in ${round((performance.now() - startedAt) / 1_000)} s`);
  return { size, databaseUrl, authorization: user.headers.authorization, taskIds, buffers };
}

async function open(engine: EngineName, database: Sized): Promise<Running> {
  const module = new URL('../engine/service.ts', import.meta.url);
  const settings = { databaseUrl: database.databaseUrl, role: 'all' };
  const service = await startChild<EngineMethods>(module, settings);
  assert.ok(engine === 'SQLite' || database.buffers.size > 0);
  return { ...database, service };
}

/** Every hot statement must use an index. Returns how many pages of 8 KB each reads on PostgreSQL. */
async function readPlans(engine: EngineName, { db }: BenchService, userId: string, taskId: string) {
  const now = new Date();
  const buffers = new Map<string, number>();
  const statements: Readonly<Record<string, (spy: Db) => Promise<unknown>>> = {
    'claim due tasks': (spy) => claimDueTasks(spy, now, 500, []),
    'next due task': findNextFireAt,
    'lease deliveries': (spy) =>
      leaseDeliveries(spy, 'apns', { now, until: now, newestMigration: '9999', limit: 500, except: NOTHING }),
    'next delivery': (spy) => findNextAttemptAt(spy, 'apns', NOTHING),
    'read a task': (spy) => findShownTask(spy, taskId),
    'list of 50': (spy) =>
      listOutlines(spy, {
        of: { ownerId: userId },
        status: undefined,
        now,
        replanned: [],
        after: undefined,
        limit: 50,
      }),
    timeline: (spy) => listEntries(spy, taskId, undefined, 50, true),
  };
  for (const [name, run] of Object.entries(statements)) {
    const { queries, spy } = recordQueries(db);
    await run(spy);
    for (const { sql: text, parameters } of queries) {
      const explain = engine === 'PostgreSQL' ? 'explain (analyze, buffers, format json)' : 'explain query plan';
      const { rows } = await db.executeQuery(CompiledQuery.raw(`${explain} ${text}`, [...parameters]));
      assert.ok(!readsWholeTable(rows), `${name} reads a whole table: ${JSON.stringify(rows)}`);
      if (engine === 'PostgreSQL') buffers.set(name, (buffers.get(name) ?? 0) + pagesIn(rows));
    }
  }
  return buffers;
}

/** SQLite also scans what it has put together for the statement: a subquery, or the values of a list. */
function readsWholeTable(rows: readonly unknown[]): boolean {
  const plan = JSON.stringify(rows);
  const scanned = [...plan.matchAll(/"SCAN (\w+)/g)].map(([, name]) => name);
  const isTable = (name = '') => name !== 'json_each' && !plan.includes(`MATERIALIZE ${name}"`);
  return plan.includes('Seq Scan') || scanned.some(isTable);
}

function pagesIn(rows: readonly unknown[]): number {
  const [row] = rows as [{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }];
  const { Plan: plan } = row['QUERY PLAN'][0];
  return (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0);
}

function reportBuffers(report: Report, sizes: string, pair: readonly Running[]): void {
  const [small, large] = pair.map(({ buffers }) => buffers);
  const pages = [...(small ?? [])].map(([name, count]) => [name, count, large?.get(name) ?? 0] as const);
  const sum = (column: 1 | 2) => pages.reduce((total, page) => total + page[column], 0);
  report.add({
    id: 'growth-pages',
    what: `pages that the hot statements read, ${sizes}`,
    figures: pages.map(([name, few, many]) => `${name} ${few} → ${many}`),
    value: sum(2) / sum(1),
  });
}

async function compareFires(report: Report, id: string, sizes: string, pair: readonly Running[]): Promise<void> {
  const runs = pair.map((): { perSecond: number; cpuUs: number }[] => []);
  for (let run = 0; run <= RUNS; run += 1) {
    for (const [index, { service }] of pair.entries()) {
      const { seconds, cpuSeconds } = await service.call('insertAndDrain', FIRES, sized(500, 3_000), 0);
      // The first run is a warm-up.
      if (run > 0) runs[index]?.push({ perSecond: FIRES / seconds, cpuUs: (cpuSeconds * 1e6) / FIRES });
    }
  }
  const [small = [], large = []] = runs;
  report.add({
    id: `growth-fire-${id}`,
    what: `cost per nudge, ${sizes}`,
    figures: [small, large].map(
      (some) =>
        `${spread(
          some.map(({ perSecond }) => perSecond),
          '/s',
        )}, ${spread(
          some.map(({ cpuUs }) => cpuUs),
          ' µs of CPU',
        )}`,
    ),
    value: median(small.map(({ perSecond }, run) => perSecond / (large[run]?.perSecond ?? Number.NaN))),
    target: { atMost: 1.15 },
  });
}

type MakeRequest = (authorization: string, taskIds: readonly string[], round: number) => string;

const request = (method: string, path: string, authorization: string, body = '') =>
  `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: ${authorization}\r\n${
    method === 'POST' ? `content-type: application/json\r\ncontent-length: ${body.length}\r\n` : ''
  }\r\n${body}`;

const CALLS: Readonly<Record<string, MakeRequest>> = {
  read: (user, ids, number) => request('GET', `/v1/tasks/${ids[number % ids.length]}`, user),
  'list of 50': (user) => request('GET', '/v1/tasks?limit=50', user),
  sync: (user) => request('GET', `/v1/sync?since=${new Date(Date.now() - 1_000).toISOString()}`, user),
  stats: (user) => request('GET', '/v1/stats', user),
  create: (user) => request('POST', '/v1/tasks', user, '{"title":"Take the pills","due_at":"2031-05-04T18:00:00Z"}'),
  complete: (user, ids, number) => request('POST', `/v1/tasks/${ids[number]}/complete`, user, '{}'),
};

async function compareCalls(report: Report, id: string, sizes: string, pair: readonly Running[]): Promise<void> {
  const ratios: number[] = [];
  const figures: string[] = [];
  // Opened here: the service closes connections that were idle while the nudges were compared.
  const connections = await Promise.all(pair.map(async ({ service }) => Connection.open(await service.call('port'))));
  for (const [name, makeRequest] of Object.entries(CALLS)) {
    const timesMs = pair.map((): number[] => []);
    for (let number = 0; number < ROUNDS; number += 1) {
      for (const [index, { authorization, taskIds }] of pair.entries()) {
        const startedAt = performance.now();
        const sent = connections[index]?.send(makeRequest(authorization, taskIds, number));
        const { status } = (await sent) ?? assert.fail('no connection');
        assert.equal(status, 200, name);
        timesMs[index]?.push(performance.now() - startedAt);
      }
    }
    const [small = Number.NaN, large = Number.NaN] = timesMs.map(median);
    ratios.push(large / small);
    figures.push(`${name} ${round(small)} → ${round(large)} ms`);
  }
  for (const connection of connections) connection.close();
  report.add({
    id: `growth-call-${id}`,
    what: `the call that slows down most, ${sizes}`,
    figures,
    value: Math.max(...ratios),
    target: { atMost: 1.2 },
  });
}

async function compareUsage(report: Report, id: string, sizes: string, pair: readonly Running[]): Promise<void> {
  const before = await Promise.all(pair.map(({ service }) => service.usage()));
  await delay(IDLE_MS);
  const after = await Promise.all(pair.map(({ service }) => service.usage()));
  const [small = 0, large = 0] = after.map(({ rssMb }) => rssMb);
  const idle = after.map(({ cpuSeconds }, index) => ((cpuSeconds - (before[index]?.cpuSeconds ?? 0)) / IDLE_MS) * 1e5);
  report.add({
    id: `growth-memory-${id}`,
    what: `resident memory, ${sizes}`,
    figures: [
      `${round(small)} → ${round(large)} MB`,
      `CPU while idle ${idle.map((share) => `${round(share)} %`).join(' → ')}`,
    ],
    value: large / small,
    target: { atMost: 1.1 },
  });
}
