import { sql } from 'kysely';
import { type Db, isPostgres } from './schema.ts';

/** On SQLite: deleted content leaves the write-ahead log. PostgreSQL removes its own log by its own rules. */
export async function emptyLog(db: Db): Promise<void> {
  if (!isPostgres(db)) await sql`select crescendo_empty_log()`.execute(db);
}
