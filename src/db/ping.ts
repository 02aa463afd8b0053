/** Checks that the database answers and can be written to. */
import { sql } from 'kysely';
import type { DirectDatabase } from './direct-executor.ts';
import { unavailable } from './faults.ts';
import { type Database, type Db, isPostgres } from './schema.ts';
import { DatabaseFileFault } from './sqlite/file-guard.ts';
import { transact } from './transact.ts';

/** Rejects with `database_unavailable`. Writes only if the last write failed: nothing else shows that writing works again. */
export async function pingDatabase(db: DirectDatabase<Database>): Promise<void> {
  await (isPostgres(db) ? pingPostgres(db) : pingSqlite(db));
  if (db.hasFailedToWrite) await transact(db, (trx) => trx.updateTable('releases').set(UNCHANGED).execute());
}

const UNCHANGED = { version: sql<string>`version` };

async function pingPostgres(db: Db): Promise<void> {
  const { rows } = await sql<{ is_standby: boolean }>`select pg_is_in_recovery() as is_standby`.execute(db);
  if (rows[0]?.is_standby) throw unavailable(new Error('The PostgreSQL server is a standby and accepts no writes.'));
}

async function pingSqlite(db: Db): Promise<void> {
  const { rows } = await sql<{ fault: string | null }>`select crescendo_file_fault() as fault`.execute(db);
  const fault = rows[0]?.fault ?? null;
  if (fault !== null) throw unavailable(new DatabaseFileFault(fault));
}
