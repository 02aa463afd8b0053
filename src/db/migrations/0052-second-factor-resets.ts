import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Second factors that an administrator has asked to turn off, until the delay is over. */
export const secondFactorResets: Migration = {
  async up({ schema }: Kysely<unknown>) {
    await schema
      .createTable('second_factor_resets')
      .addColumn('id', 'uuid', (column) => column.primaryKey())
      .addColumn('user_id', 'uuid', (column) => column.notNull().unique().references('users.id').onDelete('cascade'))
      // What an administrator asked for ends with the account of the administrator.
      .addColumn('requested_by', 'uuid', (column) => column.notNull().references('users.id').onDelete('cascade'))
      .addColumn('requested_at', 'timestamptz', (column) => column.notNull())
      .addColumn('told_at', 'timestamptz')
      .addColumn('due_at', 'timestamptz', (column) => column.notNull())
      .addColumn('mail_due_at', 'timestamptz')
      .execute();
    await schema.createIndex('second_factor_resets_by').on('second_factor_resets').column('requested_by').execute();
  },
};
