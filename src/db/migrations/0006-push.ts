import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

export const push: Migration = {
  async up(db: Kysely<unknown>) {
    await createLiveActivities(db);
    await sql`create index devices_dead on devices (registered_at) where not valid`.execute(db);
    await sql`create index deliveries_acked on deliveries (task_id, stage) where acked_at is not null`.execute(db);
  },
};

/** Live Activities: requested from a device, or known by the token that the app reported. */
async function createLiveActivities(db: Kysely<unknown>): Promise<void> {
  const { schema } = db;
  await schema
    .createTable('live_activities')
    .addColumn('id', 'uuid', (column) => column.primaryKey())
    .addColumn('task_id', 'uuid', (column) => column.notNull().references('tasks.id').onDelete('cascade'))
    .addColumn('device_id', 'uuid')
    .addColumn('token', 'text')
    .addColumn('token_hash', 'text', (column) => column.unique())
    .addColumn('push_env', 'text', (column) => column.notNull())
    .addColumn('started_at', 'timestamptz', (column) => column.notNull())
    .addColumn('ended_at', 'timestamptz')
    .execute();
  await schema.createIndex('live_activities_task').on('live_activities').column('task_id').execute();
  await schema.createIndex('live_activities_age').on('live_activities').column('started_at').execute();
}
