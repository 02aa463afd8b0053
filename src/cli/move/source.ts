/**
 * The embedded database as it is read for a copy: one state of it, which nobody else can have open
 * to change, and which is opened without the right to write.
 */
import { existsSync } from 'node:fs';
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite';
import { refuseUnknown } from '../../db/migrate.ts';
import { migrations } from '../../db/migrations/index.ts';
import { refuseForeignTables, tablesIn } from '../../db/origin.ts';
import { realFile } from '../../db/real-file.ts';
import { FileInUseError, lockFile } from '../../db/sqlite-files.ts';
import { findDamage } from '../backup/soundness.ts';
import { CommandError } from '../command.ts';
import { copyOrder } from './copy-order.ts';
import { type Column, formOfStored, UnmovableValue } from './row-form.ts';

export interface Table {
  readonly name: string;
  readonly columns: readonly Column[];
  /** The columns of the primary key, in its order. */
  readonly key: readonly Column[];
}

export type Key = readonly SQLOutputValue[];

export interface Row {
  readonly key: Key;
  readonly form: string;
}

export class Source {
  readonly #db: DatabaseSync;
  readonly #lock: DatabaseSync;
  /** Each behind those it refers to. */
  readonly tables: readonly Table[];

  private constructor(db: DatabaseSync, lock: DatabaseSync) {
    this.#db = db;
    this.#lock = lock;
    this.tables = listTables(db);
  }

  static open(named: string, version: string): Source {
    const file = realFile(named);
    if (!existsSync(file)) throw new CommandError(`There is no database at ${file}.`);
    const lock = lockAgainstService(file);
    const db = new DatabaseSync(file, { readOnly: true, open: false });
    try {
      db.open();
      db.exec('begin');
      refuseUnready(db, version);
      return new Source(db, lock);
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

  /** In the order of the key, from the one after `after` on. */
  *rows({ name, columns, key }: Table, after?: Key): Generator<Row> {
    const keys = key.map((column) => `"${column.name}"`).join(', ');
    const beyond = after ? `where (${keys}) > (${after.map(() => '?').join(', ')})` : '';
    const names = columns.map((column) => `"${column.name}"`).join(', ');
    const statement = this.#db.prepare(`select ${names} from "${name}" ${beyond} order by ${keys}`);
    statement.setReturnArrays(true);
    const places = key.map((column) => columns.indexOf(column));
    for (const row of statement.iterate(...(after ?? [])) as Iterable<unknown> as Iterable<SQLOutputValue[]>) {
      const found = places.map((place) => row[place] ?? null);
      yield { key: found, form: formOf(name, columns, row, found) };
    }
  }
}

function formOf(table: string, columns: readonly Column[], row: readonly SQLOutputValue[], key: Key): string {
  try {
    return formOfStored(columns, row);
  } catch (error) {
    if (!(error instanceof UnmovableValue)) throw error;
    throw new CommandError(
      `${table}, row ${key.map((part) => JSON.stringify(String(part))).join(', ')}: ${error.message}.`,
    );
  }
}

function lockAgainstService(file: string): DatabaseSync {
  try {
    return lockFile(file);
  } catch (error) {
    if (!(error instanceof FileInUseError)) throw error;
    throw new CommandError(`Another process has ${file} open: stop the service first.`);
  }
}

function refuseUnready(db: DatabaseSync, version: string): void {
  const damage = findDamage(db);
  if (damage !== undefined) throw new CommandError(`The database is damaged: ${damage.replaceAll(/\s+/g, ' ')}.`);
  const tables = tablesIn(db);
  refuseForeignTables(tables);
  if (!tables.includes('kysely_migration')) throw new CommandError('The database is none of Crescendo.');
  const applied = db
    .prepare('select name from kysely_migration order by name')
    .all()
    .map(({ name }) => String(name));
  const newest = db.prepare('select version from releases order by first_started_at desc limit 1').get();
  refuseUnknown(applied, newest && String(newest.version), { version });
  if (applied.length < Object.keys(migrations).length)
    throw new CommandError('The database was last used by an older release: run "crescendo migrate" first.');
}

/** What belongs to the migrations is not copied: the target goes through its own. */
function listTables(db: DatabaseSync): Table[] {
  const listed = tablesIn(db).filter((name) => !name.startsWith('kysely_'));
  const parentsOf = (name: string) =>
    db.prepare(`select distinct "table" as parent from pragma_foreign_key_list(?)`).all(name);
  const references = listed.map((name) => [name, parentsOf(name).map(({ parent }) => String(parent))] as const);
  return copyOrder(new Map(references)).map((name) => describe(db, name));
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
    throw new CommandError(`The database has a table "${name}" that is not Crescendo's: remove it there first.`);
  return { name, columns, key };
}
