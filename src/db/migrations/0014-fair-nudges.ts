import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Lets accounts take turns in the engine: stores the owner of each delivery, and how far ahead an account booked. */
export const fairNudges: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('deliveries').addColumn('owner_id', 'uuid').execute();
    // Only pending rows are claimed again. Filling the others would rewrite the largest table for nothing.
    await sql`update deliveries set owner_id = (select owner_id from tasks where tasks.id = deliveries.task_id)
      where status = 'pending'`.execute(db);
    for (const name of ['booked_ms', 'booked_at_ms']) {
      await db.schema
        .alterTable('task_counts')
        .addColumn(name, 'bigint', (column) => column.notNull().defaultTo(0))
        .execute();
    }
    await db.schema.dropIndex('tasks_due').execute();
    await sql`create index tasks_due on tasks (next_fire_at, owner_id) where next_fire_at is not null`.execute(db);
    await db.schema.dropIndex('deliveries_due').execute();
    await sql`create index deliveries_due on deliveries (provider, next_attempt_at, owner_id)
      where status = 'pending'`.execute(db);
  },
};
