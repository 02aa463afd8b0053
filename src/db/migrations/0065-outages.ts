import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Times in which no engine was alive, whom that concerned, and which of their nudges were late. */
export const outages: Migration = {
  async up(db: Kysely<unknown>) {
    const { schema } = db;
    await schema
      .createTable('outages')
      .addColumn('id', 'uuid', (column) => column.primaryKey())
      .addColumn('started_at', 'timestamptz', (column) => column.notNull())
      .addColumn('ended_at', 'timestamptz', (column) => column.notNull())
      .addColumn('real_started_at', 'timestamptz', (column) => column.notNull())
      .addColumn('real_ended_at', 'timestamptz', (column) => column.notNull())
      .addColumn('people', 'integer', (column) => column.notNull())
      .addColumn('nudges', 'integer', (column) => column.notNull())
      .execute();
    await schema
      .createTable('outage_people')
      .addColumn('user_id', 'uuid', (column) => column.notNull().references('users.id').onDelete('cascade'))
      .addColumn('outage_id', 'uuid', (column) => column.notNull().references('outages.id').onDelete('cascade'))
      .addColumn('nudges', 'integer', (column) => column.notNull())
      .addColumn('dismissed_at', 'timestamptz')
      .addPrimaryKeyConstraint('outage_people_key', ['user_id', 'outage_id'])
      .execute();
    await schema.createIndex('outage_people_outage').on('outage_people').column('outage_id').execute();
    await schema
      .createTable('outage_nudges')
      .addColumn('user_id', 'uuid', (column) => column.notNull())
      .addColumn('outage_id', 'uuid', (column) => column.notNull())
      .addColumn('task_id', 'uuid', (column) => column.notNull().references('tasks.id').onDelete('cascade'))
      .addColumn('planned_at', 'timestamptz', (column) => column.notNull())
      .addPrimaryKeyConstraint('outage_nudges_key', ['user_id', 'outage_id', 'task_id'])
      .addForeignKeyConstraint(
        'outage_nudges_person',
        ['user_id', 'outage_id'],
        'outage_people',
        ['user_id', 'outage_id'],
        (constraint) => constraint.onDelete('cascade'),
      )
      .execute();
    await schema.createIndex('outage_nudges_task').on('outage_nudges').column('task_id').execute();
  },
};
