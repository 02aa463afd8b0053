/**
 * A database that is being copied into PostgreSQL carries a table of marks until the last row is
 * there and compared. A service on half of the data would lose reminders without anybody noticing,
 * so whoever finds the table refuses to start.
 */
import { type Kysely, sql } from 'kysely';
import { isPostgres } from './engine-of.ts';
import type { Database } from './schema.ts';

/** Made and dropped by `crescendo move-to-postgres` alone, so no migration knows it. */
export const COPY_MARKS = 'crescendo_copy';

export class UnfinishedCopyError extends Error {
  override readonly name = 'UnfinishedCopyError';
}

export async function refuseUnfinishedCopy(db: Kysely<Database>): Promise<void> {
  if (!isPostgres(db) || !(await hasCopyMarks(db))) return;
  throw new UnfinishedCopyError(
    'DATABASE_URL: this PostgreSQL holds a copy that is not finished: run "crescendo move-to-postgres" once more.',
  );
}

export async function hasCopyMarks(db: Kysely<Database>): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`select to_regclass(${COPY_MARKS}) is not null as found`.execute(db);
  return rows[0]?.found ?? false;
}
