/** Many tasks at once, straight into the tables: more than anybody could make through the API in a test's time. */
import { createHash } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import { rowsOf } from '../../src/db/rows.ts';
import type { Database } from '../../src/db/schema.ts';
import { newId } from '../../src/lib/ids.ts';

export interface Bulk {
  readonly tasks: number;
  readonly owners: number;
  readonly dueAt: Date;
  /** Later ones are due so much later each. */
  readonly apartMs?: number;
  readonly withDevices?: boolean;
}

const BATCH = 5_000;

/** Returns the ids of the owners. */
export async function insertDueTasks(db: Kysely<Database>, bulk: Bulk): Promise<string[]> {
  const owners = Array.from({ length: bulk.owners }, newId);
  const madeAt = new Date(bulk.dueAt.getTime() - 3_600_000);
  await inBatches(owners, async (ids) => {
    const rows = rowsOf(
      db,
      'r',
      { id: 'uuid' },
      ids.map((id) => ({ id })),
    );
    await sql`insert into users (id, keep_must_not_miss, created_at, updated_at)
      select r.id, ${true}, ${madeAt}, ${madeAt} from ${rows} where true`.execute(db);
  });
  if (bulk.withDevices !== false) await insertDevices(db, owners, madeAt);
  const tasks = Array.from({ length: bulk.tasks }, (_, index) => ({
    id: newId(),
    owner_id: owners[index % owners.length],
    due_at: new Date(bulk.dueAt.getTime() + index * (bulk.apartMs ?? 0)),
  }));
  await inBatches(tasks, async (some) => {
    const rows = rowsOf(db, 'r', { id: 'uuid', owner_id: 'uuid', due_at: 'timestamptz' }, some);
    await sql`
      insert into tasks (id, owner_id, title, kind, due_at, due_written, has_time, overdue_at, occurrence_number,
        occurrence_started_at, mode, break_quiet_hours, status, accepted_by_owner, run_started_at, step,
        escalation_stage, nudge_count, next_fire_at, wanted_at, list_rank, list_key, created_at, updated_at, changed_at)
      select r.id, r.owner_id, 'pills', 'todo', r.due_at, '2026-03-02T09:00:00Z', ${true}, r.due_at, 1,
        ${madeAt}, 'escalate', ${false}, 'open', ${true}, ${madeAt}, 0,
        0, 0, r.due_at, r.due_at, 0, 0, ${madeAt}, ${madeAt}, ${madeAt} from ${rows} where true`.execute(db);
  });
  return owners;
}

async function insertDevices(db: Kysely<Database>, owners: readonly string[], madeAt: Date): Promise<void> {
  const devices = owners.map((user_id) => {
    const id = newId();
    const token = id.replaceAll('-', '').repeat(2);
    return { id, user_id, token, token_hash: createHash('sha256').update(token).digest('hex') };
  });
  await inBatches(devices, async (some) => {
    const rows = rowsOf(db, 'r', { id: 'uuid', user_id: 'uuid', token: 'text', token_hash: 'text' }, some);
    await sql`insert into devices (id, user_id, platform, token, token_hash, push_env, valid, registered_at, created_at)
      select r.id, r.user_id, 'ios', r.token, r.token_hash, 'production', ${true}, ${madeAt}, ${madeAt}
      from ${rows} where true`.execute(db);
  });
}

async function inBatches<T>(all: readonly T[], work: (some: readonly T[]) => Promise<void>): Promise<void> {
  for (let start = 0; start < all.length; start += BATCH) await work(all.slice(start, start + BATCH));
}
