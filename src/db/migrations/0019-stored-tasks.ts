import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Counts the tasks, open and closed, that an account created or imported itself. */
export const storedTasks: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .alterTable('task_counts')
      .addColumn('stored', 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
    await db.schema
      .alterTable('task_count_shards')
      .addColumn('stored', 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
    await sql`update task_counts set stored =
      (select count(*) from tasks where owner_id = task_counts.user_id and assigner_id is null)`.execute(db);
  },
};
