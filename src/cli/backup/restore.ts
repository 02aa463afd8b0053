/**
 * Restores a backup. Everything is checked before anything is written, and no existing file is overwritten.
 *
 * The keys are written first; the database gets its name last, in one step. An interruption leaves keys without
 * a database; the next attempt finds the keys equal and continues. In the other order, a service started after
 * the interruption would create new keys that open nothing.
 */
import { chmodSync, constants, copyFileSync, existsSync, lstatSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Config } from '../../config.ts';
import { canonicalPath, lockFile } from '../../db/sqlite/sqlite-files.ts';
import { createDurably } from '../../lib/durable-file.ts';
import { copyOwner, createFolder } from '../../lib/ownership.ts';
import { type Call, type Command, CommandError } from '../command.ts';
import { findOtherKey } from './backup-keys.ts';
import { type Contents, removeContents } from './contents.ts';
import { createPrivate, fileExists, publish, removeDatabase, SIDE_FILES } from './durable-files.ts';
import { type InspectedBackup, inspectBackup } from './inspect.ts';

export const restore: Command = {
  parameters: ['FILE'],
  summary: 'Restore a backup that "crescendo backup" has written',
  explanation:
    'Writes the database to DATABASE_URL and the keys to DATA_DIR. Existing files are not overwritten: move them\n' +
    'away first. A backup of an older release is upgraded when the service starts.',
  options: {
    'other-keys': {
      type: 'boolean',
      about: 'Restore even if a key in the environment differs from the backup: what that key protects is lost',
    },
  },
  async run(call) {
    const [file = ''] = call.positionals;
    const config = call.config();
    const database = sqliteFile(config);
    const contents = inspectBackup(file, call.version);
    refuseOtherKeys(call, config, contents);
    refuseOverwriting(database, config.DATA_DIR, contents);
    createFolder(dirname(database));
    const lock = lockFile(database);
    try {
      refuseOverwriting(database, config.DATA_DIR, contents);
      writeFiles(file, database, config.DATA_DIR, contents, call.signal);
    } catch (error) {
      throw explainFailure(error, call.signal);
    } finally {
      lock.close();
    }
    return {
      data: { database, made_at: contents.madeAt, version: contents.version, keys: Object.keys(contents.files) },
      text: `${database} is restored to its state of ${contents.madeAt}. You can start the service.`,
    };
  },
};

function sqliteFile({ DATABASE_URL }: Config): string {
  if (DATABASE_URL.engine === 'sqlite') return canonicalPath(DATABASE_URL.file);
  throw new CommandError(
    'DATABASE_URL is PostgreSQL. Use its own tool: pg_restore --dbname="$DATABASE_URL" FILE. To bring a SQLite ' +
      'backup there, restore it to sqlite:PATH and run "crescendo move-to-postgres".',
  );
}

function refuseOtherKeys({ options, printStatus }: Call, config: Config, contents: InspectedBackup): void {
  const other = findOtherKey(config, contents);
  if (other === undefined) return;
  if (options['other-keys'] !== true) throw new CommandError(`${other} Or add --other-keys.`);
  printStatus(`Warning: ${other}`);
}

/** An empty database file may be left over from a failed start, so it may be replaced. */
function refuseOverwriting(database: string, folder: string, { files }: Contents): void {
  const size = statSync(database, { throwIfNoEntry: false })?.size ?? 0;
  if (size > 0) throw fileExists(database);
  const sideFile = SIDE_FILES.map((suffix) => database + suffix).find((path) => existsSync(path));
  if (sideFile !== undefined) throw fileExists(sideFile);
  for (const [name, content] of Object.entries(files)) {
    const file = join(folder, name);
    if (!existsSync(file) && lstatSync(file, { throwIfNoEntry: false }))
      throw new CommandError(`${file} is a broken link and is not overwritten.`);
    if (existsSync(file) && readFileSync(file, 'utf8').trim() !== content.trim())
      throw new CommandError(`${file} already exists with another key and is not overwritten.`);
  }
}

function writeFiles(file: string, database: string, folder: string, { files }: Contents, signal: AbortSignal): void {
  const temporary = `${database}.restoring`;
  try {
    removeDatabase(temporary);
    createPrivate(temporary);
    copyFileSync(file, temporary, constants.COPYFILE_FICLONE);
    // The copy has the mode of the backup.
    chmodSync(temporary, 0o600);
    const db = new DatabaseSync(temporary);
    removeContents(db);
    db.close();
    signal.throwIfAborted();
    createFolder(folder);
    for (const [name, content] of Object.entries(files)) writeKey(join(folder, name), content);
    copyOwner(temporary, database);
    if (existsSync(database)) removeDatabase(database);
    publish(temporary, database);
  } finally {
    removeDatabase(temporary);
  }
}

/** A key file that exists was found equal before. */
function writeKey(file: string, content: string): void {
  if (!existsSync(file) && !createDurably(file, content)) throw fileExists(file);
}

function explainFailure(error: unknown, signal: AbortSignal): Error {
  if (signal.aborted) return new CommandError('Stopped. The database was not restored.');
  if (error instanceof CommandError) return error;
  return new CommandError(`The backup could not be restored: ${error instanceof Error ? error.message : error}`);
}
