import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** A sign-in keeps its provider's session through the second factor, and sessions are found by it. */
export const providerSessions: Migration = {
  async up({ schema }: Kysely<unknown>) {
    await schema
      .alterTable('mfa_challenges')
      .addColumn('identity_id', 'uuid', (column) => column.references('identities.id').onDelete('cascade'))
      .execute();
    await schema.alterTable('mfa_challenges').addColumn('provider_sid', 'text').execute();
    await schema
      .createIndex('sessions_provider_sid')
      .on('sessions')
      .column('provider_sid')
      .where(sql.ref('provider_sid'), 'is not', null)
      .execute();
  },
};
