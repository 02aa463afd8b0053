/** The least SQL that claims due tasks, moves them on, records a nudge and a delivery for each, and marks it sent. */
import { type Kysely, sql } from 'kysely';
import pg from 'pg';
import type { Database } from '../src/db/schema.ts';
import { newId } from '../src/lib/ids.ts';
import { insertDueTasks } from '../test/support/due-tasks.ts';

const BATCH = 500;

interface Stage {
  readonly db: Kysely<Database>;
  readonly url: string;
  readonly engine: { stop(): Promise<void> } | undefined;
}

/** Returns tasks per second. The engine is stopped for it. */
export async function runBareLoop({ db, url, engine }: Stage, count: number): Promise<number> {
  await engine?.stop();
  await insertDueTasks(db, { tasks: count, owners: count / 10, dueAt: new Date(Date.now() - 1_000) });
  await sql`vacuum analyze`.execute(db);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const startedAt = performance.now();
  for (let claimed = BATCH; claimed === BATCH; ) claimed = await runBatch(client);
  const seconds = (performance.now() - startedAt) / 1_000;
  await client.end();
  return count / seconds;
}

async function runBatch(client: pg.Client): Promise<number> {
  const now = new Date();
  const next = new Date(now.getTime() + 900_000);
  await client.query('begin');
  const { rows } = await client.query({
    name: 'claim',
    text: `select id, owner_id, due_at from tasks where next_fire_at <= $1 order by next_fire_at limit ${BATCH} for update skip locked`,
    values: [now],
  });
  const ids = rows.map(({ id }) => id);
  await client.query({
    name: 'move',
    text: `update tasks set next_fire_at = $2, wanted_at = $2, step = step + 1, nudge_count = nudge_count + 1,
      last_nudge_at = $3, changed_at = $3 where id = any($1::uuid[])`,
    values: [ids, next, now],
  });
  const entries = ids.map(newId);
  await client.query({
    name: 'tell',
    text: `insert into timeline (id, task_id, owner_id, at, kind, stage, devices)
      select r.id, r.task_id, r.owner_id, $4, 'nudge', 0, 1 from unnest($1::uuid[], $2::uuid[], $3::uuid[]) as r (id, task_id, owner_id)`,
    values: [entries, ids, rows.map(({ owner_id }) => owner_id), now],
  });
  await client.query({
    name: 'deliver',
    text: `insert into deliveries (entry_id, target_id, kind, task_id, provider, stage, status, attempts, next_attempt_at, created_at)
      select r.id, devices.id, 'nudge', r.task_id, 'apns', 0, 'pending', 1, $4, $4
      from unnest($1::uuid[], $2::uuid[], $3::uuid[]) as r (id, task_id, owner_id) join devices on devices.user_id = r.owner_id`,
    values: [entries, ids, rows.map(({ owner_id }) => owner_id), now],
  });
  await client.query('commit');
  await client.query({
    name: 'complete',
    text: `update deliveries set status = 'sent', sent_at = $2 where entry_id = any($1::uuid[])`,
    values: [entries, now],
  });
  return ids.length;
}
