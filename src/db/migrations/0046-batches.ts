import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Tells which entries of the timeline belong to one bulk change, so that one call can take it back. */
export const batches: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('timeline').addColumn('batch_id', 'uuid').execute();
    await sql`create index timeline_batch on timeline (batch_id) where batch_id is not null`.execute(db);
  },
};
