import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** A hash does not tell which key made it, and whoever gives up an old key must know who still depends on it. */
export const keyIds: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('recovery_codes').addColumn('key_id', 'text').execute();
  },
};
