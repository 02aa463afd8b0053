import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** The limits of an access token, and the token that a task was created with. */
export const agents: Migration = {
  async up(db: Kysely<unknown>) {
    const { schema } = db;
    // SQLite adds one column per statement.
    await schema.alterTable('access_tokens').addColumn('max_stage', 'integer').execute();
    await schema.alterTable('access_tokens').addColumn('max_open_tasks', 'integer').execute();
    // No foreign key: a task outlives the token it was created with.
    await schema.alterTable('tasks').addColumn('created_by_token', 'uuid').execute();
    await schema.alterTable('tasks').addColumn('max_stage', 'integer').execute();
    await sql`create index tasks_created_by_token on tasks (created_by_token)
      where status = 'open' and created_by_token is not null`.execute(db);
  },
};
