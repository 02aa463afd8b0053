/**
 * Refuses databases that the service must not use, before anything in them is changed: another
 * application's (a mistyped address may lead to one), a backup that was copied into place, and one that was moved
 * away. The names of the tables tell them apart.
 */
import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { sql } from 'kysely';
import { type Db, isPostgres } from './schema.ts';
import { refuseForeignFormat } from './sqlite/sqlite-files.ts';

/** A backup is a database with this table added; "crescendo restore" removes it. */
export const BACKUP_TABLE = 'crescendo_backup';

/** A database with this table was copied into PostgreSQL, which is served since. "crescendo undo-move" removes it. */
export const MOVED_TABLE = 'crescendo_moved';

export class ForeignDatabaseError extends Error {
  override readonly name = 'ForeignDatabaseError';
}

export const refuseUnusable = async (db: Db): Promise<void> => refuseForeignTables(await listTables(db));

/** Throws unless these are Crescendo's tables, or none at all. */
export function refuseForeignTables(names: readonly string[]): void {
  if (names.includes(BACKUP_TABLE)) {
    throw new ForeignDatabaseError(
      'DATABASE_URL: this is a backup that was copied into place, with the keys still in it. ' +
        'Move it elsewhere and run "crescendo restore FILE".',
    );
  }
  if (names.includes(MOVED_TABLE)) {
    throw new ForeignDatabaseError(
      'DATABASE_URL: this database was moved to PostgreSQL, and a second service on it would send every nudge twice. ' +
        'Set DATABASE_URL to the PostgreSQL database. To go back to this one and what it then held, stop the service ' +
        'on PostgreSQL and run "crescendo undo-move".',
    );
  }
  if (names.includes('kysely_migration')) return;
  const foreign = names.find((name) => !name.startsWith('kysely_'));
  if (foreign !== undefined) throw foreignDatabaseError(foreign);
}

export const foreignDatabaseError = (table: string) =>
  new ForeignDatabaseError(
    `DATABASE_URL: this database belongs to another application: it has a table "${table}" and none of Crescendo's. ` +
      'Give Crescendo a database of its own.',
  );

/** Called before the service opens the file, because opening it changes its journal mode and its permissions. */
export const refuseForeignFile = (file: string): void => refuseForeignTables(listTablesInFile(file));

/** Reads the file without changing anything on disk. Empty if there is no file yet. */
export function listTablesInFile(file: string): string[] {
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) === 0) return [];
  refuseForeignFormat(file);
  const db = new DatabaseSync(readOnlyAddress(file), { readOnly: true, timeout: 1_000 });
  try {
    return listSqliteTables(db);
  } finally {
    db.close();
  }
}

/** Without a write-ahead log the file alone is the database; `immutable` keeps SQLite from creating a log. */
function readOnlyAddress(file: string): URL {
  const address = pathToFileURL(file);
  if (!statSync(`${file}-wal`, { throwIfNoEntry: false })?.size) address.searchParams.set('immutable', '1');
  return address;
}

export function listSqliteTables(db: DatabaseSync): string[] {
  return db
    .prepare("select name from sqlite_schema where type = 'table' and name not like 'sqlite!_%' escape '!'")
    .all()
    .map(({ name }) => String(name));
}

/** On PostgreSQL: the tables of the current schema, without the tables of extensions. */
export async function listTables(db: Db): Promise<string[]> {
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
