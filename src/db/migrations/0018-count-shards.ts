import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Lets the writes of one account add to its running sums at the same time. With a single row, each write waits for the
 * commit of the one before. The existing sums in `task_counts` still count.
 */
export const countShards: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('task_count_shards')
      .addColumn('user_id', 'uuid', (column) => column.notNull().references('users.id').onDelete('cascade'))
      .addColumn('shard', 'integer', (column) => column.notNull())
      .addColumn('open', 'integer', (column) => column.notNull())
      .addColumn('done', 'integer', (column) => column.notNull())
      .addColumn('skipped', 'integer', (column) => column.notNull())
      .addColumn('nudges_sent', 'bigint', (column) => column.notNull())
      .addColumn('seconds_to_done', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('task_count_shards_key', ['user_id', 'shard'])
      .execute();
  },
};
