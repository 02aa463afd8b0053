/**
 * The API beside a bare `node:http` handler on both engines, and beside FastAPI on PostgreSQL: requests per second with
 * 32 connections, and per CPU second of the server's process. The servers take turns in every round. Every answer must
 * be a 200, every answer is compared with the one of the bare handler once, and after each round the rows that the
 * requests must have written are counted in the database.
 *
 * BENCH_ENGINES=sqlite measures one engine only.
 */
import assert from 'node:assert/strict';
import { withPostgres } from '../databases.ts';
import type { Report } from '../report.ts';
import { sized } from '../sizes.ts';
import { median, percentile, spread } from '../statistics.ts';
import { CALLS, type Call } from './calls.ts';
import { Connection } from './connection.ts';
import { findPython, MISSING, startFastApi } from './fastapi.ts';
import { ACCOUNTS as CONNECTIONS, type Seed } from './seed.ts';
import { readRow, type SeededCopies, type Server, seedPostgres, seedSqlite, startServer } from './servers.ts';

const ROUNDS = sized(1, 4);
const ROUND_MS = sized(100, 1_000);

type Engine = 'sqlite' | 'postgres';

export async function benchApi(report: Report): Promise<void> {
  const engines = process.env.BENCH_ENGINES ?? 'sqlite,postgres';
  if (engines.includes('sqlite')) await measureEngine(report, 'sqlite', await seedSqlite());
  if (!engines.includes('postgres')) return;
  await withPostgres(report, async (url) => measureEngine(report, 'postgres', await seedPostgres(url)));
}

async function measureEngine(report: Report, engine: Engine, copies: SeededCopies): Promise<void> {
  const servers = [await startServer('service', await copies.copy()), await startServer('bare', await copies.copy())];
  const python = engine === 'postgres' ? findPython() : undefined;
  if (python) {
    servers.push(await startFastApi(python, await copies.copy()));
    report.version('FastAPI', python.versions);
  } else if (engine === 'postgres') report.skip('API / FastAPI', MISSING);
  try {
    const measured = new Map<string, Map<Server['name'], Round[]>>();
    for (const call of CALLS) {
      await compareAnswers(call, copies.seed, servers);
      const rounds = await measureCall(call, copies.seed, servers);
      measured.set(call.id, rounds);
      reportCall(report, engine, call, rounds);
    }
    reportLists(report, engine, measured);
  } finally {
    for (const server of servers) await server.stop();
    await copies.remove();
  }
}

/** The first answer of every server is the same, except for ids and the moment. */
async function compareAnswers(call: Call, seed: Seed, servers: readonly Server[]): Promise<void> {
  const answers = [];
  for (const server of servers) {
    const connection = await Connection.open(server.port);
    const { status, body } = await connection.send(call.request(seed, 0, 0), true);
    connection.close();
    assert.equal(status, 200, `${call.name} on ${server.name}: ${status} ${body}`);
    const { data } = JSON.parse(body, (_, value) => (isInstant(value) ? new Date(value).toISOString() : value));
    call.check(data, seed);
    answers.push(withoutMoments(data, call.rows === undefined));
  }
  for (const answer of answers) assert.deepEqual(answer, answers[0], `${call.name}: the servers answer differently`);
}

const isInstant = (value: unknown) => typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.test(value);

function withoutMoments(data: Record<string, unknown>, isRead: boolean): object {
  const written = ['id', 'created_at', 'updated_at', 'completed_at'];
  const varying = new Set(['server_time', ...(isRead ? [] : written)]);
  return Array.isArray(data) ? data : Object.fromEntries(Object.entries(data).filter(([name]) => !varying.has(name)));
}

interface Round {
  readonly perSecond: number;
  readonly perCpuSecond: number;
  readonly p99Ms: number;
}

async function measureCall(call: Call, seed: Seed, servers: readonly Server[]): Promise<Map<Server['name'], Round[]>> {
  const rounds = new Map(servers.map(({ name }) => [name, [] as Round[]]));
  // What compareAnswers sent comes first.
  const counts = new Map(servers.map((server) => [server, 1]));
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const server of round % 2 === 0 ? servers : servers.toReversed()) {
      const result = await runRound(call, seed, server, counts);
      // The first round is a warm-up.
      if (round > 0) rounds.get(server.name)?.push(result);
    }
  }
  return rounds;
}

