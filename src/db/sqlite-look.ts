/**
 * Looks at an embedded database without leaving a trace: a path that was mistyped may lead to
 * somebody else's, and opening one for writing already changes its mode, its journal and its lock.
 */
import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { refuseOtherFiles, UnusableFileError } from './sqlite-files.ts';

export function refuseForeignFile(file: string): void {
  const found = statSync(file, { throwIfNoEntry: false });
  if (!found?.isFile() || found.size === 0)
    throw new UnusableFileError(`DATABASE_URL: there is no database at ${file}.`);
  refuseOtherFiles(file);
  const db = new DatabaseSync(addressOf(file), { readOnly: true, timeout: 1_000 });
  try {
    const ours = db.prepare("select 1 from sqlite_schema where name = 'kysely_migration'").get();
    if (!ours) throw new UnusableFileError(`DATABASE_URL: ${file} is none of Crescendo's.`);
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
