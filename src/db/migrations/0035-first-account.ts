import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * From now on nobody becomes an administrator by being first. Where the oldest account of a private service already is
 * one, it stays one.
 */
export const firstAccount: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .alterTable('users')
      .addColumn('first_account', 'boolean', (column) => column.notNull().defaultTo(false))
      .execute();
    await sql`update users set first_account = true
      where id = (select id from users where deleted_at is null order by id limit 1)`.execute(db);
  },
};
