import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Keeps the welcome-back card of a pause when the next pause begins, and stores when people left a space. */
export const welcomeBack: Migration = {
  async up(db: Kysely<unknown>) {
    for (const name of ['unseen_pause_from', 'unseen_pause_until']) {
      await db.schema.alterTable('users').addColumn(name, 'timestamptz').execute();
    }
    await db.schema
      .createTable('space_departures')
      .addColumn('space_id', 'uuid', (column) => column.notNull().references('spaces.id').onDelete('cascade'))
      .addColumn('user_id', 'uuid', (column) => column.notNull().references('users.id').onDelete('cascade'))
      .addColumn('left_at', 'timestamptz', (column) => column.notNull())
      .addPrimaryKeyConstraint('space_departures_key', ['space_id', 'user_id'])
      .execute();
    await db.schema.createIndex('space_departures_user').on('space_departures').column('user_id').execute();
  },
};
