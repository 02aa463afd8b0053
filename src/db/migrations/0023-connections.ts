import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Connections: access tokens that an assistant got by sign-in, the codes they begin with, and their secrets. */
export const connections: Migration = {
  async up({ schema }: Kysely<unknown>) {
    for (const column of ['client_id', 'client_host'])
      await schema.alterTable('access_tokens').addColumn(column, 'text').execute();

    await schema
      .createTable('connection_codes')
      .addColumn('code_hash', 'text', (column) => column.primaryKey())
      .addColumn('user_id', 'uuid', (column) => column.notNull().references('users.id').onDelete('cascade'))
      .addColumn('client_id', 'text', (column) => column.notNull())
      .addColumn('client_name', 'text', (column) => column.notNull())
      .addColumn('client_host', 'text')
      .addColumn('redirect_uri', 'text', (column) => column.notNull())
      .addColumn('challenge', 'text', (column) => column.notNull())
      .addColumn('rails', 'jsonb', (column) => column.notNull())
      .addColumn('expires_at', 'timestamptz', (column) => column.notNull())
      .addColumn('token_id', 'uuid')
      .execute();
    await schema.createIndex('connection_codes_user').on('connection_codes').column('user_id').execute();
    await schema.createIndex('connection_codes_expiry').on('connection_codes').column('expires_at').execute();

    await schema
      .createTable('connection_secrets')
      .addColumn('secret_hash', 'text', (column) => column.primaryKey())
      .addColumn('token_id', 'uuid', (column) => column.notNull().references('access_tokens.id').onDelete('cascade'))
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('expires_at', 'timestamptz', (column) => column.notNull())
      .addColumn('used_at', 'timestamptz')
      .addColumn('successors', 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
    await schema.createIndex('connection_secrets_token').on('connection_secrets').column('token_id').execute();
    await schema.createIndex('connection_secrets_expiry').on('connection_secrets').column('expires_at').execute();
  },
};
