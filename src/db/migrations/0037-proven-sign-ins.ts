import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { isPostgres } from '../schema.ts';

/** A session that exists was proven when it began. The default is long ago, so that a row without a proof has none. */
export const provenSignIns: Migration = {
  async up(db: Kysely<unknown>) {
    const never = sql.raw(isPostgres(db) ? `'epoch'` : '0');
    await db.schema
      .alterTable('sessions')
      .addColumn('proven_at', 'timestamptz', (column) => column.notNull().defaultTo(never))
      .execute();
    await sql`update sessions set proven_at = created_at`.execute(db);
  },
};
