/**
 * Job queues on the same PostgreSQL with the same work and the same durability: one job per nudge is claimed,
 * records the nudge and its delivery as the bare loop does, and is completed.
 */
import pg from 'pg';
import { markSent, recordNudges } from './bare-loop.ts';

export interface QueuedTask {
  readonly id: string;
  readonly owner_id: string;
}

/** One transaction, and the results in a second one, as the engine stores them. */
async function nudge(client: pg.ClientBase, tasks: readonly QueuedTask[]): Promise<void> {
  const now = new Date();
  await client.query('begin');
  const entryIds = await recordNudges(client, tasks, now);
  await client.query('commit');
  await markSent(client, entryIds, now);
}

/** Returns nudges per second. */
export async function runGraphileWorker(
  load: NodeJS.Require,
  connectionString: string,
  tasks: readonly QueuedTask[],
): Promise<number> {
  const { run, makeWorkerUtils, Logger } = await import(load.resolve('graphile-worker'));
  const utils = await makeWorkerUtils({ connectionString });
  await utils.migrate();
  await utils.withPgClient((client: pg.Client) =>
    client.query(
      "select graphile_worker.add_job('nudge', json_build_object('id', r.id, 'owner_id', r.owner_id)) from unnest($1::uuid[], $2::uuid[]) as r (id, owner_id)",
      [tasks.map(({ id }) => id), tasks.map(({ owner_id }) => owner_id)],
    ),
  );
  await utils.release();
  const done = Promise.withResolvers<void>();
  let left = tasks.length;
  const startedAt = performance.now();
  const runner = await run({
    connectionString,
    concurrency: 20,
    maxPoolSize: 20,
    noHandleSignals: true,
    logger: new Logger(() => () => undefined),
    taskList: {
      nudge: async (task: QueuedTask, { withPgClient }: { withPgClient: WithClient }) => {
        await withPgClient((client) => nudge(client, [task]));
        left -= 1;
        if (left === 0) done.resolve();
      },
    },
  });
  await done.promise;
  const seconds = (performance.now() - startedAt) / 1_000;
  await runner.stop();
  return tasks.length / seconds;
}

type WithClient = (work: (client: pg.ClientBase) => Promise<void>) => Promise<void>;

/** Returns nudges per second. A batch of jobs is recorded together. */
export async function runPgBoss(
  load: NodeJS.Require,
  connectionString: string,
  tasks: readonly QueuedTask[],
): Promise<number> {
  const { PgBoss } = await import(load.resolve('pg-boss'));
  const queue = new PgBoss({ connectionString, supervise: false, schedule: false });
  await queue.start();
  await queue.createQueue('nudge');
  for (let start = 0; start < tasks.length; start += 1_000) {
    await queue.insert(
      'nudge',
      tasks.slice(start, start + 1_000).map((data) => ({ data })),
    );
  }
  const pool = new pg.Pool({ connectionString, max: 10 });
  const done = Promise.withResolvers<void>();
  let left = tasks.length;
  const startedAt = performance.now();
  await queue.work('nudge', { batchSize: 500, pollingIntervalSeconds: 0.5 }, async (jobs: { data: QueuedTask }[]) => {
    const client = await pool.connect();
    await nudge(
      client,
      jobs.map(({ data }) => data),
    ).finally(() => client.release());
    left -= jobs.length;
    if (left <= 0) done.resolve();
  });
  await done.promise;
  const seconds = (performance.now() - startedAt) / 1_000;
  await queue.stop({ graceful: false });
  await pool.end();
  return tasks.length / seconds;
}
