/**
 * The engine: how fast it fires, how late it is at half that rate, and what a hundred thousand tasks due in the same
 * second cost, in time, in memory, and for the API meanwhile.
 *
 * On PostgreSQL the references are a loop of bare SQL that claims, updates and records the same rows in the same
 * batches and makes no decisions, and two job queues with the same work.
 *
 * BENCH_ENGINES=sqlite measures one engine only. BENCH_DATABASE_URL is a PostgreSQL server to use instead of the
 * one from the tests.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { insertDueTasks } from '../../test/support/due-tasks.ts';
import { startBenchService } from '../bench-service.ts';
import { type Child, startChild } from '../child.ts';
import { createDatabase, withPostgres } from '../databases.ts';
import { loadPeers, versionOf } from '../install-peers.ts';
import type { Report } from '../report.ts';
import { sized } from '../sizes.ts';
import { median, percentile, round, spread } from '../statistics.ts';
import type { BareLoopMethods } from './bare-loop.ts';
import { runGraphileWorker, runPgBoss } from './job-queues.ts';
import { Probe } from './probe.ts';
import type { EngineMethods, EngineSettings } from './service.ts';

const RUNS = sized(1, 5);
const FIRES = sized(500, 10_000);
const QUEUED = sized(200, 4_000);
const SPIKE = sized(2_000, 100_000);
const LATENESS_SECONDS = sized(1, 10);
/** Long enough to insert the tasks before the first is due. */
const LATENESS_PREPARATION_MS = sized(1_500, 10_000);
const PROBE_WARM_UP_MS = sized(300, 1_000);
const QUIET_MS = sized(500, 5_000);
const MAX_RSS_MB = 300;

const SERVICE = new URL('./service.ts', import.meta.url);
const YEAR_MS = 365 * 86_400_000;
/** Within what a provider holds. */
const HOLD_DAY_MS = 86_400_000;

type EngineChild = Child<EngineMethods>;
const startService = (settings: EngineSettings): Promise<EngineChild> => startChild(SERVICE, settings);

export async function benchEngine(report: Report): Promise<void> {
  const engines = process.env.BENCH_ENGINES ?? 'postgres,sqlite';
  if (engines.includes('postgres')) await withPostgres(report, (url) => benchPostgres(report, url));
  if (engines.includes('sqlite')) await benchSqlite(report);
}

async function benchPostgres(report: Report, serverUrl: string): Promise<void> {
  const rate = await compareWithBareLoop(report, serverUrl);
  await compareWithQueues(report, serverUrl, rate);
  await withDatabase(serverUrl, (without) =>
    withDatabase(serverUrl, (held) => benchUnderstudies(report, 'PostgreSQL', [without, held])),
  );
  await withDatabase(serverUrl, async (databaseUrl) => {
    const service = await startService({ databaseUrl, role: 'all' });
    await benchLateness(report, 'PostgreSQL', service, rate / 2).finally(() => service.stop());
  });
  await withDatabase(serverUrl, (databaseUrl) => benchSpike(report, 'PostgreSQL', databaseUrl));
}

async function withDatabase(serverUrl: string, work: (databaseUrl: string) => Promise<void>): Promise<void> {
  const database = await createDatabase(serverUrl);
  await work(database.url).finally(() => database.drop());
}

