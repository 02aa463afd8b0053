import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Which request has an idempotency key, so that one whose key was taken over commits nothing. */
export const claims: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('idempotency_keys').addColumn('claim', 'uuid').execute();
  },
};
