import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Stores who last wrote each text of a task. If a text has no row, its owner wrote or imported it. */
export const textWriters: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('text_writers')
      .addColumn('task_id', 'uuid', (column) => column.notNull().references('tasks.id').onDelete('cascade'))
      .addColumn('field', 'text', (column) => column.notNull())
      .addColumn('by', 'text', (column) => column.notNull())
      .addColumn('token_id', 'uuid')
      .addPrimaryKeyConstraint('text_writers_key', ['task_id', 'field'])
      .execute();
    for (const field of ['title', 'notes', 'kind']) await creatorsWrote(db, field);
  },
};

/** Until now only the creator of a task was known, so they count as the writer of all of its text. */
async function creatorsWrote(db: Kysely<unknown>, field: string): Promise<void> {
  await sql`
    insert into text_writers (task_id, field, by, token_id)
    select id, ${sql.lit(field)}, case when assigner_id is null then 'owner' else 'assigner' end,
      case when assigner_id is null then created_by_token end
    from tasks where assigner_id is not null or created_by_token is not null`.execute(db);
}
