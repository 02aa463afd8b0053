import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Messages about requests, and the switch that turns them off. Requests from before get none: nobody can tell how long
 * their owners have known of them.
 */
export const requestMessages: Migration = {
  async up(db: Kysely<unknown>) {
    const { schema } = db;
    await schema
      .alterTable('users')
      .addColumn('hears_requests', 'boolean', (column) => column.notNull().defaultTo(true))
      .execute();
    await schema
      .createTable('request_messages')
      .addColumn('id', 'uuid', (column) => column.primaryKey())
      .addColumn('task_id', 'uuid', (column) => column.notNull().references('tasks.id').onDelete('cascade'))
      .addColumn('recipient_id', 'uuid', (column) => column.notNull().references('users.id').onDelete('cascade'))
      .addColumn('other_id', 'uuid', (column) => column.notNull().references('users.id').onDelete('cascade'))
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('repeat', 'integer', (column) => column.notNull().defaultTo(0))
      .addColumn('due_at', 'timestamptz')
      .addColumn('sent_at', 'timestamptz')
      .addColumn('settled_at', 'timestamptz')
      .addColumn('created_at', 'timestamptz', (column) => column.notNull())
      .execute();
    await sql`create index request_messages_due on request_messages (due_at) where due_at is not null`.execute(db);
    await schema.createIndex('request_messages_task').on('request_messages').columns(['task_id', 'kind']).execute();
    await schema
      .createIndex('request_messages_sent')
      .on('request_messages')
      .columns(['recipient_id', 'sent_at'])
      .execute();
    await schema.createIndex('request_messages_other').on('request_messages').column('other_id').execute();
    await schema.createIndex('request_messages_age').on('request_messages').column('created_at').execute();
  },
};
