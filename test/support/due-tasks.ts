/** Inserts many tasks directly into the tables, because creating them through the API would take too long. */
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { rowsAsTable } from '../../src/db/rows.ts';
import type { Db } from '../../src/db/schema.ts';
import { newId } from '../../src/lib/ids.ts';

export interface DueTasks {
  readonly tasks: number;
  readonly owners: number;
  readonly dueAt: Date;
  /** The time between the due times of two consecutive tasks. */
  readonly intervalMs?: number;
  readonly withDevices?: boolean;
  /** The ladder of each task, as it is stored. */
  readonly ladder?: string;
}

const BATCH_SIZE = 5_000;

/** Returns the ids of the owners. */
export async function insertDueTasks(db: Db, bulk: DueTasks): Promise<string[]> {
  const owners = Array.from({ length: bulk.owners }, newId);
  const createdAt = new Date(bulk.dueAt.getTime() - 3_600_000);
  await inBatches(owners, async (ids) => {
    const rows = rowsAsTable(
      db,
      'r',
      { id: 'uuid' },
      ids.map((id) => ({ id })),
    );
    await sql`insert into users (id, keep_must_not_miss, created_at, updated_at)
      select r.id, ${true}, ${createdAt}, ${createdAt} from ${rows} where true`.execute(db);
  });
  if (bulk.withDevices !== false) await insertDevices(db, owners, createdAt);
  const tasks = Array.from({ length: bulk.tasks }, (_, index) => {
    const due_at = new Date(bulk.dueAt.getTime() + index * (bulk.intervalMs ?? 0));
    return { id: newId(), owner_id: owners[index % owners.length], due_at, due_written: due_at.toISOString() };
  });
  await inBatches(tasks, async (batch) => {
    const rows = rowsAsTable(
      db,
      'r',
      { id: 'uuid', owner_id: 'uuid', due_at: 'timestamptz', due_written: 'text' },
      batch,
    );
    await sql`
      insert into tasks (id, owner_id, title, kind, due_at, due_written, has_time, overdue_at, occurrence_number,
        occurrence_started_at, mode, break_quiet_hours, status, accepted_by_owner, run_started_at, step,
        escalation_stage, nudge_count, next_fire_at, wanted_at, list_rank, list_key, created_at, updated_at, changed_at)
      select r.id, r.owner_id, 'pills', 'todo', r.due_at, r.due_written, ${true}, r.due_at, 1,
        ${createdAt}, 'escalate', ${false}, 'open', ${true}, ${createdAt}, 0,
        0, 0, r.due_at, r.due_at, 0, 0, ${createdAt}, ${createdAt}, ${createdAt} from ${rows} where true`.execute(db);
  });
  // A separate statement: tests of upgrades insert into tables of earlier releases.
  if (bulk.ladder !== undefined)
    await sql`update tasks set ladder = ${bulk.ladder} where created_at = ${createdAt}`.execute(db);
  return owners;
}

async function insertDevices(db: Db, owners: readonly string[], createdAt: Date): Promise<void> {
  const devices = owners.map((user_id) => {
    const id = newId();
    const token = id.replaceAll('-', '').repeat(2);
    return { id, user_id, token, token_hash: createHash('sha256').update(token).digest('hex') };
  });
  await inBatches(devices, async (batch) => {
    const rows = rowsAsTable(db, 'r', { id: 'uuid', user_id: 'uuid', token: 'text', token_hash: 'text' }, batch);
    await sql`insert into devices (id, user_id, platform, token, token_hash, push_env, valid, registered_at, created_at)
      select r.id, r.user_id, 'ios', r.token, r.token_hash, 'production', ${true}, ${createdAt}, ${createdAt}
      from ${rows} where true`.execute(db);
  });
}

async function inBatches<T>(all: readonly T[], work: (batch: readonly T[]) => Promise<void>): Promise<void> {
  for (let start = 0; start < all.length; start += BATCH_SIZE) await work(all.slice(start, start + BATCH_SIZE));
}
