import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export const releases: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('releases')
      .addColumn('version', 'text', (column) => column.primaryKey())
      .addColumn('first_started_at', 'timestamptz', (column) => column.notNull())
      .execute();
  },
};
