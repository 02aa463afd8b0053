import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** What an administrator decides for the whole installation, and the addresses that administrators have invited. */
export const admin: Migration = {
  async up({ schema }: Kysely<unknown>) {
    await schema
      .createTable('installation')
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('value', 'text', (column) => column.notNull())
      .addColumn('changed_at', 'timestamptz', (column) => column.notNull())
      .execute();
    await schema
      .createTable('admitted_addresses')
      .addColumn('id', 'uuid', (column) => column.primaryKey())
      .addColumn('email', 'text', (column) => column.notNull().unique())
      .addColumn('admitted_by', 'uuid', (column) => column.references('users.id').onDelete('set null'))
      .addColumn('created_at', 'timestamptz', (column) => column.notNull())
      .addColumn('expires_at', 'timestamptz', (column) => column.notNull())
      .execute();
    // The deletion of an account looks for the addresses that it admitted.
    await schema.createIndex('admitted_addresses_admitted_by').on('admitted_addresses').column('admitted_by').execute();
  },
};
