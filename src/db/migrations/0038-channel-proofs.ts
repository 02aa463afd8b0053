import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** How a channel was proven: a webhook that any 2xx confirmed goes on, but is told from one that returned a challenge. */
export const channelProofs: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('channels').addColumn('proven_by', 'text').execute();
    await sql`update channels set proven_by = case
        when address is null then 'sign_in'
        when provider = 'webhook' then 'answer'
        when provider = 'pushover' then 'return'
        when provider = 'telegram' then 'link'
        else 'code'
      end where verified_at is not null`.execute(db);
  },
};
