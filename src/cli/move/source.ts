/**
 * The SQLite database that a move reads: one snapshot, opened read-only, and marked at the end. The lock keeps every other
 * process from opening the database to change it.
 */
import { existsSync } from 'node:fs';
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite';
import { migrations } from '../../db/migrations/index.ts';
import { canonicalPath, FileInUseError, lockFile } from '../../db/sqlite/sqlite-files.ts';
import { listSqliteTables, MOVED_TABLE, refuseForeignTables } from '../../db/unusable-database.ts';
import { CommandError } from '../command.ts';
import { findDamage, refuseNewerRelease } from '../sqlite-checks.ts';
import { rowFromSqlite, type Table, UnmovableValue } from './canonical-row.ts';
import { isOfDatabase } from './target.ts';

/** The values of a row's primary key. */
type Key = readonly SQLOutputValue[];

export interface Row {
  readonly key: Key;
  readonly canonical: string;
}

export class Source {
  readonly #db: DatabaseSync;
  readonly #lock: DatabaseSync;
  readonly #file: string;
  /** Each table after the tables it references. */
  readonly tables: readonly Table[];

  private constructor(file: string, db: DatabaseSync, lock: DatabaseSync) {
    this.#file = file;
    this.#db = db;
    this.#lock = lock;
    this.tables = listTables(db);
  }

  static open(path: string, version: string): Source {
    const file = canonicalPath(path);
    if (!existsSync(file)) throw new CommandError(`There is no database at ${file}.`);
    const lock = lockAgainstService(file);
    const db = new DatabaseSync(file, { readOnly: true, open: false });
    try {
      db.open();
      db.exec('begin');
      refuseUnready(db, version);
      return new Source(file, db, lock);
    } catch (error) {
      if (db.isOpen) db.close();
      lock.close();
      throw error;
    }
  }

  close(): void {
    this.#db.close();
    this.#lock.close();
  }

  /** From now on no service serves the file. */
  markMoved(): void {
    this.#db.exec('commit');
    const writer = new DatabaseSync(this.#file);
    writer.exec(`pragma synchronous = full; create table ${MOVED_TABLE} (id integer primary key)`);
    writer.close();
  }

  countRows({ name }: Table): number {
    return Number(this.#db.prepare(`select count(*) as count from "${name}"`).get()?.count);
  }

  /** In key order. */
  *rows(table: Table): Generator<Row> {
    const { name, columns, key } = table;
    const keys = key.map((column) => `"${column.name}"`).join(', ');
    const names = columns.map((column) => `"${column.name}"`).join(', ');
    const statement = this.#db.prepare(`select ${names} from "${name}" order by ${keys}`);
    statement.setReturnArrays(true);
    const keyIndexes = key.map((column) => columns.indexOf(column));
    for (const row of statement.iterate() as Iterable<unknown> as Iterable<SQLOutputValue[]>) {
      const keyValues = keyIndexes.map((index) => row[index] ?? null);
      yield { key: keyValues, canonical: toCanonical(table, row, keyValues) };
    }
  }
}

function toCanonical({ name, columns }: Table, row: readonly SQLOutputValue[], key: Key): string {
  try {
    return rowFromSqlite(columns, row);
  } catch (error) {
    if (!(error instanceof UnmovableValue)) throw error;
    throw new CommandError(
      `${name}, row ${key.map((part) => JSON.stringify(String(part))).join(', ')}: ${error.message}.`,
    );
  }
}

export function lockAgainstService(file: string): DatabaseSync {
  try {
    return lockFile(file);
  } catch (error) {
    if (!(error instanceof FileInUseError)) throw error;
    throw new CommandError(`Another process has ${file} open. Stop the service first.`);
  }
}

function refuseUnready(db: DatabaseSync, version: string): void {
  const damage = findDamage(db);
  if (damage !== undefined) throw new CommandError(`The SQLite database is damaged: ${damage}.`);
  const tables = listSqliteTables(db);
  refuseForeignTables(tables);
  if (!tables.includes('kysely_migration')) throw new CommandError('The SQLite database is not a Crescendo database.');
  const applied = refuseNewerRelease(db, version);
  if (applied.length < Object.keys(migrations).length)
    throw new CommandError('The SQLite database was last used by an older release. Run "crescendo migrate" first.');
}

function listTables(db: DatabaseSync): Table[] {
  const names = listSqliteTables(db).filter((name) => !isOfDatabase(name));
  const referencesOf = (name: string) =>
    db
      .prepare(`select distinct "table" as parent from pragma_foreign_key_list(?)`)
      .all(name)
      .map(({ parent }) => String(parent));
  const references = new Map(names.map((name) => [name, referencesOf(name)]));
  return orderByReferences(references).map((name) => describe(db, name));
}

/** Each table after the tables it references, so that no row arrives before the row it needs. */
export function orderByReferences(references: ReadonlyMap<string, readonly string[]>): string[] {
  const ordered = new Set<string>();
  while (ordered.size < references.size) {
    const ready = [...references].filter(
      ([name, parents]) => !ordered.has(name) && parents.every((parent) => ordered.has(parent)),
    );
    if (ready.length === 0) throw new Error('Some tables reference each other in a cycle: they have no copy order.');
    for (const [name] of ready) ordered.add(name);
  }
  return [...ordered];
}

function describe(db: DatabaseSync, name: string): Table {
  const found = db.prepare('select name, type, pk from pragma_table_info(?)').all(name);
  const columns = found.map((row) => ({
    name: String(row.name),
    type: String(row.type).toLowerCase(),
    pk: Number(row.pk),
  }));
  const key = columns.filter(({ pk }) => pk > 0).toSorted((a, b) => a.pk - b.pk);
  if (key.length === 0)
    throw new CommandError(`The SQLite database has a table "${name}" that is not Crescendo's. Remove it first.`);
  return { name, columns, key };
}
