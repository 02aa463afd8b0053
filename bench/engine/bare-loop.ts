/** The minimal SQL that claims due tasks, reschedules them, inserts a nudge and a delivery for each, and marks it sent. */
import pg from 'pg';
import { newId } from '../../src/lib/ids.ts';
import { serveParent } from '../child.ts';

const BATCH_SIZE = 500;

export type BareLoopMethods = { readonly run: () => Promise<{ tasks: number; seconds: number; cpuSeconds: number }> };

async function runBatch(client: pg.Client): Promise<number> {
  const now = new Date();
  await client.query('begin');
  const { rows } = await client.query({
    name: 'claim',
    text: `select id, owner_id, due_at from tasks where next_fire_at <= $1 order by next_fire_at limit ${BATCH_SIZE} for update skip locked`,
    values: [now],
  });
  const entryIds = await recordNudges(client, rows, now);
  await client.query('commit');
  await markSent(client, entryIds, now);
  return rows.length;
}

interface Claimed {
  readonly id: string;
  readonly owner_id: string;
}

/** Also the work of a job in `job-queues.ts`. Returns the ids of the timeline entries. */
export async function recordNudges(client: pg.ClientBase, tasks: readonly Claimed[], now: Date): Promise<string[]> {
  const [ids, owners, entryIds] = [tasks.map(({ id }) => id), tasks.map(({ owner_id }) => owner_id), tasks.map(newId)];
  await client.query({
    name: 'reschedule',
    text: `update tasks set next_fire_at = $2, wanted_at = $2, step = step + 1, nudge_count = nudge_count + 1,
      last_nudge_at = $3, updated_at = $3, changed_at = $3 where id = any($1::uuid[])`,
    values: [ids, new Date(now.getTime() + 900_000), now],
  });
  await client.query({
    name: 'record',
    text: `insert into timeline (id, task_id, owner_id, at, kind, stage, devices)
      select r.id, r.task_id, r.owner_id, $4, 'nudge', 0, 1 from unnest($1::uuid[], $2::uuid[], $3::uuid[]) as r (id, task_id, owner_id)`,
    values: [entryIds, ids, owners, now],
  });
  await client.query({
    name: 'deliver',
    text: `insert into deliveries (entry_id, target_id, kind, task_id, recipient_id, run, nudge, provider, stage, status, attempts, next_attempt_at, created_at)
      select r.id, devices.id, 'nudge', r.task_id, r.owner_id, 1, 1, 'apns', 0, 'pending', 1, $4, $4
      from unnest($1::uuid[], $2::uuid[], $3::uuid[]) as r (id, task_id, owner_id) join devices on devices.user_id = r.owner_id`,
    values: [entryIds, ids, owners, now],
  });
  return entryIds;
}

export async function markSent(client: pg.ClientBase, entryIds: readonly string[], now: Date): Promise<void> {
  await client.query({
    name: 'complete',
    text: `update deliveries set status = 'sent', sent_at = $2 where entry_id = any($1::uuid[])`,
    values: [entryIds, now],
  });
}

if (process.send && process.argv[1] === import.meta.filename) {
  await serveParent(async ({ databaseUrl }: { databaseUrl: string }) => {
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    /** Until nothing is due. */
    const run = async () => {
      const cpu = process.cpuUsage();
      const startedAt = performance.now();
      let tasks = 0;
      for (let claimed = BATCH_SIZE; claimed === BATCH_SIZE; tasks += claimed) claimed = await runBatch(client);
      const { user, system } = process.cpuUsage(cpu);
      return { tasks, seconds: (performance.now() - startedAt) / 1_000, cpuSeconds: (user + system) / 1e6 };
    };
    return { methods: { run } satisfies BareLoopMethods, close: () => client.end() };
  });
}
