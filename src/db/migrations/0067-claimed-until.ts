import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Until when a request has its idempotency key, apart from how long its answer is kept. */
export const claimedUntil: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('idempotency_keys').addColumn('claimed_until', 'timestamptz').execute();
  },
};
