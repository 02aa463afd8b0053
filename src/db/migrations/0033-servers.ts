import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Which server a delivery goes to, so that the outbox can leave out the servers that have no place. */
export const servers: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('channels').addColumn('server', 'text').execute();
    await db.schema.alterTable('deliveries').addColumn('server', 'text').execute();
    // With the server in the index, SQLite reads past the deliveries of a full server without their rows.
    await db.schema.dropIndex('deliveries_due').execute();
    await sql`create index deliveries_due on deliveries (provider, next_attempt_at, recipient_id, server)
      where status = 'pending'`.execute(db);
  },
};
