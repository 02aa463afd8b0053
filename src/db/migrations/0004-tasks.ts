import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { isPostgres } from '../schema.ts';

export const tasks: Migration = {
  async up(db: Kysely<unknown>) {
    if (isPostgres(db)) await createTimeFunctions(db);
    await createTasks(db);
    await createTaskIndexes(db);
    await createOutcomes(db);
    await createRemovals(db);
  },
};

/**
 * The clock of sync. `crescendo_now` is the start of the transaction and stamps every change in it. No
 * transaction that has not committed yet has a stamp before `crescendo_horizon`. The margin of 5 seconds
 * covers the time between the start of a transaction and its appearance in `pg_stat_activity`.
 */
async function createTimeFunctions(db: Kysely<unknown>): Promise<void> {
  await sql`create function crescendo_now() returns timestamptz language sql stable as $$
    select date_trunc('milliseconds', now())
  $$`.execute(db);
  await sql`create function crescendo_horizon() returns timestamptz language sql volatile as $$
    select date_trunc('milliseconds', least(now(), min(xact_start)) - interval '5 seconds')
    from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
  $$`.execute(db);
}

async function createTasks(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('tasks')
    .addColumn('id', 'uuid', (column) => column.primaryKey())
    .addColumn('owner_id', 'uuid', (column) => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('assigner_id', 'uuid', (column) => column.references('users.id').onDelete('set null'))
    .addColumn('space_id', 'uuid', (column) => column.references('spaces.id').onDelete('set null'))
    .addColumn('title', 'text', (column) => column.notNull())
    .addColumn('notes', 'text')
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('due_at', 'timestamptz')
    .addColumn('due_written', 'text')
    .addColumn('has_time', 'boolean', (column) => column.notNull())
    .addColumn('overdue_at', 'timestamptz')
    .addColumn('recurrence', 'text')
    .addColumn('series_first', 'text')
    .addColumn('occurrence_number', 'integer', (column) => column.notNull())
    .addColumn('occurrence_started_at', 'timestamptz', (column) => column.notNull())
    .addColumn('lead_time_days', 'integer')
    .addColumn('mode', 'text', (column) => column.notNull())
    .addColumn('break_quiet_hours', 'boolean', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('accepted_by_owner', 'boolean', (column) => column.notNull())
    .addColumn('deferred_until', 'timestamptz')
    .addColumn('completed_at', 'timestamptz')
    .addColumn('skipped_at', 'timestamptz')
    .addColumn('closed_at', 'timestamptz')
    .addColumn('undo', 'text')
    .addColumn('run_started_at', 'timestamptz', (column) => column.notNull())
    .addColumn('step', 'integer', (column) => column.notNull())
    .addColumn('heads_up_at', 'timestamptz')
    .addColumn('escalation_stage', 'integer', (column) => column.notNull())
    .addColumn('nudge_count', 'integer', (column) => column.notNull())
    .addColumn('last_nudge_at', 'timestamptz')
    .addColumn('next_fire_at', 'timestamptz')
    .addColumn('list_rank', 'integer', (column) => column.notNull())
    .addColumn('list_key', 'bigint', (column) => column.notNull())
    .addColumn('created_at', 'timestamptz', (column) => column.notNull())
    .addColumn('updated_at', 'timestamptz', (column) => column.notNull())
    .addColumn('changed_at', 'timestamptz', (column) => column.notNull())
    .execute();
}

/** One index per frequent query, each in the order in which the query reads its rows. */
async function createTaskIndexes(db: Kysely<unknown>): Promise<void> {
  const { schema } = db;
  const order = ['list_rank', 'list_key', 'id'];
  await schema
    .createIndex('tasks_list')
    .on('tasks')
    .columns(['owner_id', ...order])
    .execute();
  await schema
    .createIndex('tasks_list_status')
    .on('tasks')
    .columns(['owner_id', 'status', ...order])
    .execute();
  await schema
    .createIndex('tasks_assigned')
    .on('tasks')
    .columns(['assigner_id', ...order])
    .execute();
  await schema
    .createIndex('tasks_space')
    .on('tasks')
    .columns(['space_id', ...order])
    .execute();
  await schema.createIndex('tasks_changed').on('tasks').columns(['owner_id', 'changed_at']).execute();
  await schema.createIndex('tasks_assigner_changed').on('tasks').columns(['assigner_id', 'changed_at']).execute();
  // Partial: a closed task is not overdue, not snoozed, and has no next nudge.
  await sql`create index tasks_overdue on tasks (owner_id, overdue_at) where status = 'open'`.execute(db);
  await sql`create index tasks_snoozed on tasks (owner_id, deferred_until) where status = 'open'`.execute(db);
  await sql`create index tasks_due on tasks (next_fire_at) where next_fire_at is not null`.execute(db);
}

async function createOutcomes(db: Kysely<unknown>): Promise<void> {
  const { schema } = db;
  await schema
    .createTable('outcomes')
    .addColumn('id', 'uuid', (column) => column.primaryKey())
    .addColumn('owner_id', 'uuid', (column) => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('task_id', 'uuid', (column) => column.notNull().references('tasks.id').onDelete('cascade'))
    .addColumn('title', 'text', (column) => column.notNull())
    .addColumn('occurrence_due_at', 'timestamptz')
    .addColumn('outcome', 'text', (column) => column.notNull())
    .addColumn('seconds_taken', 'bigint', (column) => column.notNull())
    .addColumn('recorded_at', 'timestamptz', (column) => column.notNull())
    .execute();
  await schema.createIndex('outcomes_owner').on('outcomes').columns(['owner_id', 'recorded_at', 'id']).execute();
  await schema
    .createIndex('outcomes_kind')
    .on('outcomes')
    .columns(['owner_id', 'outcome', 'recorded_at', 'id'])
    .execute();
  await schema.createIndex('outcomes_task').on('outcomes').column('task_id').execute();

  await schema
    .createTable('task_counts')
    .addColumn('user_id', 'uuid', (column) => column.primaryKey().references('users.id').onDelete('cascade'))
    .addColumn('open', 'integer', (column) => column.notNull())
    .addColumn('done', 'integer', (column) => column.notNull())
    .addColumn('skipped', 'integer', (column) => column.notNull())
    .addColumn('nudges_sent', 'integer', (column) => column.notNull())
    .addColumn('seconds_to_done', 'bigint', (column) => column.notNull())
    .execute();
}

async function createRemovals(db: Kysely<unknown>): Promise<void> {
  const { schema } = db;
  await schema
    .createTable('task_removals')
    .addColumn('viewer_id', 'uuid', (column) => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('task_id', 'uuid', (column) => column.notNull())
    .addColumn('changed_at', 'timestamptz', (column) => column.notNull())
    .addPrimaryKeyConstraint('task_removals_key', ['viewer_id', 'task_id'])
    .execute();
  await schema.createIndex('task_removals_changed').on('task_removals').columns(['viewer_id', 'changed_at']).execute();
  await schema.createIndex('task_removals_age').on('task_removals').column('changed_at').execute();

  await schema
    .createTable('idempotency_keys')
    .addColumn('user_id', 'uuid', (column) => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('key_hash', 'text', (column) => column.notNull())
    .addColumn('request_hash', 'text', (column) => column.notNull())
    .addColumn('status', 'integer')
    .addColumn('answer', 'text')
    .addColumn('expires_at', 'timestamptz', (column) => column.notNull())
    .addPrimaryKeyConstraint('idempotency_keys_key', ['user_id', 'key_hash'])
    .execute();
  await schema.createIndex('idempotency_keys_expiry').on('idempotency_keys').column('expires_at').execute();
}
