/**
 * What it costs to be watched: the same requests, and the same nudges, with and without metrics, in
 * turns and per second of CPU, so that whatever else the machine does matters little. BENCH_TURNS
 * says how many turns.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { compose, type Service } from '../src/compose.ts';
import { loadConfig } from '../src/config.ts';
import { systemClock } from '../src/lib/clock.ts';
import { createLogger } from '../src/lib/logger.ts';
import type { Gateway } from '../src/push/gateway.ts';
import { insertDueTasks } from '../test/support/due-tasks.ts';

const REQUESTS = 3_000;
const NUDGES = 5_000;
const TURNS = Number(process.env.BENCH_TURNS ?? 7);

const phones: Gateway = {
  send: async () => ({ kind: 'accepted' }),
  room: () => 10_000,
  close: async () => undefined,
};

interface Watched extends Service {
  readonly headers: Readonly<Record<string, string>>;
  readonly folder: string;
}

async function open(settings: Readonly<Record<string, string>>): Promise<Watched> {
  const folder = mkdtempSync(join(tmpdir(), 'crescendo-bench-'));
  const mails: string[] = [];
  const environment = { DATABASE_URL: `sqlite:${join(folder, 'bench.db')}`, DATA_DIR: folder, LOG_LEVEL: 'silent' };
  const service = await compose({
    config: loadConfig({ ...environment, RATE_LIMIT_PER_MINUTE: '90000000', ...settings }),
    ...{ version: '0.1.0', clock: systemClock(), wallClock: systemClock(), logger: createLogger('silent') },
    print: (text) => void mails.push(text),
    extra: { gateways: { apns: phones }, limits: { maxEventLoopDelayMs: 60_000 } },
  });
  const [email, url] = ['bench@example.org', '/v1/auth/email'];
  await service.app.inject({ method: 'POST', url: `${url}/request`, payload: { email } });
  const code = /is (\d{6})/.exec(mails.join())?.[1];
  const answer = await service.app.inject({ method: 'POST', url: `${url}/verify`, payload: { email, code } });
  return { ...service, folder, headers: { authorization: `Bearer ${answer.json().data.session_token}` } };
}

function cpuSeconds(): () => number {
  const begun = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(begun);
    return (user + system) / 1e6;
  };
}

async function requestsPerCpuSecond({ app, headers }: Watched): Promise<number> {
  const elapsed = cpuSeconds();
  for (let done = 0; done < REQUESTS; done += 50) {
    await Promise.all(Array.from({ length: 50 }, () => app.inject({ url: '/v1/tasks?limit=5', headers })));
  }
  return REQUESTS / elapsed();
}

async function nudgesPerCpuSecond({ db, engine }: Watched): Promise<number> {
  await insertDueTasks(db, { tasks: NUDGES, owners: NUDGES / 10, dueAt: new Date(Date.now() + 3_600_000) });
  const due = new Date(Date.now() - 1);
  await sql`update tasks set next_fire_at = ${due}, wanted_at = ${due} where nudge_count = 0`.execute(db);
  const elapsed = cpuSeconds();
  engine?.wakeUp();
  await engine?.settled();
  const seconds = elapsed();
  await sql`delete from tasks`.execute(db);
  return NUDGES / seconds;
}

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** Of each turn the ratio, and of the ratios the middle one. */
async function compare(what: string, plain: Watched, watched: Watched, rate: (service: Watched) => Promise<number>) {
  const ratios: number[] = [];
  for (let turn = 0; turn < TURNS; turn += 1) {
    const order = turn % 2 === 0 ? [plain, watched] : [watched, plain];
    const rates = new Map<Watched, number>();
    for (const service of order) rates.set(service, await rate(service));
    ratios.push((rates.get(watched) ?? 0) / (rates.get(plain) ?? 1));
  }
  console.log(`  ${what.padEnd(44)}${median(ratios).toFixed(3).padStart(14)}   target >= 0.97`);
}

export async function benchWatch(): Promise<void> {
  const [plain, watched] = [await open({}), await open({ METRICS_TOKEN: 'x'.repeat(16) })];
  console.log('\nWith metrics / without, on SQLite');
  try {
    for (const service of [plain, watched]) await requestsPerCpuSecond(service);
    await compare('requests', plain, watched, requestsPerCpuSecond);
    await compare('nudges', plain, watched, nudgesPerCpuSecond);
  } finally {
    for (const service of [plain, watched]) {
      await service.close();
      rmSync(service.folder, { recursive: true });
    }
  }
}
