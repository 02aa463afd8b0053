import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** The keys that protect stored values, so that a start with another key is refused before it does harm. */
export const sealingKeys: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('sealing_keys')
      .addColumn('key_id', 'text', (column) => column.primaryKey())
      .addColumn('first_used_at', 'timestamptz', (column) => column.notNull())
      .addColumn('retired_at', 'timestamptz')
      .execute();
  },
};
