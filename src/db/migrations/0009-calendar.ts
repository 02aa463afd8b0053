import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** The calendar feed of an account: at most one per account. */
export const calendar: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('calendar_feeds')
      .addColumn('user_id', 'uuid', (column) => column.primaryKey().references('users.id').onDelete('cascade'))
      .addColumn('token_hash', 'text', (column) => column.notNull().unique())
      .addColumn('created_at', 'timestamptz', (column) => column.notNull())
      .addColumn('last_read_at', 'timestamptz')
      .execute();
  },
};
