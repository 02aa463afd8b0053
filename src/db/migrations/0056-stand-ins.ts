import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Stand-ins, the tasks that have reached them, and messages that ask a person to be one. Such a message is about no
 * task, so `request_messages` is made anew: SQLite cannot drop a constraint.
 */
export const standIns: Migration = {
  async up(db: Kysely<unknown>) {
    const { schema } = db;
    await schema
      .createTable('stand_ins')
      .addColumn('id', 'uuid', (column) => column.primaryKey())
      .addColumn('owner_id', 'uuid', (column) => column.notNull().references('users.id').onDelete('cascade'))
      .addColumn('person_id', 'uuid', (column) => column.notNull().references('users.id').onDelete('cascade'))
      .addColumn('space_id', 'uuid', (column) => column.notNull().references('spaces.id').onDelete('cascade'))
      .addColumn('task_id', 'uuid', (column) => column.references('tasks.id').onDelete('cascade'))
      .addColumn('label', 'text')
      .addColumn('from_rung', 'integer')
      .addColumn('passes_quiet_hours', 'boolean', (column) => column.notNull().defaultTo(false))
      .addColumn('asked_at', 'timestamptz', (column) => column.notNull())
      .addColumn('agreed_at', 'timestamptz')
      .execute();
    await sql`create unique index stand_ins_scope on stand_ins
      (owner_id, person_id, coalesce(cast(task_id as text), ''), coalesce(label, ''))`.execute(db);
    await schema.createIndex('stand_ins_person').on('stand_ins').column('person_id').execute();
    await schema.createIndex('stand_ins_space').on('stand_ins').column('space_id').execute();
    await schema.createIndex('stand_ins_task').on('stand_ins').column('task_id').execute();
    await schema
      .createTable('stand_in_tasks')
      .addColumn('task_id', 'uuid', (column) => column.notNull().references('tasks.id').onDelete('cascade'))
      .addColumn('person_id', 'uuid', (column) => column.notNull().references('users.id').onDelete('cascade'))
      .addColumn('stand_in_id', 'uuid', (column) => column.notNull().references('stand_ins.id').onDelete('cascade'))
      .addColumn('run', 'integer', (column) => column.notNull())
      .addColumn('occurrence_due_at', 'timestamptz')
      .addColumn('told_at', 'timestamptz', (column) => column.notNull())
      .addColumn('last_told_at', 'timestamptz', (column) => column.notNull())
      .addColumn('seen_at', 'timestamptz')
      .addColumn('snoozed_until', 'timestamptz')
      .addColumn('settled_at', 'timestamptz')
      .addColumn('settled_by', 'uuid')
      .addColumn('settled_how', 'text')
      .addPrimaryKeyConstraint('stand_in_tasks_key', ['task_id', 'person_id'])
      .execute();
    await schema.createIndex('stand_in_tasks_person').on('stand_in_tasks').column('person_id').execute();
    await schema.createIndex('stand_in_tasks_stand_in').on('stand_in_tasks').column('stand_in_id').execute();
    await schema.alterTable('timeline').addColumn('person_id', 'uuid').execute();
    await remakeRequestMessages(db);
  },
};

async function remakeRequestMessages(db: Kysely<unknown>): Promise<void> {
  const { schema } = db;
  await schema.alterTable('request_messages').renameTo('request_messages_before').execute();
  await schema
    .createTable('request_messages')
    .addColumn('id', 'uuid', (column) => column.notNull())
    .addColumn('task_id', 'uuid', (column) => column.references('tasks.id').onDelete('cascade'))
    .addColumn('stand_in_id', 'uuid', (column) => column.references('stand_ins.id').onDelete('set null'))
    .addColumn('recipient_id', 'uuid', (column) => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('other_id', 'uuid', (column) => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('repeat', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('due_at', 'timestamptz')
    .addColumn('sent_at', 'timestamptz')
    .addColumn('settled_at', 'timestamptz')
    .addColumn('created_at', 'timestamptz', (column) => column.notNull())
    .addPrimaryKeyConstraint('request_messages_key', ['id'])
    .execute();
  await sql`
    insert into request_messages (id, task_id, recipient_id, other_id, kind, repeat, due_at, sent_at, settled_at, created_at)
    select id, task_id, recipient_id, other_id, kind, repeat, due_at, sent_at, settled_at, created_at
    from request_messages_before`.execute(db);
  await schema.dropTable('request_messages_before').execute();
  await sql`create index request_messages_due on request_messages (due_at) where due_at is not null`.execute(db);
  const indexes = [
    ['request_messages_task', ['task_id', 'kind']],
    ['request_messages_stand_in', ['stand_in_id']],
    ['request_messages_sent', ['recipient_id', 'sent_at']],
    ['request_messages_other', ['other_id']],
    ['request_messages_age', ['created_at']],
  ] as const;
  for (const [name, columns] of indexes)
    await schema
      .createIndex(name)
      .on('request_messages')
      .columns([...columns])
      .execute();
}
