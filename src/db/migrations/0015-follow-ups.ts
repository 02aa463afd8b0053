import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Work that grows with an account and runs in slices: plan versions, accounts being deleted, follow-ups. */
export const followUps: Migration = {
  async up(db: Kysely<unknown>) {
    const { schema } = db;
    for (const table of ['users', 'tasks']) {
      await schema
        .alterTable(table)
        .addColumn('plan_version', 'integer', (column) => column.notNull().defaultTo(0))
        .execute();
    }
    await schema.alterTable('users').addColumn('deleted_at', 'timestamptz').execute();
    // A slice reads its rows from one of these two. Neither column changes with a nudge.
    await sql`create index tasks_plan on tasks (owner_id, plan_version) where status = 'open'`.execute(db);
    await sql`create index tasks_of_space on tasks (space_id, owner_id, id)
      where space_id is not null`.execute(db);

    await schema
      .createTable('follow_ups')
      .addColumn('id', 'uuid', (column) => column.primaryKey())
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('user_id', 'uuid', (column) => column.notNull().references('users.id').onDelete('cascade'))
      .addColumn('space_id', 'uuid', (column) => column.references('spaces.id').onDelete('cascade'))
      .addColumn('cursor', 'text')
      .execute();
    await schema.createIndex('follow_ups_user').on('follow_ups').column('user_id').execute();
    await schema.createIndex('follow_ups_space').on('follow_ups').column('space_id').execute();
  },
};
