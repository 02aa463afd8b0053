import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export const spaces: Migration = {
  async up(db: Kysely<unknown>) {
    const { schema } = db;
    await schema
      .createTable('spaces')
      .addColumn('id', 'uuid', (column) => column.primaryKey())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('creator_id', 'uuid', (column) => column.references('users.id').onDelete('set null'))
      .addColumn('created_at', 'timestamptz', (column) => column.notNull())
      .execute();
    await schema.createIndex('spaces_creator').on('spaces').column('creator_id').execute();

    await schema
      .createTable('space_members')
      .addColumn('space_id', 'uuid', (column) => column.notNull().references('spaces.id').onDelete('cascade'))
      .addColumn('user_id', 'uuid', (column) => column.notNull().references('users.id').onDelete('cascade'))
      .addColumn('role', 'text', (column) => column.notNull())
      .addColumn('joined_at', 'timestamptz', (column) => column.notNull())
      .addColumn('changed_at', 'timestamptz', (column) => column.notNull())
      .addPrimaryKeyConstraint('space_members_key', ['space_id', 'user_id'])
      .execute();
    await schema.createIndex('space_members_user').on('space_members').column('user_id').execute();

    await schema
      .createTable('invites')
      .addColumn('id', 'uuid', (column) => column.primaryKey())
      .addColumn('space_id', 'uuid', (column) => column.notNull().references('spaces.id').onDelete('cascade'))
      .addColumn('inviter_id', 'uuid', (column) => column.notNull().references('users.id').onDelete('cascade'))
      .addColumn('accepted_by', 'uuid', (column) => column.references('users.id').onDelete('set null'))
      .addColumn('contact', 'text')
      .addColumn('token_hash', 'text', (column) => column.notNull().unique())
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('created_at', 'timestamptz', (column) => column.notNull())
      .addColumn('expires_at', 'timestamptz', (column) => column.notNull())
      .execute();
    await schema.createIndex('invites_space').on('invites').column('space_id').execute();
    await schema.createIndex('invites_inviter').on('invites').column('inviter_id').execute();
    await schema.createIndex('invites_accepted_by').on('invites').column('accepted_by').execute();
  },
};
