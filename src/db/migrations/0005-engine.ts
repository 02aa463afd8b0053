import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

export const engine: Migration = {
  async up(db: Kysely<unknown>) {
    await changeTasks(db);
    await createTimeline(db);
    await createDevices(db);
    await createDeliveries(db);
  },
};

/**
 * A nudge changes the task's `next_fire_at`, and with it every index that has an entry for the row. Indexes
 * that concern few tasks become partial, so that a nudge does not rewrite them.
 */
async function changeTasks(db: Kysely<unknown>): Promise<void> {
  const { schema } = db;
  await schema.alterTable('tasks').addColumn('wanted_at', 'timestamptz').execute();
  await schema.alterTable('users').dropColumn('pause_held').execute();
  for (const index of ['tasks_assigned', 'tasks_space', 'tasks_assigner_changed', 'tasks_snoozed', 'tasks_overdue']) {
    await schema.dropIndex(index).execute();
  }
  await sql`create index tasks_assigned on tasks (assigner_id, list_rank, list_key, id)
    where assigner_id is not null`.execute(db);
  await sql`create index tasks_assigner_changed on tasks (assigner_id, changed_at)
    where assigner_id is not null`.execute(db);
  await sql`create index tasks_space on tasks (space_id, list_rank, list_key, id)
    where space_id is not null`.execute(db);
  await sql`create index tasks_overdue on tasks (owner_id, overdue_at)
    where status = 'open' and overdue_at is not null`.execute(db);
  await sql`create index tasks_snoozed on tasks (owner_id, deferred_until)
    where status = 'open' and deferred_until is not null`.execute(db);
  await sql`create index tasks_held on tasks (owner_id, wanted_at)
    where wanted_at < next_fire_at`.execute(db);
}

/**
 * The timeline and the deliveries have no foreign key to the task. The writer of a row has locked the task,
 * the code that deletes a task deletes its rows, and a foreign key would cost a third of the engine's speed.
 */
async function createTimeline(db: Kysely<unknown>): Promise<void> {
  const { schema } = db;
  await schema
    .createTable('timeline')
    .addColumn('id', 'uuid', (column) => column.primaryKey())
    .addColumn('task_id', 'uuid', (column) => column.notNull())
    .addColumn('owner_id', 'uuid', (column) => column.notNull())
    .addColumn('at', 'timestamptz', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('by', 'text')
    .addColumn('token_id', 'uuid')
    .addColumn('stage', 'integer')
    .addColumn('until', 'timestamptz')
    .addColumn('holds', 'text')
    .addColumn('occurrence_due_at', 'timestamptz')
    .addColumn('devices', 'integer')
    .addColumn('devices_reached', 'integer')
    .execute();
  await schema.createIndex('timeline_task').on('timeline').columns(['task_id', 'at', 'id']).execute();
  await sql`create index timeline_held on timeline (owner_id, at) where kind = 'held'`.execute(db);
}

async function createDevices(db: Kysely<unknown>): Promise<void> {
  const { schema } = db;
  await schema
    .createTable('devices')
    .addColumn('id', 'uuid', (column) => column.primaryKey())
    .addColumn('user_id', 'uuid', (column) => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('platform', 'text', (column) => column.notNull())
    .addColumn('token', 'text', (column) => column.notNull())
    .addColumn('token_hash', 'text', (column) => column.notNull().unique())
    .addColumn('push_env', 'text', (column) => column.notNull())
    .addColumn('keys', 'text')
    .addColumn('start_token', 'text')
    .addColumn('valid', 'boolean', (column) => column.notNull())
    .addColumn('invalid_reason', 'text')
    .addColumn('last_seen_at', 'timestamptz')
    .addColumn('registered_at', 'timestamptz', (column) => column.notNull())
    .addColumn('created_at', 'timestamptz', (column) => column.notNull())
    .execute();
  await schema.createIndex('devices_user').on('devices').column('user_id').execute();
}

/** No foreign key to the device: deliveries are kept after a device is removed or moves to another account. */
async function createDeliveries(db: Kysely<unknown>): Promise<void> {
  const { schema } = db;
  await schema
    .createTable('deliveries')
    .addColumn('entry_id', 'uuid', (column) => column.notNull())
    .addColumn('target_id', 'uuid', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('task_id', 'uuid', (column) => column.notNull())
    .addColumn('provider', 'text', (column) => column.notNull())
    .addColumn('stage', 'integer', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('reason', 'text')
    .addColumn('attempts', 'integer', (column) => column.notNull())
    .addColumn('next_attempt_at', 'timestamptz', (column) => column.notNull())
    .addColumn('created_at', 'timestamptz', (column) => column.notNull())
    .addColumn('sent_at', 'timestamptz')
    .addColumn('acked_at', 'timestamptz')
    .addPrimaryKeyConstraint('deliveries_key', ['entry_id', 'target_id', 'kind'])
    .execute();
  await schema.createIndex('deliveries_task').on('deliveries').columns(['task_id', 'stage', 'entry_id']).execute();
  await sql`create index deliveries_due on deliveries (provider, next_attempt_at)
    where status = 'pending'`.execute(db);
  await sql`create index deliveries_open on deliveries (task_id) where status = 'pending'`.execute(db);
}
