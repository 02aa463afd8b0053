import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Channels: where a person is nudged beside their devices, in tiers, and the outbox's references of sent messages. */
export const channels: Migration = {
  async up(db: Kysely<unknown>) {
    const { schema } = db;
    await createChannels(db);
    await schema
      .createTable('channel_codes')
      .addColumn('channel_id', 'uuid', (column) => column.primaryKey().references('channels.id').onDelete('cascade'))
      .addColumn('code_hash', 'text', (column) => column.notNull())
      .addColumn('tries', 'integer', (column) => column.notNull())
      .addColumn('expires_at', 'timestamptz', (column) => column.notNull())
      .execute();
    await schema.createIndex('channel_codes_hash').on('channel_codes').column('code_hash').execute();
    await schema
      .createTable('channel_turns')
      .addColumn('provider', 'text', (column) => column.primaryKey())
      .addColumn('holder', 'uuid', (column) => column.notNull())
      .addColumn('until', 'timestamptz', (column) => column.notNull())
      .addColumn('cursor', 'text')
      .execute();

    await schema.alterTable('deliveries').addColumn('ref', 'text').execute();
    await schema
      .alterTable('deliveries')
      .addColumn('tier', 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
    await schema.alterTable('deliveries').addColumn('confirmed_at', 'timestamptz').execute();
    // Only channels have a reference, so the indexes cost a push to a device nothing.
    await sql`create index deliveries_ref on deliveries (ref) where ref is not null`.execute(db);
    await sql`create index deliveries_shown on deliveries (task_id) where ref is not null`.execute(db);

    await schema.alterTable('timeline').addColumn('via', 'text').execute();
    await schema.alterTable('timeline').addColumn('since', 'timestamptz').execute();
    await schema
      .alterTable('users')
      .addColumn('fallback_minutes', 'integer', (column) => column.notNull().defaultTo(3))
      .execute();
  },
};

async function createChannels({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('channels')
    .addColumn('id', 'uuid', (column) => column.primaryKey())
    .addColumn('user_id', 'uuid', (column) => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('provider', 'text', (column) => column.notNull())
    .addColumn('name', 'text')
    .addColumn('address', 'text')
    .addColumn('address_hash', 'text', (column) => column.notNull())
    .addColumn('label', 'text', (column) => column.notNull())
    .addColumn('stages', 'integer', (column) => column.notNull())
    .addColumn('tier', 'integer', (column) => column.notNull())
    .addColumn('private_title', 'boolean', (column) => column.notNull())
    .addColumn('automatic', 'boolean', (column) => column.notNull())
    .addColumn('verified_at', 'timestamptz')
    .addColumn('valid', 'boolean', (column) => column.notNull())
    .addColumn('invalid_reason', 'text')
    .addColumn('refusals', 'integer', (column) => column.notNull())
    .addColumn('last_error', 'text')
    .addColumn('registered_at', 'timestamptz', (column) => column.notNull())
    .addColumn('created_at', 'timestamptz', (column) => column.notNull())
    .addUniqueConstraint('channels_address', ['user_id', 'address_hash'])
    .execute();
}
