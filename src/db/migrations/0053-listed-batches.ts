import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Finds the latest bulk changes of an account. */
export const listedBatches: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`create index timeline_owner_batches on timeline (owner_id, at) where batch_id is not null`.execute(db);
  },
};
