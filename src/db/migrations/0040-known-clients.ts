import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** To find out whether anybody has connected a client. PostgreSQL indexes no text of more than 2,700 bytes. */
export const knownClients: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`create index access_tokens_client on access_tokens (client_id)
      where length(client_id) <= 500`.execute(db);
  },
};
