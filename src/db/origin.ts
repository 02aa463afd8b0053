/**
 * Whose database this is, by the names of its tables. A wrong address may lead to a database that
 * others live from; none of our tables is put into it, and nothing in it is changed.
 */
import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { type Kysely, sql } from 'kysely';
import { isPostgres } from './engine-of.ts';
import type { Database } from './schema.ts';
import { refuseOtherFiles } from './sqlite-files.ts';
import { COPY_MARKS } from './unfinished-copy.ts';

/** A backup is a database with this table in it, which "crescendo restore" takes out again. */
export const BACKUP_CONTENTS = 'crescendo_backup';

export class ForeignDatabaseError extends Error {
  override readonly name = 'ForeignDatabaseError';
}

/** Throws unless these are tables of ours, or none at all. */
export function refuseForeignTables(names: readonly string[]): void {
  if (names.includes(BACKUP_CONTENTS)) {
    throw new ForeignDatabaseError(
      'DATABASE_URL: this is a backup that was copied into place, with the keys still in it. ' +
        'Move it elsewhere and run "crescendo restore FILE".',
    );
  }
  if (names.includes('kysely_migration')) return;
  const foreign = names.find((name) => !name.startsWith('kysely_') && name !== COPY_MARKS);
  if (foreign !== undefined) throw foreignDatabase(foreign);
}

export const foreignDatabase = (table: string) =>
  new ForeignDatabaseError(
    `DATABASE_URL: this database is somebody else's: it has a table "${table}" and none of ours. ` +
      'Give Crescendo one of its own.',
  );

/** Before the service opens the file, which would change how it is written and who may read it. */
export const refuseForeignFile = (file: string): void => refuseForeignTables(tablesOf(file));

/** Read without leaving a trace; none where there is no file yet. */
export function tablesOf(file: string): string[] {
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) === 0) return [];
  refuseOtherFiles(file);
  const db = new DatabaseSync(addressOf(file), { readOnly: true, timeout: 1_000 });
  try {
    return tablesIn(db);
  } finally {
    db.close();
  }
}

/** Where no log lies beside it, the file alone is the database, and SQLite is told to make no log either. */
function addressOf(file: string): URL {
  const address = pathToFileURL(file);
  if (!statSync(`${file}-wal`, { throwIfNoEntry: false })?.size) address.searchParams.set('immutable', '1');
  return address;
}

export function tablesIn(db: DatabaseSync): string[] {
  return db
    .prepare("select name from sqlite_schema where type = 'table' and name not like 'sqlite!_%' escape '!'")
    .all()
    .map(({ name }) => String(name));
}

/** What an extension of PostgreSQL has brought along belongs to nobody, and other schemas are none of our business. */
export async function listTables(db: Kysely<Database>): Promise<string[]> {
  const query = isPostgres(db)
    ? sql<{ name: string }>`
        select c.relname::text as name from pg_class c
        where c.relnamespace = (select oid from pg_namespace where nspname = current_schema())
          and c.relkind in ('r', 'p')
          and not exists (select 1 from pg_depend d
            where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
        order by 1`
    : sql<{ name: string }>`
        select name from sqlite_schema where type = 'table' and name not like 'sqlite!_%' escape '!' order by 1`;
  return (await query.execute(db)).rows.map(({ name }) => name);
}