async function runRound(call: Call, seed: Seed, server: Server, counts: Map<Server, number>): Promise<Round> {
  const first = counts.get(server) ?? 0;
  const perConnection = call.most === undefined ? Number.POSITIVE_INFINITY : Math.floor((call.most - 1) / (ROUNDS + 1));
  const connections = await Promise.all(Array.from({ length: CONNECTIONS }, () => Connection.open(server.port)));
  const rowsBefore = call.rows && (await readRow(server.databaseUrl, call.rows));
  const timesMs: number[] = [];
  const cpuBefore = await server.cpuSeconds();
  const startedAt = performance.now();
  const endsAt = startedAt + ROUND_MS;
  const work = async (connection: Connection, number: number) => {
    for (let sent = 0; sent < perConnection && (call.most !== undefined || performance.now() < endsAt); sent += 1) {
      const sentAt = performance.now();
      const { status } = await connection.send(call.request(seed, number, first + sent));
      if (status !== 200) throw new Error(`${call.name} on ${server.name}: ${status}`);
      timesMs.push(performance.now() - sentAt);
    }
  };
  await Promise.all(connections.map(work));
  const seconds = (performance.now() - startedAt) / 1_000;
  const cpuSeconds = (await server.cpuSeconds()) - cpuBefore;
  for (const connection of connections) connection.close();
  if (call.most !== undefined) counts.set(server, first + perConnection);
  if (call.rows && rowsBefore) checkRows(rowsBefore, await readRow(server.databaseUrl, call.rows), timesMs.length);
  return {
    perSecond: timesMs.length / seconds,
    perCpuSecond: timesMs.length / cpuSeconds,
    p99Ms: percentile(timesMs, 0.99),
  };
}

function checkRows(before: Record<string, unknown>, after: Record<string, unknown>, requests: number): void {
  for (const [name, count] of Object.entries(after)) {
    assert.equal(Number(count) - Number(before[name]), requests, `${name} after ${requests} requests`);
  }
}

const ENGINE_NAMES = { sqlite: 'SQLite', postgres: 'PostgreSQL' };
/** Only these two have a target; the others are for comparison. */
const BARE_TARGETS: Readonly<Record<Engine, Readonly<Record<string, number>>>> = {
  sqlite: { read: 0.6, create: 0.6 },
  postgres: { read: 0.8, create: 0.6 },
};
const FASTAPI_TARGETS: Readonly<Record<string, number>> = { read: 3.5, create: 2.5 };

function reportCall(report: Report, engine: Engine, call: Call, rounds: ReadonlyMap<Server['name'], Round[]>): void {
  const [service = [], bare = [], fastApi = []] = (['service', 'bare', 'FastAPI'] as const).map((n) => rounds.get(n));
  const target = BARE_TARGETS[engine][call.id];
  report.add({
    id: `${call.id}-${engine}`,
    what: `${call.name} / bare, ${ENGINE_NAMES[engine]}`,
    figures: [
      describe('service', service),
      describe('bare', bare),
      `per CPU second ${ratioOf(service, bare, 'perCpuSecond').toFixed(2)}`,
    ],
    value: ratioOf(service, bare, 'perSecond'),
    ...(target !== undefined && { target: { atLeast: target } }),
  });
  if (fastApi.length === 0) return;
  const fastApiTarget = FASTAPI_TARGETS[call.id];
  report.add({
    id: `${call.id}-fastapi`,
    what: `${call.name} / FastAPI, per CPU second`,
    figures: [describe('service', service), describe('FastAPI', fastApi)],
    value: ratioOf(service, fastApi, 'perCpuSecond'),
    ...(fastApiTarget !== undefined && { target: { atLeast: fastApiTarget } }),
  });
}

/** A round of one server is compared with the same round of the other, because the machine may change in between. */
const ratioOf = (ours: readonly Round[], theirs: readonly Round[], figure: 'perSecond' | 'perCpuSecond'): number =>
  median(ours.map((round, index) => round[figure] / (theirs[index]?.[figure] ?? Number.NaN)));

function describe(name: string, rounds: readonly Round[]): string {
  const wall = spread(
    rounds.map(({ perSecond }) => perSecond),
    '/s',
  );
  const cpu = spread(
    rounds.map(({ perCpuSecond }) => perCpuSecond),
    '/CPU s',
  );
  return `${name} ${wall}, ${cpu}, p99 ${median(rounds.map(({ p99Ms }) => p99Ms)).toFixed(1)} ms`;
}

/** What a list costs in CPU time, compared with one task and with a shorter list. */
function reportLists(
  report: Report,
  engine: Engine,
  measured: ReadonlyMap<string, ReadonlyMap<Server['name'], readonly Round[]>>,
): void {
  const costUs = (id: string) =>
    1e6 / median((measured.get(id)?.get('service') ?? []).map(({ perCpuSecond }) => perCpuSecond));
  for (const [longer, shorter, what, atMost] of [
    ['list-50', 'read', 'CPU time of a list of 50 / of one task', 4],
    ['list-1000', 'list-50', 'CPU time of a list of 1,000 / of 50', 20],
  ] as const) {
    report.add({
      id: `${longer}-cost-${engine}`,
      what: `${what}, ${ENGINE_NAMES[engine]}`,
      figures: [`${costUs(longer).toFixed(0)} µs`, `${costUs(shorter).toFixed(0)} µs`],
      value: costUs(longer) / costUs(shorter),
      target: { atMost },
    });
  }
}
