/** Checks, without writing anything, that a file is a whole backup of Crescendo and not of a newer release. */
import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { refuseForeignFormat, UnusableFileError } from '../../db/sqlite/sqlite-files.ts';
import { CommandError } from '../command.ts';
import { findDamage, refuseNewerRelease } from '../sqlite-checks.ts';
import { usedKeyIds } from './backup-keys.ts';
import { type Contents, findContents } from './contents.ts';

export interface InspectedBackup extends Contents {
  /** The ids of the keys that the database in the backup uses. */
  readonly usedKeyIds: readonly string[];
}

export function inspectBackup(file: string, version: string): InspectedBackup {
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) throw new CommandError(`There is no file ${file}.`);
  try {
    refuseForeignFormat(file);
    const db = new DatabaseSync(file, { readOnly: true });
    try {
      return readContents(db, file, version);
    } finally {
      db.close();
    }
  } catch (error) {
    if (error instanceof UnusableFileError) throw new CommandError(`${file} is not a backup of Crescendo.`);
    if (!(error instanceof Error && 'errcode' in error)) throw error;
    throw new CommandError(`${file} is not a complete backup of Crescendo: ${error.message}.`);
  }
}

function readContents(db: DatabaseSync, file: string, version: string): InspectedBackup {
  const damage = findDamage(db);
  if (damage !== undefined) throw new CommandError(`${file} is damaged: ${damage}.`);
  const contents = findContents(db);
  if (!contents)
    throw new CommandError(`${file} is not a backup of Crescendo, or was made by a release newer than ${version}.`);
  refuseNewerRelease(db, version);
  return { ...contents, usedKeyIds: usedKeyIds(db) };
}
