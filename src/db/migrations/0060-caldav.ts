import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** What apps that sync by CalDAV sent of their tasks, under the names that they chose, and what people chose for them. */
export const caldav: Migration = {
  async up({ schema }: Kysely<unknown>) {
    await schema
      .createTable('caldav_entries')
      .addColumn('task_id', 'uuid', (column) => column.primaryKey().references('tasks.id').onDelete('cascade'))
      .addColumn('user_id', 'uuid', (column) => column.notNull().references('users.id').onDelete('cascade'))
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('uid', 'text', (column) => column.notNull())
      .addColumn('kept', 'text')
      .addColumn('kept_hash', 'text')
      .addColumn('is_deleted', 'boolean', (column) => column.notNull().defaultTo(false))
      .execute();
    for (const column of ['name', 'uid'])
      await schema
        .createIndex(`caldav_entries_${column}`)
        .on('caldav_entries')
        .columns(['user_id', column])
        .unique()
        .execute();
    await schema
      .createTable('caldav_settings')
      .addColumn('user_id', 'uuid', (column) => column.primaryKey().references('users.id').onDelete('cascade'))
      .addColumn('high_is_must_not_miss', 'boolean', (column) => column.notNull())
      .addColumn('alarm_minutes', 'integer')
      .execute();
  },
};