/** Both on a database of their own, in turns. Returns the engine's median rate. */
async function compareWithBareLoop(report: Report, serverUrl: string): Promise<number> {
  const [ours, theirs] = [await createDatabase(serverUrl), await createDatabase(serverUrl)];
  const service = await startService({ databaseUrl: ours.url, role: 'all' });
  // Creates the tables, and inserts the tasks of the loop without an engine that would fire them.
  const setUp = await startBenchService({ DATABASE_URL: theirs.url, ROLE: 'api' });
  const loop = await startChild<BareLoopMethods>(new URL('./bare-loop.ts', import.meta.url), {
    databaseUrl: theirs.url,
  });
  const runs: { readonly fired: number; readonly bare: number; readonly cpu: number }[] = [];
  try {
    for (let run = 0; run <= RUNS; run += 1) {
      const dueAtMs = Date.now() + YEAR_MS;
      await service.call('insertFor', FIRES, dueAtMs);
      const fired = await service.call('fire', FIRES, dueAtMs);
      await insertDueTasks(setUp.db, { tasks: FIRES, owners: FIRES / 10, dueAt: new Date(Date.now() - 1_000) });
      await runOn(theirs.url, 'vacuum analyze');
      const bare = await loop.call('run');
      assert.equal(bare.tasks, FIRES);
      // The first run is a warm-up.
      if (run === 0) continue;
      runs.push({
        fired: FIRES / fired.seconds,
        bare: FIRES / bare.seconds,
        cpu: bare.cpuSeconds / fired.cpuSeconds,
      });
    }
  } finally {
    await loop.stop();
    await setUp.close();
    await service.stop();
    await ours.drop();
    await theirs.drop();
  }
  const ratios = runs.map(({ fired, bare }) => fired / bare);
  report.add({
    id: 'fire-rate',
    what: `fire rate / bare SQL loop, the lowest of ${runs.length} runs, PostgreSQL`,
    figures: [
      `engine ${spread(
        runs.map(({ fired }) => fired),
        '/s',
      )}`,
      `loop ${spread(
        runs.map(({ bare }) => bare),
        '/s',
      )}`,
      `ratio ${spread(ratios)}`,
      `per CPU second of the process ${spread(runs.map(({ cpu }) => cpu))}`,
    ],
    value: Math.min(...ratios),
    target: { atLeast: 0.7 },
  });
  return median(runs.map(({ fired }) => fired));
}

async function runOn(connectionString: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  return client.query(statement).then(
    async ({ rows }) => {
      await client.end();
      return rows;
    },
    async (error) => {
      await client.end();
      throw error;
    },
  );
}

async function compareWithQueues(report: Report, serverUrl: string, rate: number): Promise<void> {
  const load = loadPeers(report, 'fire rate / job queues');
  if (!load) return;
  const rates: Record<string, number> = {};
  for (const [name, run] of Object.entries({ 'graphile-worker': runGraphileWorker, 'pg-boss': runPgBoss })) {
    report.version(name, versionOf(load, name));
    await withDatabase(serverUrl, async (databaseUrl) => {
      const setUp = await startBenchService({ DATABASE_URL: databaseUrl, ROLE: 'api' });
      await insertDueTasks(setUp.db, { tasks: QUEUED, owners: QUEUED / 10, dueAt: new Date(Date.now() + YEAR_MS) });
      const tasks = await setUp.db.selectFrom('tasks').select(['id', 'owner_id']).execute();
      await setUp.close();
      await runOn(databaseUrl, 'vacuum analyze');
      rates[name] = await run(load, databaseUrl, tasks);
      const [stored] = await runOn(databaseUrl, "select count(*) as sent from deliveries where status = 'sent'");
      assert.equal(Number(stored?.sent), QUEUED, `${name}: nudges recorded`);
    });
  }
  report.add({
    id: 'queues',
    what: 'fire rate / the faster job queue, PostgreSQL',
    figures: [`engine ${round(rate)}/s`, ...Object.entries(rates).map(([name, value]) => `${name} ${round(value)}/s`)],
    value: rate / Math.max(...Object.values(rates)),
    target: { atLeast: 5 },
  });
}

async function benchLateness(
  report: Report,
  engine: 'PostgreSQL' | 'SQLite',
  service: EngineChild,
  perSecond: number,
): Promise<void> {
  const tasks = Math.floor(perSecond * LATENESS_SECONDS);
  const what = `lateness p99 at half the rate, ${engine}`;
  const drained = await service.call('insertAndDrain', tasks, LATENESS_PREPARATION_MS, 1_000 / perSecond);
  if (!drained.wereInserted)
    return report.skip(what, 'The machine was too busy: tasks were due before they were inserted.');
  report.add({
    id: `lateness-${engine.toLowerCase()}`,
    what,
    figures: [`${round(perSecond)} due per second for ${LATENESS_SECONDS} s`],
    value: drained.latenessP99Ms,
    unit: ' ms',
    target: { atMost: 250 },
  });
}

