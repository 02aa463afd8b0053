import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Emailed codes belong to the sign-in request that asked for them, so that an address can have several. Codes from
 * before this migration stop working; people ask for a new one. A code lives for ten minutes only.
 */
export const signInRequests: Migration = {
  async up(db: Kysely<unknown>) {
    const { schema } = db;
    await schema.dropTable('email_codes').execute();
    await schema
      .createTable('email_codes')
      .addColumn('id', 'uuid', (column) => column.primaryKey())
      .addColumn('email', 'text', (column) => column.notNull())
      .addColumn('request_hash', 'text', (column) => column.notNull().unique())
      .addColumn('network_hash', 'text')
      .addColumn('code_hash', 'text', (column) => column.notNull())
      .addColumn('tries_by_request', 'integer', (column) => column.notNull().defaultTo(0))
      .addColumn('tries_by_network', 'integer', (column) => column.notNull().defaultTo(0))
      .addColumn('tries_by_others', 'integer', (column) => column.notNull().defaultTo(0))
      .addColumn('reusable_until', 'timestamptz')
      .addColumn('expires_at', 'timestamptz', (column) => column.notNull())
      .execute();
    await schema.createIndex('email_codes_email').on('email_codes').columns(['email', 'id']).execute();
    await sql`create index email_codes_network on email_codes (email, network_hash)
      where network_hash is not null`.execute(db);
    await schema.createIndex('email_codes_expiry').on('email_codes').column('expires_at').execute();
  },
};
