import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** The processes that serve this database, and when each was last alive. */
export const processes: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('processes')
      .addColumn('id', 'uuid', (column) => column.primaryKey())
      .addColumn('release', 'text', (column) => column.notNull())
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('newest_migration', 'text', (column) => column.notNull())
      .addColumn('started_at', 'timestamptz', (column) => column.notNull())
      .addColumn('seen_at', 'timestamptz', (column) => column.notNull())
      .execute();
  },
};
