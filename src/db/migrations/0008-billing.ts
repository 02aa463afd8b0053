import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

export const billing: Migration = {
  async up(db: Kysely<unknown>) {
    const { schema } = db;
    await schema
      .createTable('billing_events')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('type', 'text', (column) => column.notNull())
      .addColumn('environment', 'text')
      .addColumn('app_user_id', 'text')
      .addColumn('event_at', 'timestamptz', (column) => column.notNull())
      .addColumn('received_at', 'timestamptz', (column) => column.notNull())
      .addColumn('group_id', 'uuid')
      .addColumn('user_id', 'uuid', (column) => column.references('users.id').onDelete('cascade'))
      .addColumn('payload', 'text', (column) => column.notNull())
      .execute();
    await schema.createIndex('billing_events_group').on('billing_events').column('group_id').execute();
    await schema.createIndex('billing_events_user').on('billing_events').column('user_id').execute();
    await sql`create index billing_events_unknown on billing_events (received_at) where user_id is null`.execute(db);

    await schema
      .createTable('billing_names')
      .addColumn('app_user_id', 'text', (column) => column.primaryKey())
      .addColumn('group_id', 'uuid', (column) => column.notNull())
      .execute();
    await schema.createIndex('billing_names_group').on('billing_names').column('group_id').execute();
  },
};
