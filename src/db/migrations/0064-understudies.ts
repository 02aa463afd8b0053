import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Messages that a provider outside of this machine holds, to be sounded if the service is silent, and when it was away.
 * What a provider holds outlives the account and the channel until it is taken back, so it refers to neither.
 */
export const understudies: Migration = {
  async up(db: Kysely<unknown>) {
    const { schema } = db;
    await schema
      .createTable('understudies')
      .addColumn('id', 'uuid', (column) => column.primaryKey())
      .addColumn('user_id', 'uuid', (column) => column.notNull())
      .addColumn('channel_id', 'uuid', (column) => column.notNull())
      .addColumn('slot', 'text', (column) => column.notNull())
      .addColumn('provider', 'text', (column) => column.notNull())
      .addColumn('server', 'text')
      .addColumn('address', 'text', (column) => column.notNull())
      .addColumn('sounds_at', 'timestamptz')
      .addColumn('content', 'text', (column) => column.notNull())
      .addColumn('stage', 'integer', (column) => column.notNull())
      .addColumn('version', 'integer', (column) => column.notNull())
      .addColumn('stored_version', 'integer', (column) => column.notNull().defaultTo(0))
      .addColumn('held_until', 'timestamptz')
      .addColumn('ref', 'text', (column) => column.notNull())
      .addColumn('moved_at', 'timestamptz')
      .addColumn('attempts', 'integer', (column) => column.notNull().defaultTo(0))
      .addColumn('next_attempt_at', 'timestamptz', (column) => column.notNull())
      .addColumn('error', 'text')
      .execute();
    await schema
      .createIndex('understudies_slot')
      .on('understudies')
      .columns(['user_id', 'channel_id', 'slot'])
      .unique()
      .execute();
    await sql`create index understudies_due on understudies (next_attempt_at) where version > stored_version`.execute(
      db,
    );
    // Of providers that are one server: those whose messages cost money are among them, and are counted.
    await sql`create index understudies_of_provider on understudies (provider) where server is null`.execute(db);
    await schema
      .createTable('understudy_people')
      .addColumn('user_id', 'uuid', (column) => column.primaryKey())
      .addColumn('first_at', 'timestamptz')
      .addColumn('check_at', 'timestamptz', (column) => column.notNull())
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('channel_id', 'uuid')
      .addColumn('horizon_seconds', 'integer')
      .execute();
    await schema.createIndex('understudy_people_check').on('understudy_people').column('check_at').execute();
    await sql`create index tasks_next_of_owner on tasks (owner_id, next_fire_at) where next_fire_at is not null`.execute(
      db,
    );
  },
};
