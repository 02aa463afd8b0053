import { type Insertable, type Selectable, sql } from 'kysely';
import { rowsInserted } from '../db/insert-rows.ts';
import { returnsAny } from '../db/results.ts';
import type { Database, Db } from '../db/schema.ts';
import { isUuid } from '../lib/ids.ts';

export type NewTask = Omit<Insertable<Database['tasks']>, 'changed_at'>;
type NewOutcome = Insertable<Database['outcomes']>;
type Creation = Pick<Insertable<Database['timeline']>, 'id' | 'task_id' | 'owner_id' | 'at' | 'occurrence_due_at'>;

const TASK = {
  id: 'uuid',
  owner_id: 'uuid',
  assigner_id: 'uuid',
  space_id: 'uuid',
  title: 'text',
  notes: 'text',
  kind: 'text',
  due_at: 'timestamptz',
  due_written: 'text',
  has_time: 'boolean',
  overdue_at: 'timestamptz',
  recurrence: 'text',
  series_first: 'text',
  occurrence_number: 'integer',
  occurrence_started_at: 'timestamptz',
  lead_time_days: 'integer',
  mode: 'text',
  break_quiet_hours: 'boolean',
  status: 'text',
  accepted_by_owner: 'boolean',
  deferred_until: 'timestamptz',
  completed_at: 'timestamptz',
  skipped_at: 'timestamptz',
  closed_at: 'timestamptz',
  undo: 'text',
  run: 'integer',
  run_started_at: 'timestamptz',
  step: 'integer',
  heads_up_at: 'timestamptz',
  escalation_stage: 'integer',
  nudge_count: 'integer',
  last_nudge_at: 'timestamptz',
  next_fire_at: 'timestamptz',
  wanted_at: 'timestamptz',
  plan_version: 'integer',
  list_rank: 'integer',
  list_key: 'bigint',
  created_by_token: 'uuid',
  max_stage: 'integer',
  shortest_wait: 'integer',
  ladder: 'text',
  ladder_label: 'text',
  heads_ups: 'text',
  rings_anyway_at: 'timestamptz',
  created_at: 'timestamptz',
  updated_at: 'timestamptz',
} as const;
const OUTCOME = {
  id: 'uuid',
  owner_id: 'uuid',
  task_id: 'uuid',
  title: 'text',
  occurrence_due_at: 'timestamptz',
  outcome: 'text',
  seconds_taken: 'bigint',
  recorded_at: 'timestamptz',
  missed: 'integer',
  missed_from: 'timestamptz',
  missed_to: 'timestamptz',
} as const;
const ENTRY = {
  id: 'uuid',
  task_id: 'uuid',
  owner_id: 'uuid',
  at: 'timestamptz',
  occurrence_due_at: 'timestamptz',
  kind: 'text',
  by: 'text',
} as const;
const ORIGIN = {
  owner_id: 'uuid',
  origin: 'text',
  task_id: 'uuid',
  move_in_id: 'uuid',
  undecided_mode: 'text',
} as const;

/**
 * Maps each origin that the owner already has to the id of that task: one imported before, or the
 * owner's own task with that very id. Tasks of others are never matched, so an import does not reveal
 * whether they exist.
 */
export async function findTaskIdsByOrigin(
  trx: Db,
  ownerId: string,
  origins: readonly string[],
): Promise<Map<string, string>> {
  const imported = await trx
    .selectFrom('task_origins')
    .select(['origin', 'task_id'])
    .where('owner_id', '=', ownerId)
    .where('origin', 'in', origins)
    .execute();
  // The owner is compared here: with that condition in the query, SQLite reads all tasks of the owner for every page.
  const named = await trx
    .selectFrom('tasks')
    .select(['id', 'owner_id'])
    .where('id', 'in', origins.filter(isUuid))
    .execute();
  const own = named.filter(({ owner_id }) => owner_id === ownerId);
  return new Map([
    ...imported.map(({ origin, task_id }) => [origin, task_id] as const),
    ...own.map(({ id }) => [id, id] as const),
  ]);
}

export const insertTasks: (trx: Db, tasks: readonly Full<NewTask>[]) => Promise<void> = rowsInserted('tasks', TASK, {
  changed_at: sql`crescendo_now()`,
});

export const insertOrigins: (trx: Db, origins: readonly Selectable<Database['task_origins']>[]) => Promise<void> =
  rowsInserted('task_origins', ORIGIN);

export async function hasOpenTask(db: Db, ownerId: string): Promise<boolean> {
  return returnsAny(
    db.selectFrom('tasks').select('id').where('owner_id', '=', ownerId).where('status', '=', 'open').limit(1),
  );
}

export async function setZone(trx: Db, userId: string, timezone: string): Promise<void> {
  await trx.updateTable('users').set({ timezone }).where('id', '=', userId).execute();
}

export const insertOutcomes: (trx: Db, outcomes: readonly Full<NewOutcome>[]) => Promise<void> = rowsInserted(
  'outcomes',
  OUTCOME,
);

const entriesInserted = rowsInserted('timeline', ENTRY);

/** The timeline of an imported task begins with its creation. */
export async function insertCreations(trx: Db, creations: readonly Full<Creation>[]): Promise<void> {
  await entriesInserted(
    trx,
    creations.map((creation) => ({ ...creation, kind: 'created', by: 'owner' })),
  );
}

/** Every column is given, null included: the rows are inserted without column defaults. */
type Full<T> = { readonly [K in keyof T]-?: T[K] };
