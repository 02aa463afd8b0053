/** Whether a file is a backup of ours, whole, and of no newer release: all without writing anything. */
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { refuseUnknown } from '../../db/migrate.ts';
import { CommandError } from '../command.ts';
import { type Contents, findContents } from './contents.ts';
import { namedKeysIn } from './named-keys.ts';
import { findDamage } from './soundness.ts';

const HEADER = 'SQLite format 3\0';

export interface Inspected extends Contents {
  /** The keys that the database in it names. */
  readonly namedKeyIds: readonly string[];
}

export function inspect(file: string, version: string): Inspected {
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) throw new CommandError(`There is no file ${file}.`);
  if (startOf(file) !== HEADER) throw new CommandError(`${file} is no backup of Crescendo.`);
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    const damage = findDamage(db);
    if (damage !== undefined) throw new CommandError(`${file} is damaged: ${damage.replaceAll(/\s+/g, ' ')}.`);
    const contents = findContents(db);
    if (!contents)
      throw new CommandError(`${file} is no backup of Crescendo, or one of a newer release than this ${version}.`);
    refuseNewerBackup(db, version);
    return { ...contents, namedKeyIds: namedKeysIn(db) };
  } finally {
    db.close();
  }
}

function startOf(file: string): string {
  const start = Buffer.alloc(HEADER.length);
  const opened = openSync(file, 'r');
  try {
    readSync(opened, start, 0, start.length, 0);
    return start.toString('latin1');
  } finally {
    closeSync(opened);
  }
}

function refuseNewerBackup(db: DatabaseSync, version: string): void {
  const applied = db.prepare('select name from kysely_migration order by name').all();
  const newest = db.prepare('select version from releases order by first_started_at desc limit 1').get();
  const names = applied.map(({ name }) => String(name));
  refuseUnknown(names, newest && String(newest.version), { version });
}
