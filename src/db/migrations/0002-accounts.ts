import type { CreateTableBuilder, Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Rows of an account are deleted with it. */
const ownedByUser = <T extends string, C extends string>(table: CreateTableBuilder<T, C>) =>
  table.addColumn('user_id', 'uuid', (column) => column.notNull().references('users.id').onDelete('cascade'));

export const accounts: Migration = {
  async up(db: Kysely<unknown>) {
    const { schema } = db;
    await schema
      .createTable('users')
      .addColumn('id', 'uuid', (column) => column.primaryKey())
      .addColumn('email', 'text', (column) => column.unique())
      .addColumn('display_name', 'text')
      .addColumn('timezone', 'text', (column) => column.notNull().defaultTo('UTC'))
      .addColumn('quiet_hours_start', 'text')
      .addColumn('quiet_hours_end', 'text')
      .addColumn('day_start', 'text', (column) => column.notNull().defaultTo('09:00'))
      .addColumn('pause_from', 'timestamptz')
      .addColumn('pause_until', 'timestamptz')
      .addColumn('pause_held', 'integer', (column) => column.notNull().defaultTo(0))
      .addColumn('keep_must_not_miss', 'boolean', (column) => column.notNull())
      .addColumn('totp_secret', 'text')
      .addColumn('mfa_enabled_at', 'timestamptz')
      .addColumn('plan', 'text', (column) => column.notNull().defaultTo('free'))
      .addColumn('plan_expires_at', 'timestamptz')
      .addColumn('created_at', 'timestamptz', (column) => column.notNull())
      .addColumn('updated_at', 'timestamptz', (column) => column.notNull())
      .execute();

    await ownedByUser(schema.createTable('identities').addColumn('id', 'uuid', (column) => column.primaryKey()))
      .addColumn('issuer', 'text', (column) => column.notNull())
      .addColumn('subject', 'text', (column) => column.notNull())
      .addColumn('client_id', 'text', (column) => column.notNull())
      .addColumn('refresh_token', 'text')
      .addColumn('created_at', 'timestamptz', (column) => column.notNull())
      .addUniqueConstraint('identities_issuer_subject', ['issuer', 'subject'])
      .execute();
    await schema.createIndex('identities_user').on('identities').column('user_id').execute();

    await ownedByUser(schema.createTable('sessions').addColumn('id', 'uuid', (column) => column.primaryKey()))
      .addColumn('token_hash', 'text', (column) => column.notNull().unique())
      .addColumn('created_at', 'timestamptz', (column) => column.notNull())
      .addColumn('expires_at', 'timestamptz', (column) => column.notNull())
      .execute();
    await schema.createIndex('sessions_user').on('sessions').column('user_id').execute();
    await schema.createIndex('sessions_expiry').on('sessions').column('expires_at').execute();

    await ownedByUser(schema.createTable('access_tokens').addColumn('id', 'uuid', (column) => column.primaryKey()))
      .addColumn('name', 'text')
      .addColumn('token_hash', 'text', (column) => column.notNull().unique())
      .addColumn('prefix', 'text', (column) => column.notNull())
      .addColumn('scopes', 'jsonb', (column) => column.notNull())
      .addColumn('created_at', 'timestamptz', (column) => column.notNull())
      .addColumn('last_used_at', 'timestamptz')
      .addColumn('expires_at', 'timestamptz')
      .execute();
    await schema.createIndex('access_tokens_user').on('access_tokens').column('user_id').execute();

    await schema
      .createTable('email_codes')
      .addColumn('email', 'text', (column) => column.primaryKey())
      .addColumn('code_hash', 'text', (column) => column.notNull())
      .addColumn('tries', 'integer', (column) => column.notNull())
      .addColumn('expires_at', 'timestamptz', (column) => column.notNull())
      .execute();
    await schema.createIndex('email_codes_expiry').on('email_codes').column('expires_at').execute();

    await ownedByUser(
      schema.createTable('mfa_challenges').addColumn('token_hash', 'text', (column) => column.primaryKey()),
    )
      .addColumn('mode', 'text', (column) => column.notNull())
      .addColumn('tries', 'integer', (column) => column.notNull())
      .addColumn('expires_at', 'timestamptz', (column) => column.notNull())
      .execute();
    await schema.createIndex('mfa_challenges_user').on('mfa_challenges').column('user_id').execute();
    await schema.createIndex('mfa_challenges_expiry').on('mfa_challenges').column('expires_at').execute();

    await ownedByUser(schema.createTable('totp_steps'))
      .addColumn('purpose', 'text', (column) => column.notNull())
      .addColumn('last_step', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('totp_steps_key', ['user_id', 'purpose'])
      .execute();

    await ownedByUser(schema.createTable('recovery_codes'))
      .addColumn('code_hash', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('recovery_codes_key', ['user_id', 'code_hash'])
      .execute();

    await schema
      .createTable('throttles')
      .addColumn('key', 'text', (column) => column.primaryKey())
      .addColumn('count', 'integer', (column) => column.notNull())
      .addColumn('resets_at', 'timestamptz', (column) => column.notNull())
      .execute();
    await schema.createIndex('throttles_reset').on('throttles').column('resets_at').execute();

    await schema
      .createTable('provider_revocations')
      .addColumn('id', 'uuid', (column) => column.primaryKey())
      .addColumn('client_id', 'text', (column) => column.notNull())
      .addColumn('refresh_token', 'text', (column) => column.notNull())
      .addColumn('attempts', 'integer', (column) => column.notNull())
      .addColumn('next_attempt_at', 'timestamptz', (column) => column.notNull())
      .execute();
    await schema.createIndex('provider_revocations_due').on('provider_revocations').column('next_attempt_at').execute();
  },
};
