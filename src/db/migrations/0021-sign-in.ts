import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Stores who administers the installation, who is suspended, and the identity provider's session of each session. */
export const signIn: Migration = {
  async up({ schema }: Kysely<unknown>) {
    for (const column of ['is_admin', 'admin_by_provider']) {
      await schema
        .alterTable('users')
        .addColumn(column, 'boolean', (definition) => definition.notNull().defaultTo(false))
        .execute();
    }
    await schema.alterTable('users').addColumn('suspended_at', 'timestamptz').execute();
    await schema
      .alterTable('sessions')
      .addColumn('identity_id', 'uuid', (column) => column.references('identities.id').onDelete('set null'))
      .execute();
    await schema.alterTable('sessions').addColumn('provider_sid', 'text').execute();
    await schema.createIndex('sessions_identity').on('sessions').column('identity_id').execute();
  },
};
