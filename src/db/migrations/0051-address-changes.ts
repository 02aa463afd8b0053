import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Changes of sign-in addresses that the former address can still undo. */
export const addressChanges: Migration = {
  async up({ schema }: Kysely<unknown>) {
    await schema
      .createTable('address_changes')
      .addColumn('id', 'uuid', (column) => column.primaryKey())
      .addColumn('user_id', 'uuid', (column) => column.notNull().references('users.id').onDelete('cascade'))
      .addColumn('old_email', 'text', (column) => column.notNull())
      .addColumn('new_email', 'text', (column) => column.notNull())
      .addColumn('changed_at', 'timestamptz', (column) => column.notNull())
      .addColumn('expires_at', 'timestamptz', (column) => column.notNull())
      .addColumn('mail_due_at', 'timestamptz')
      .execute();
    await schema.createIndex('address_changes_user').on('address_changes').column('user_id').execute();
    // Every request for a sign-in code asks whether its address is kept.
    await schema.createIndex('address_changes_old').on('address_changes').column('old_email').execute();
  },
};
