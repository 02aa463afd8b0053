import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** The colours that people chose for their labels; until now each browser kept its own. */
export const labelColours: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('label_colours')
      .addColumn('user_id', 'uuid', (column) => column.notNull().references('users.id').onDelete('cascade'))
      .addColumn('label', 'text', (column) => column.notNull())
      .addColumn('colour', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('label_colours_pkey', ['user_id', 'label'])
      .execute();
  },
};
