/**
 * How long a quiet account waits for its answers while a loud one with 50,000 tasks does one costly thing after
 * another, and how long the event loop was stalled at most. The clients run in threads of their own. The budget is
 * lifted, so this measures turns alone: in service the loud account would be refused after a few calls.
 *
 * Waits and stalls are given on the clock, and in CPU time of the service's thread, which other load on the machine
 * hardly changes: what the thread did between the arrival of a quiet request and its answer, and between two turns.
 *
 * BENCH_ENGINES=sqlite measures one engine only, BENCH_WORKS=list,sync only this loud work. BENCH_SECONDS is the
 * length of each measurement.
 */
import { once } from 'node:events';
import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Worker } from 'node:worker_threads';
import { insertDueTasks } from '../test/support/due-tasks.ts';
import { PostgresServer } from '../test/support/postgres-server.ts';
import { type BenchService, startBenchService } from './bench-service.ts';
import type { LoudWork } from './fairness-client.ts';
import { percentile } from './statistics.ts';

const TASKS = 50_000;
const SECONDS = Number(process.env.BENCH_SECONDS ?? 5);
const RESOLUTION_MS = 1;
const CLIENT = new URL('./fairness-client.ts', import.meta.url);
const WORKS = (process.env.BENCH_WORKS ?? 'list,sync,export,import,mcp,zone').split(',') as LoudWork[];

export async function benchFairnessRequests(): Promise<void> {
  const engines = process.env.BENCH_ENGINES ?? 'sqlite,postgres';
  if (engines.includes('sqlite')) await measureEngine('sqlite', {});
  if (!engines.includes('postgres')) return;
  const server = await PostgresServer.start();
  try {
    await measureEngine('postgres', { DATABASE_URL: server.urlOf('postgres') });
  } finally {
    await server.stop();
  }
}

async function measureEngine(name: string, settings: Readonly<Record<string, string>>): Promise<void> {
  const service = await startBenchService(settings);
  try {
    await service.app.listen({ port: 0, host: '127.0.0.1' });
    const { port } = service.app.server.address() as AddressInfo;
    const loud = await createLoudUser(service);
    const quiet = (await service.signIn()).headers.authorization;
    console.log(`\n${name}: a quiet account while another with ${TASKS} tasks works (${SECONDS} s each)`);
    console.log(
      'loud work        alone p99    quiet p50    quiet p99   ratio  p99 in CPU   longest stall      in CPU   loud calls',
    );
    for (const works of [...WORKS.map((work) => [work]), WORKS]) {
      // Measured anew before each work, because other programs on the machine change it.
      const alone = percentile((await measure(service, port, quiet, loud, [])).waits, 0.99);
      const { waits, cpuMs, stallMs, turnMs, calls } = await measure(service, port, quiet, loud, works);
      const p99 = percentile(waits, 0.99);
      const label = works.length === 1 ? `${works[0]}` : 'all at once';
      const figures = [alone, percentile(waits, 0.5), p99].map((ms) => `${ms.toFixed(1)} ms`.padStart(13)).join('');
      const ratio = (p99 / alone).toFixed(1).padStart(8);
      const inCpu = `${percentile(cpuMs, 0.99).toFixed(1)} ms`.padStart(12);
      const stalls = `${stallMs.toFixed(0)} ms`.padStart(16) + `${turnMs.toFixed(1)} ms`.padStart(12);
      console.log(`${label.padEnd(12)}${figures}${ratio}${inCpu}${stalls}${String(calls).padStart(13)}`);
    }
  } finally {
    await service.close();
  }
}

export interface LoudUser {
  readonly session: string;
  readonly token: string;
}

async function createLoudUser(service: BenchService): Promise<LoudUser> {
  const { id, headers } = await service.signIn();
  const dueAt = new Date(Date.now() + 30 * 86_400_000);
  const [owner = ''] = await insertDueTasks(service.db, {
    tasks: TASKS,
    owners: 1,
    dueAt,
    intervalMs: 60_000,
    withDevices: false,
  });
  await service.db
    .updateTable('tasks')
    .set({ owner_id: id, notes: 'in the blue folder' })
    .where('owner_id', '=', owner)
    .execute();
  const payload = { name: 'bench', scopes: ['tasks:read', 'tasks:write'] };
  const minted = await service.app.inject({ method: 'POST', url: '/v1/tokens', headers, payload });
  return { session: headers.authorization, token: `Bearer ${minted.json().data.token}` };
}

interface Measured {
  readonly waits: readonly number[];
  readonly cpuMs: readonly number[];
  readonly stallMs: number;
  readonly turnMs: number;
  readonly calls: number;
}

async function measure(
  { app }: BenchService,
  port: number,
  quiet: string,
  loud: LoudUser,
  works: readonly LoudWork[],
): Promise<Measured> {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  const loudClients = works.map((work) => startClient({ port, work, ...loud }));
  const quietClient = startClient({ port, work: 'quiet', session: quiet, token: '' });
  await Promise.all([quietClient, ...loudClients].map((client) => once(client, 'message')));
  delay.enable();
  const longestTurn = watchTurns();
  const endedCpu = watchRequests(app.server, quiet);
  const quietDone = once(quietClient, 'message');
  const loudDone = Promise.all(loudClients.map((client) => once(client, 'message')));
  for (const client of [quietClient, ...loudClients]) client.postMessage(SECONDS);
  const [waits] = (await quietDone) as [number[]];
  delay.disable();
  const turnMs = longestTurn();
  const cpuMs = endedCpu();
  const done = await loudDone;
  await Promise.all([quietClient, ...loudClients].map((client) => client.terminate()));
  return { waits, cpuMs, stallMs: delay.max / 1e6, turnMs, calls: done.flat(2).length };
}

const startClient = (workerData: object): Worker => new Worker(CLIENT, { workerData });

const cpuSince = (earlier: NodeJS.CpuUsage): number => {
  const { user, system } = process.threadCpuUsage(earlier);
  return (user + system) / 1_000;
};

/** Returns a function that returns the most CPU time that this thread used between two turns, in milliseconds. */
function watchTurns(): () => number {
  let [longest, last] = [0, process.threadCpuUsage()];
  const timer = setInterval(() => {
    longest = Math.max(longest, cpuSince(last));
    last = process.threadCpuUsage();
  }, RESOLUTION_MS);
  return () => {
    clearInterval(timer);
    return longest;
  };
}

/** Returns a function that returns how much CPU time this thread used during each request of the caller. */
function watchRequests(server: Server, authorization: string): () => number[] {
  const cpuMs: number[] = [];
  const watch: RequestListener = ({ headers }, response) => {
    if (headers.authorization !== authorization) return;
    const arrived = process.threadCpuUsage();
    response.once('close', () => cpuMs.push(cpuSince(arrived)));
  };
  server.prependListener('request', watch);
  return () => {
    server.removeListener('request', watch);
    return cpuMs;
  };
}
