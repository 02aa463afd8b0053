import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Stores the ids of the keys that protect values, so that the service refuses to start with another key. */
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
