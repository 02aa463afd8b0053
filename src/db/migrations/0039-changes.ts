import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Keeps what edits replaced and which occurrences were missed. Nothing is known about earlier edits and occurrences. */
export const changes: Migration = {
  async up({ schema }: Kysely<unknown>) {
    await schema.alterTable('timeline').addColumn('fields', 'text').execute();
    await schema.alterTable('timeline').addColumn('missed', 'integer').execute();
    await schema
      .createTable('task_changes')
      .addColumn('entry_id', 'uuid', (column) => column.primaryKey())
      .addColumn('task_id', 'uuid', (column) => column.notNull().references('tasks.id').onDelete('cascade'))
      .addColumn('before', 'text', (column) => column.notNull())
      .addColumn('changed_at', 'timestamptz', (column) => column.notNull())
      .execute();
    await schema.createIndex('task_changes_task').on('task_changes').columns(['task_id', 'entry_id']).execute();
    await schema.createIndex('task_changes_age').on('task_changes').column('changed_at').execute();
    await schema.alterTable('outcomes').addColumn('missed', 'integer').execute();
    for (const name of ['missed_from', 'missed_to'])
      await schema.alterTable('outcomes').addColumn(name, 'timestamptz').execute();
  },
};
