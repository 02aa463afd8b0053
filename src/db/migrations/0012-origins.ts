import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { isPostgres } from '../schema.ts';

/** The origins of imported tasks, and counts that can no longer overflow their columns. */
export const origins: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('task_origins')
      .addColumn('owner_id', 'uuid', (column) => column.notNull().references('users.id').onDelete('cascade'))
      .addColumn('origin', 'text', (column) => column.notNull())
      .addColumn('task_id', 'uuid', (column) => column.notNull().references('tasks.id').onDelete('cascade'))
      .addPrimaryKeyConstraint('task_origins_key', ['owner_id', 'origin'])
      .execute();
    await db.schema.createIndex('task_origins_task').on('task_origins').column('task_id').execute();
    if (isPostgres(db)) await widenSums(db);
    await boundFigures(db);
  },
};

/** SQLite integers always have 64 bits. */
async function widenSums(db: Kysely<unknown>): Promise<void> {
  for (const name of ['open', 'done', 'skipped', 'nudges_sent']) {
    await sql`alter table task_counts alter column ${sql.ref(name)} type bigint`.execute(db);
  }
}

/** An import could store counts at the upper limit of their columns, and the next nudge of such a task failed. */
async function boundFigures(db: Kysely<unknown>): Promise<void> {
  for (const name of ['nudge_count', 'step', 'occurrence_number']) {
    await sql`update tasks set ${sql.ref(name)} = 1000000 where ${sql.ref(name)} > 1000000`.execute(db);
  }
}
