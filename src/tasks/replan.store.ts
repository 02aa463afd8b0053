/** Reads the tasks of an account that are stale after a change of its settings, and stores their new plans. */
import { type Selectable, sql } from 'kysely';
import { rowsAsTable } from '../db/rows.ts';
import type { Database, Db } from '../db/schema.ts';

type Task = Selectable<Database['tasks']>;
type Owner = Pick<Selectable<Database['users']>, 'id' | 'plan_version'>;

/** From here on, every open task of the owner is stale. */
export async function raisePlanVersion(trx: Db, ownerId: string): Promise<void> {
  await trx
    .updateTable('users')
    .set((eb) => ({ plan_version: eb('plan_version', '+', 1) }))
    .where('id', '=', ownerId)
    .execute();
}

type PlannedTimes = Pick<
  Task,
  'id' | 'due_at' | 'next_fire_at' | 'wanted_at' | 'overdue_at' | 'list_rank' | 'list_key' | 'plan_version'
>;

const ROWS_PER_STATEMENT = 1_000;
const PLANNED_TIMES = {
  id: 'uuid',
  due_at: 'timestamptz',
  next_fire_at: 'timestamptz',
  wanted_at: 'timestamptz',
  overdue_at: 'timestamptz',
  list_rank: 'integer',
  list_key: 'bigint',
  plan_version: 'integer',
} as const;

/** Updates many tasks per statement: a change of settings can affect thousands, and each statement is a round trip. */
export async function updatePlannedTimes(trx: Db, changes: readonly PlannedTimes[], now: Date): Promise<void> {
  for (let start = 0; start < changes.length; start += ROWS_PER_STATEMENT) {
    const planned = rowsAsTable(trx, 'planned', PLANNED_TIMES, changes.slice(start, start + ROWS_PER_STATEMENT));
    await sql`
      update tasks set due_at = planned.due_at, next_fire_at = planned.next_fire_at, wanted_at = planned.wanted_at,
        overdue_at = planned.overdue_at, list_rank = planned.list_rank, list_key = planned.list_key,
        plan_version = planned.plan_version, updated_at = ${now}, changed_at = crescendo_now()
      from ${planned} where tasks.id = planned.id`.execute(trx);
  }
}

/**
 * For tasks with the same plan by the new settings. A reader may have seen a task planned by a version in between: then
 * `isSeen` is true, and sync returns the task again.
 */
export async function updatePlanVersion(
  trx: Db,
  ids: readonly string[],
  { plan_version }: Owner,
  isSeen: boolean,
): Promise<void> {
  if (ids.length === 0) return;
  await trx
    .updateTable('tasks')
    .set({ plan_version, ...(isSeen && { changed_at: sql<Date>`crescendo_now()` }) })
    .where('id', 'in', ids)
    .execute();
}

/**
 * The columns that planning reads and changes, and who sees the task. No texts: 50 tasks may have texts of 2.5 MB.
 */
const PLANNING = [
  'id',
  'owner_id',
  'assigner_id',
  'space_id',
  'accepted_by_owner',
  'status',
  'mode',
  'break_quiet_hours',
  'has_time',
  'due_at',
  'due_written',
  'lead_time_days',
  'deferred_until',
  'run_started_at',
  'step',
  'last_nudge_at',
  'heads_up_at',
  'max_stage',
  'shortest_wait',
  'kind',
  'ladder',
  'ladder_label',
  'heads_ups',
  'rings_anyway_at',
  'next_fire_at',
  'wanted_at',
  'overdue_at',
  'list_rank',
  'list_key',
  'plan_version',
  'closed_at',
  'created_at',
] as const;
type StaleTask = Pick<Task, (typeof PLANNING)[number]>;

/**
 * Locks stale tasks of the owner, read from the index `tasks_plan`. Waits for a task that is locked, by the engine for
 * example: a skipped task would stay stale. Fewer than `limit` means that none is left, because the owner is locked, so
 * nobody stores a task by an older version.
 */
export async function lockStaleTasks(trx: Db, owner: Owner, limit: number): Promise<StaleTask[]> {
  return trx
    .selectFrom('tasks')
    .select(PLANNING)
    .where('owner_id', '=', owner.id)
    .where('status', '=', sql.lit('open'))
    .where('plan_version', '<', owner.plan_version)
    .limit(limit)
    .forUpdate()
    .execute();
}
