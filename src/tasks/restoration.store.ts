import { type Insertable, type Kysely, type Selectable, sql } from 'kysely';
import { rowsOf } from '../db/rows.ts';
import type { Database } from '../db/schema.ts';
import { isUuid } from '../lib/ids.ts';

export type NewTask = Omit<Insertable<Database['tasks']>, 'changed_at'>;
type NewOutcome = Insertable<Database['outcomes']>;
type NewEntry = Pick<Insertable<Database['timeline']>, 'id' | 'task_id' | 'owner_id' | 'at' | 'occurrence_due_at'>;

const TASK = {
  ...({ id: 'uuid', owner_id: 'uuid', assigner_id: 'uuid', space_id: 'uuid', title: 'text', notes: 'text' } as const),
  ...({ kind: 'text', due_at: 'timestamptz', due_written: 'text', has_time: 'boolean' } as const),
  ...({ overdue_at: 'timestamptz', recurrence: 'text', series_first: 'text', occurrence_number: 'integer' } as const),
  ...({ occurrence_started_at: 'timestamptz', lead_time_days: 'integer', mode: 'text' } as const),
  ...({ break_quiet_hours: 'boolean', status: 'text', accepted_by_owner: 'boolean' } as const),
  ...({ deferred_until: 'timestamptz', completed_at: 'timestamptz', skipped_at: 'timestamptz' } as const),
  ...({ closed_at: 'timestamptz', undo: 'text', run_started_at: 'timestamptz', step: 'integer' } as const),
  ...({ heads_up_at: 'timestamptz', escalation_stage: 'integer', nudge_count: 'integer' } as const),
  ...({ last_nudge_at: 'timestamptz', next_fire_at: 'timestamptz', wanted_at: 'timestamptz' } as const),
  ...({ list_rank: 'integer', list_key: 'bigint', created_by_token: 'uuid', max_stage: 'integer' } as const),
  ...({ created_at: 'timestamptz', updated_at: 'timestamptz' } as const),
};
const OUTCOME = {
  ...({ id: 'uuid', owner_id: 'uuid', task_id: 'uuid', title: 'text', occurrence_due_at: 'timestamptz' } as const),
  ...({ outcome: 'text', seconds_taken: 'bigint', recorded_at: 'timestamptz' } as const),
};
const ENTRY = {
  ...({ id: 'uuid', task_id: 'uuid', owner_id: 'uuid', at: 'timestamptz', occurrence_due_at: 'timestamptz' } as const),
};
const ORIGIN = { owner_id: 'uuid', origin: 'text', task_id: 'uuid' } as const;

const columnsOf = (columns: object) => sql.join(Object.keys(columns).map((name) => sql.ref(name)));

/**
 * Which of the owner's tasks each of these is, by where it came from or by its own id. Of tasks that
 * belong to others nothing is found, so nobody learns whether they exist.
 */
export async function listKnown(
  trx: Kysely<Database>,
  ownerId: string,
  origins: readonly string[],
): Promise<Map<string, string>> {
  const moved = await trx
    .selectFrom('task_origins')
    .select(['origin', 'task_id'])
    .where('owner_id', '=', ownerId)
    .where('origin', 'in', origins)
    .execute();
  const own = await trx
    .selectFrom('tasks')
    .select('id')
    .where('owner_id', '=', ownerId)
    .where('id', 'in', origins.filter(isUuid))
    .execute();
  return new Map([
    ...moved.map(({ origin, task_id }) => [origin, task_id] as const),
    ...own.map(({ id }) => [id, id] as const),
  ]);
}

export async function insertTasks(trx: Kysely<Database>, tasks: readonly NewTask[]): Promise<void> {
  await sql`
    insert into tasks (${columnsOf(TASK)}, changed_at)
    select ${columnsOf(TASK)}, crescendo_now() from ${rowsOf(trx, 'arriving', TASK, tasks as readonly Full<NewTask>[])}
  `.execute(trx);
}

export async function insertOrigins(
  trx: Kysely<Database>,
  origins: readonly Selectable<Database['task_origins']>[],
): Promise<void> {
  await sql`
    insert into task_origins (${columnsOf(ORIGIN)})
    select ${columnsOf(ORIGIN)} from ${rowsOf(trx, 'arriving', ORIGIN, origins)}`.execute(trx);
}

export async function hasOpenTask(db: Kysely<Database>, ownerId: string): Promise<boolean> {
  const row = await db
    .selectFrom('tasks')
    .select('id')
    .where('owner_id', '=', ownerId)
    .where('status', '=', 'open')
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

export async function setZone(trx: Kysely<Database>, userId: string, timezone: string): Promise<void> {
  await trx.updateTable('users').set({ timezone }).where('id', '=', userId).execute();
}

export async function insertOutcomes(trx: Kysely<Database>, outcomes: readonly NewOutcome[]): Promise<void> {
  await sql`
    insert into outcomes (${columnsOf(OUTCOME)})
    select ${columnsOf(OUTCOME)} from ${rowsOf(trx, 'arriving', OUTCOME, outcomes as readonly Full<NewOutcome>[])}
  `.execute(trx);
}

/** The timeline of a task that lived elsewhere begins with its creation. */
export async function insertCreations(trx: Kysely<Database>, entries: readonly NewEntry[]): Promise<void> {
  await sql`
    insert into timeline (${columnsOf(ENTRY)}, kind, by)
    select ${columnsOf(ENTRY)}, 'created', 'owner'
    from ${rowsOf(trx, 'arriving', ENTRY, entries as readonly Full<NewEntry>[])}
  `.execute(trx);
}

/** What may be left out of an insert is present here: null, where there is nothing. */
type Full<T> = { readonly [K in keyof T]-?: T[K] };
