/**
 * Job queues on the same PostgreSQL with comparable work: one job per nudge is claimed, run (it does
 * nothing) and completed. They are not dependencies: BENCH_PEERS is a folder in which they are installed.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import pg from 'pg';

export async function runPeers(serverUrl: string, count: number): Promise<void> {
  const folder = process.env.BENCH_PEERS;
  if (!folder) return;
  const load = createRequire(join(folder, 'package.json'));
  const results = {
    'graphile-worker': await runGraphileWorker(load, serverUrl, count),
    'pg-boss': await runPgBoss(load, serverUrl, count),
  };
  for (const [name, rate] of Object.entries(results)) {
    console.log(`  ${name.padEnd(44)}${`${rate.toFixed(0)}/s`.padStart(14)}   target: fire rate >= 5 x the better`);
  }
}

async function recreateDatabase(serverUrl: string, name: string): Promise<string> {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  await client.query(`drop database if exists ${name} with (force)`);
  await client.query(`create database ${name}`);
  await client.end();
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

async function runGraphileWorker(load: NodeJS.Require, serverUrl: string, count: number): Promise<number> {
  const { run, makeWorkerUtils, Logger } = await import(load.resolve('graphile-worker'));
  const connectionString = await recreateDatabase(serverUrl, 'bench_graphile');
  const utils = await makeWorkerUtils({ connectionString });
  await utils.migrate();
  await utils.withPgClient((client: pg.Client) =>
    client.query(
      `select graphile_worker.add_job('nudge', json_build_object('n', n)) from generate_series(1, ${count}) n`,
    ),
  );
  await utils.release();
  const done = Promise.withResolvers<void>();
  let left = count;
  const startedAt = performance.now();
  const runner = await run({
    connectionString,
    concurrency: 20,
    noHandleSignals: true,
    logger: new Logger(() => () => undefined),
    taskList: {
      nudge: async () => {
        left -= 1;
        if (left === 0) done.resolve();
      },
    },
  });
  await done.promise;
  const seconds = (performance.now() - startedAt) / 1_000;
  await runner.stop();
  return count / seconds;
}

async function runPgBoss(load: NodeJS.Require, serverUrl: string, count: number): Promise<number> {
  const { PgBoss } = await import(load.resolve('pg-boss'));
  const queue = new PgBoss({
    connectionString: await recreateDatabase(serverUrl, 'bench_boss'),
    supervise: false,
    schedule: false,
  });
  await queue.start();
  await queue.createQueue('nudge');
  const jobs = Array.from({ length: count }, (_, n) => ({ data: { n } }));
  for (let start = 0; start < count; start += 1_000) await queue.insert('nudge', jobs.slice(start, start + 1_000));
  const done = Promise.withResolvers<void>();
  let left = count;
  const startedAt = performance.now();
  await queue.work('nudge', { batchSize: 500, pollingIntervalSeconds: 0.5 }, async (batch: unknown[]) => {
    left -= batch.length;
    if (left <= 0) done.resolve();
  });
  await done.promise;
  const seconds = (performance.now() - startedAt) / 1_000;
  await queue.stop({ graceful: false });
  return count / seconds;
}
