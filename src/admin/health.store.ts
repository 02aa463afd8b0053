import { sql } from 'kysely';
import { type Db, isPostgres } from '../db/schema.ts';

export async function findDatabaseSize(db: Db): Promise<number> {
  const size = isPostgres(db)
    ? sql<{ bytes: number | string }>`select pg_database_size(current_database()) as bytes`
    : sql<{ bytes: number }>`
        select page_count * page_size as bytes from pragma_page_count(), pragma_page_size()`;
  return Number((await size.execute(db)).rows[0]?.bytes ?? 0);
}

/** The releases that have run on this database, newest first. */
export async function listReleases(db: Db, limit: number) {
  return db.selectFrom('releases').selectAll().orderBy('first_started_at', 'desc').limit(limit).execute();
}
