import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export const passkeys: Migration = {
  async up({ schema }: Kysely<unknown>) {
    await schema
      .createTable('passkeys')
      .addColumn('id', 'uuid', (column) => column.primaryKey())
      .addColumn('user_id', 'uuid', (column) => column.notNull().references('users.id').onDelete('cascade'))
      .addColumn('credential_id', 'text', (column) => column.notNull().unique())
      .addColumn('public_key', 'text', (column) => column.notNull())
      // An unsigned 32-bit number, which does not fit into an integer.
      .addColumn('counter', 'bigint', (column) => column.notNull())
      .addColumn('transports', 'text', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('created_at', 'timestamptz', (column) => column.notNull())
      .addColumn('last_used_at', 'timestamptz')
      .execute();
    await schema.createIndex('passkeys_user').on('passkeys').column('user_id').execute();
  },
};
