/** The minimal SQL that claims due tasks, reschedules them, inserts a nudge and a delivery for each, and marks it sent. */
import { sql } from 'kysely';
import pg from 'pg';
import type { Db } from '../src/db/schema.ts';
import { newId } from '../src/lib/ids.ts';
import { insertDueTasks } from '../test/support/due-tasks.ts';

const BATCH_SIZE = 500;

interface Running {
  readonly db: Db;
  readonly postgresUrl: string;
  readonly engine: { stop(): Promise<void> } | undefined;
}

/** Stops the engine and returns tasks per second. */
export async function runBareLoop({ db, postgresUrl, engine }: Running, count: number): Promise<number> {
  await engine?.stop();
  await insertDueTasks(db, { tasks: count, owners: count / 10, dueAt: new Date(Date.now() - 1_000) });
  await sql`vacuum analyze`.execute(db);
  const client = new pg.Client({ connectionString: postgresUrl });
  await client.connect();
  const startedAt = performance.now();
  for (let claimed = BATCH_SIZE; claimed === BATCH_SIZE; ) claimed = await runBatch(client);
  const seconds = (performance.now() - startedAt) / 1_000;
  await client.end();
  return count / seconds;
}

async function runBatch(client: pg.Client): Promise<number> {
  const now = new Date();
  const nextFireAt = new Date(now.getTime() + 900_000);
  await client.query('begin');
  const { rows } = await client.query({
    name: 'claim',
    text: `select id, owner_id, due_at from tasks where next_fire_at <= $1 order by next_fire_at limit ${BATCH_SIZE} for update skip locked`,
    values: [now],
  });
  const ids = rows.map(({ id }) => id);
  await client.query({
    name: 'reschedule',
    text: `update tasks set next_fire_at = $2, wanted_at = $2, step = step + 1, nudge_count = nudge_count + 1,
      last_nudge_at = $3, changed_at = $3 where id = any($1::uuid[])`,
    values: [ids, nextFireAt, now],
  });
  const entryIds = ids.map(newId);
  await client.query({
    name: 'record',
    text: `insert into timeline (id, task_id, owner_id, at, kind, stage, devices)
      select r.id, r.task_id, r.owner_id, $4, 'nudge', 0, 1 from unnest($1::uuid[], $2::uuid[], $3::uuid[]) as r (id, task_id, owner_id)`,
    values: [entryIds, ids, rows.map(({ owner_id }) => owner_id), now],
  });
  await client.query({
    name: 'deliver',
    text: `insert into deliveries (entry_id, target_id, kind, task_id, provider, stage, status, attempts, next_attempt_at, created_at)
      select r.id, devices.id, 'nudge', r.task_id, 'apns', 0, 'pending', 1, $4, $4
      from unnest($1::uuid[], $2::uuid[], $3::uuid[]) as r (id, task_id, owner_id) join devices on devices.user_id = r.owner_id`,
    values: [entryIds, ids, rows.map(({ owner_id }) => owner_id), now],
  });
  await client.query('commit');
  await client.query({
    name: 'complete',
    text: `update deliveries set status = 'sent', sent_at = $2 where entry_id = any($1::uuid[])`,
    values: [entryIds, now],
  });
  return ids.length;
}
