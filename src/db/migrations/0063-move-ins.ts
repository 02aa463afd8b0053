import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Moves from other apps: what waits after its preview, how far an import is, and which tasks it brought. */
export const moveIns: Migration = {
  async up(db: Kysely<unknown>) {
    const { schema } = db;
    await schema
      .createTable('move_ins')
      .addColumn('id', 'uuid', (column) => column.primaryKey())
      .addColumn('user_id', 'uuid', (column) => column.notNull().references('users.id').onDelete('cascade'))
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('contents', 'text')
      .addColumn('choices', 'text')
      .addColumn('pages', 'integer', (column) => column.notNull().defaultTo(0))
      .addColumn('page', 'integer', (column) => column.notNull().defaultTo(0))
      .addColumn('offset_in_page', 'integer', (column) => column.notNull().defaultTo(0))
      .addColumn('processed', 'integer', (column) => column.notNull().defaultTo(0))
      .addColumn('imported', 'integer', (column) => column.notNull().defaultTo(0))
      .addColumn('already_there', 'integer', (column) => column.notNull().defaultTo(0))
      .addColumn('refused', 'integer', (column) => column.notNull().defaultTo(0))
      .addColumn('overdue', 'integer', (column) => column.notNull().defaultTo(0))
      .addColumn('removed', 'integer', (column) => column.notNull().defaultTo(0))
      .addColumn('kept', 'integer', (column) => column.notNull().defaultTo(0))
      .addColumn('problem', 'text')
      .addColumn('created_at', 'timestamptz', (column) => column.notNull())
      .addColumn('started_at', 'timestamptz')
      .addColumn('expires_at', 'timestamptz', (column) => column.notNull())
      .execute();
    await schema.createIndex('move_ins_user').on('move_ins').column('user_id').execute();
    await schema.createIndex('move_ins_expires').on('move_ins').column('expires_at').execute();
    await schema
      .createTable('move_in_pages')
      .addColumn('move_in_id', 'uuid', (column) => column.notNull().references('move_ins.id').onDelete('cascade'))
      .addColumn('page', 'integer', (column) => column.notNull())
      .addColumn('tasks', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('move_in_pages_pkey', ['move_in_id', 'page'])
      .execute();
    await schema.alterTable('task_origins').addColumn('move_in_id', 'uuid').execute();
    await schema.alterTable('task_origins').addColumn('undecided_mode', 'text').execute();
    await sql`create index task_origins_move_in on task_origins (move_in_id) where move_in_id is not null`.execute(db);
    await sql`create index task_origins_undecided on task_origins (move_in_id, task_id)
      where undecided_mode is not null`.execute(db);
  },
};
