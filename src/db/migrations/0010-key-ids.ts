import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Stores which key made a hash, since an old key may be removed only when no hash depends on it. */
export const keyIds: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('recovery_codes').addColumn('key_id', 'text').execute();
  },
};