/** On PostgreSQL the API and the engine are processes of their own. */
async function benchSpike(report: Report, engine: 'PostgreSQL' | 'SQLite', databaseUrl: string): Promise<void> {
  const [steadyAtMs, spikeAtMs] = [Date.now() + YEAR_MS, Date.now() + 2 * YEAR_MS];
  // Inserted by this process, so that the rows in its memory are not counted.
  const setUp = await startBenchService({ DATABASE_URL: databaseUrl });
  for (const [tasks, dueAtMs] of [
    [FIRES, steadyAtMs],
    [SPIKE, spikeAtMs],
  ] as const) {
    await insertDueTasks(setUp.db, { tasks, owners: tasks / 10, dueAt: new Date(dueAtMs) });
  }
  await setUp.close();
  const isSplit = engine === 'PostgreSQL';
  const api = await startService({ databaseUrl, role: isSplit ? 'api' : 'all' });
  const worker = isSplit ? await startService({ databaseUrl, role: 'engine' }) : api;
  const probe = new Probe(await api.call('port'), await api.call('signIn'));
  try {
    const steady = await worker.call('fire', FIRES, steadyAtMs);
    await probe.run(lasting(PROBE_WARM_UP_MS));
    const quietMs = await probe.run(lasting(QUIET_MS));
    let isDrained = false;
    const draining = worker.call('fire', SPIKE, spikeAtMs).finally(() => {
      isDrained = true;
    });
    // It is awaited below, and must not end the process until then.
    draining.catch(() => undefined);
    while ((await worker.call('sent')) === 0 && !isDrained) await new Promise((resolve) => setTimeout(resolve, 5));
    const busyMs = await probe.run(() => isDrained);
    const drained = await draining;
    const [quietP99, busyP99] = [percentile(quietMs, 0.99), percentile(busyMs, 0.99)];
    const memoryMb = [...new Set([api, worker])].map((child) => child.usage());
    reportSpike(report, engine, {
      steadyRate: FIRES / steady.seconds,
      seconds: drained.seconds,
      quietP99,
      busyP99,
      peaksMb: (await Promise.all(memoryMb)).map(({ peakRssMb }) => peakRssMb),
    });
  } finally {
    await api.stop();
    if (isSplit) await worker.stop();
  }
}

interface Spike {
  readonly steadyRate: number;
  readonly seconds: number;
  readonly quietP99: number;
  readonly busyP99: number;
  readonly peaksMb: readonly number[];
}

function reportSpike(report: Report, engine: 'PostgreSQL' | 'SQLite', spike: Spike): void {
  const { steadyRate, seconds, quietP99, busyP99, peaksMb } = spike;
  const id = engine.toLowerCase();
  const due = `${SPIKE.toLocaleString('en')} due at once`;
  report.add({
    id: `spike-drain-${id}`,
    what: `${due}: time until all are sent / N at the steady rate, ${engine}`,
    figures: [`${seconds.toFixed(1)} s`, `steady ${round(steadyRate)}/s`],
    value: (seconds * steadyRate) / SPIKE,
    target: { atMost: 1.3 },
  });
  report.add({
    id: `spike-api-${id}`,
    what: `${due}: p99 of the API meanwhile / quiet, ${engine}${engine === 'PostgreSQL' ? ' with ROLE split' : ''}`,
    figures: [`${busyP99.toFixed(1)} ms`, `quiet ${quietP99.toFixed(1)} ms`],
    value: busyP99 / quietP99,
    target: { atMost: engine === 'PostgreSQL' ? 2 : 5 },
  });
  report.add({
    id: `spike-memory-${id}`,
    what: `${due}: the most resident memory of a process, ${engine}`,
    figures: engine === 'PostgreSQL' ? [`API ${round(peaksMb[0] ?? 0)} MB`, `engine ${round(peaksMb[1] ?? 0)} MB`] : [],
    value: Math.max(...peaksMb),
    unit: ' MB',
    target: { atMost: MAX_RSS_MB },
  });
}

function lasting(ms: number): () => boolean {
  const endsAt = performance.now() + ms;
  return () => performance.now() > endsAt;
}

