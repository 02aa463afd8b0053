/**
 * What metrics cost: the same requests and the same nudges with and without metrics, in turns and per second
 * of CPU, so that other load on the machine matters little. BENCH_TURNS sets the number of turns.
 */
import { sql } from 'kysely';
import { NO_LOAD_LIMITS } from '../src/limits/load-shedding.ts';
import type { Gateway } from '../src/push/gateway.ts';
import { insertDueTasks } from '../test/support/due-tasks.ts';
import { type BenchService, type BenchUser, startBenchService } from './bench-service.ts';
import { median } from './statistics.ts';

const REQUESTS = 3_000;
const NUDGES = 5_000;
const TURNS = Number(process.env.BENCH_TURNS ?? 7);

const phones: Gateway = {
  send: async () => ({ kind: 'accepted' }),
  capacity: () => 10_000,
  close: async () => undefined,
};

interface Running extends BenchService {
  readonly user: BenchUser;
}

async function start(settings: Readonly<Record<string, string>>): Promise<Running> {
  const service = await startBenchService(settings, {
    gateways: { apns: phones },
    limits: NO_LOAD_LIMITS,
  });
  return { ...service, user: await service.signIn() };
}

/** Returns a function that returns the CPU seconds used since. */
function startCpuTimer(): () => number {
  const startUsage = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(startUsage);
    return (user + system) / 1e6;
  };
}

async function requestsPerCpuSecond({ app, user: { headers } }: Running): Promise<number> {
  const cpuSeconds = startCpuTimer();
  for (let done = 0; done < REQUESTS; done += 50) {
    await Promise.all(Array.from({ length: 50 }, () => app.inject({ url: '/v1/tasks?limit=5', headers })));
  }
  return REQUESTS / cpuSeconds();
}

async function nudgesPerCpuSecond({ db, engine }: Running): Promise<number> {
  await insertDueTasks(db, { tasks: NUDGES, owners: NUDGES / 10, dueAt: new Date(Date.now() + 3_600_000) });
  const dueAt = new Date(Date.now() - 1);
  await sql`update tasks set next_fire_at = ${dueAt}, wanted_at = ${dueAt} where nudge_count = 0`.execute(db);
  const cpuSeconds = startCpuTimer();
  engine?.wakeUp();
  await engine?.settled();
  const seconds = cpuSeconds();
  await sql`delete from tasks`.execute(db);
  return NUDGES / seconds;
}

/** Prints the median of the ratios of all turns. */
async function compare(
  what: string,
  withoutMetrics: Running,
  withMetrics: Running,
  rate: (service: Running) => Promise<number>,
) {
  const ratios: number[] = [];
  for (let turn = 0; turn < TURNS; turn += 1) {
    const order = turn % 2 === 0 ? [withoutMetrics, withMetrics] : [withMetrics, withoutMetrics];
    const rates = new Map<Running, number>();
    for (const service of order) rates.set(service, await rate(service));
    ratios.push((rates.get(withMetrics) ?? 0) / (rates.get(withoutMetrics) ?? 1));
  }
  console.log(`  ${what.padEnd(44)}${median(ratios).toFixed(3).padStart(14)}   target >= 0.97`);
}

export async function benchWatch(): Promise<void> {
  const [withoutMetrics, withMetrics] = [await start({}), await start({ METRICS_TOKEN: 'x'.repeat(16) })];
  console.log('\nWith metrics / without, on SQLite');
  try {
    for (const service of [withoutMetrics, withMetrics]) await requestsPerCpuSecond(service);
    await compare('requests', withoutMetrics, withMetrics, requestsPerCpuSecond);
    await compare('nudges', withoutMetrics, withMetrics, nudgesPerCpuSecond);
  } finally {
    for (const service of [withoutMetrics, withMetrics]) await service.close();
  }
}