/** As many rungs as a ladder has at most. */
const OWN_LADDER = JSON.stringify({
  rungs: [{ after: 0, stage: 0 }, ...Array.from({ length: 19 }, (_, index) => ({ after: 5 + index, stage: 1 }))],
  end: { repeat_last: 3, times: null },
});

/** Tasks with the default ladder and tasks with one of their own, in turns. */
async function benchOwnLadders(report: Report, service: EngineChild): Promise<void> {
  const rates = { default: [] as number[], own: [] as number[] };
  for (let run = 0; run < RUNS; run += 1) {
    for (const [name, ladder] of [['default'], ['own', OWN_LADDER]] as const) {
      const dueAtMs = Date.now() + YEAR_MS;
      await service.call('insertFor', FIRES, dueAtMs, ladder);
      rates[name].push(FIRES / (await service.call('fire', FIRES, dueAtMs)).seconds);
    }
  }
  report.add({
    id: 'fire-rate-own-ladders',
    what: 'fire rate with an own ladder of 20 rungs on every task / with the default, medians, SQLite',
    figures: [`own ${spread(rates.own, '/s')}`, `default ${spread(rates.default, '/s')}`],
    value: median(rates.own) / median(rates.default),
    target: { atLeast: 0.85 },
  });
}

/**
 * The same tasks in two databases, in turns: in one every person has messages that a provider holds, and each nudge
 * moves them on.
 */
async function benchUnderstudies(report: Report, engine: 'SQLite' | 'PostgreSQL', urls: readonly [string, string]) {
  const services = await Promise.all(
    urls.map((databaseUrl, index) => startService({ databaseUrl, role: 'all', holds: index === 1 })),
  );
  const rates: [number[], number[]] = [[], []];
  const cpu: [number[], number[]] = [[], []];
  const late: [number[], number[]] = [[], []];
  try {
    for (let run = 0; run <= RUNS; run += 1) {
      for (const [index, service] of services.entries()) {
        const dueAtMs = Date.now() + HOLD_DAY_MS;
        await service.call('insertFor', FIRES, dueAtMs);
        const fired = await service.call('fire', FIRES, dueAtMs);
        // The first run is a warm-up.
        if (run === 0) continue;
        rates[index]?.push(FIRES / fired.sentSeconds);
        cpu[index]?.push(fired.cpuSeconds);
        late[index]?.push(fired.latenessP99Ms);
      }
    }
    assert.notEqual(await services[1]?.call('held'), 0);
  } finally {
    for (const service of services) await service.stop();
  }
  const [without, held] = rates;
  report.add({
    id: `fire-rate-understudies-${engine === 'SQLite' ? 'sqlite' : 'postgres'}`,
    what: `fire rate with held messages for every person / without, medians, ${engine}`,
    figures: [
      `with ${spread(held, '/s')}`,
      `without ${spread(without, '/s')}`,
      `p99 lateness ${spread(late[1], ' ms')} / ${spread(late[0], ' ms')}`,
      `CPU until all is settled ${spread(cpu[1], ' s')} / ${spread(cpu[0], ' s')}`,
    ],
    value: median(held) / median(without),
    target: { atLeast: 0.85 },
  });
}

async function benchSqlite(report: Report): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'crescendo-bench-'));
  try {
    const service = await startService({ databaseUrl: `sqlite:${join(folder, 'rate.db')}`, role: 'all' });
    const dueAtMs = Date.now() + YEAR_MS;
    await service.call('insertFor', FIRES, dueAtMs);
    const fired = await service.call('fire', FIRES, dueAtMs);
    const rate = FIRES / fired.seconds;
    report.add({
      id: 'fire-rate-sqlite',
      what: 'fire rate, SQLite',
      figures: [`${round(FIRES / fired.cpuSeconds)}/CPU s`],
      value: rate,
      unit: '/s',
    });
    await benchOwnLadders(report, service);
    await benchUnderstudies(report, 'SQLite', [`sqlite:${join(folder, 'a.db')}`, `sqlite:${join(folder, 'b.db')}`]);
    await benchLateness(report, 'SQLite', service, rate / 2).finally(() => service.stop());
    await benchSpike(report, 'SQLite', `sqlite:${join(folder, 'spike.db')}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
