/**
 * Brings a backup back. Everything is checked before anything is written, and nothing that is
 * already there is overwritten.
 *
 * The keys come first and the database last, under its name at once: an interruption in between
 * leaves keys without a database, which a second try finds equal and goes on from. The other way
 * round, a service started in between would make new keys that open nothing.
 */
import { chmodSync, constants, copyFileSync, existsSync, lstatSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Config } from '../../config.ts';
import { realFile } from '../../db/real-file.ts';
import { lockFile } from '../../db/sqlite-files.ts';
import { giveToFolderOwner, keepOwner, makeFolder } from '../../lib/ownership.ts';
import { type Call, type Command, CommandError } from '../command.ts';
import { type Contents, removeContents } from './contents.ts';
import { publish, removeDatabase, SIDE_FILES, writePrivate } from './durable-files.ts';
import { type Inspected, inspect } from './inspect.ts';
import { findOtherKey } from './key-match.ts';

export const restore: Command = {
  parameters: ['FILE'],
  summary: 'Bring back what "crescendo backup" has written',
  explanation:
    'The database goes where DATABASE_URL says and the keys into DATA_DIR; neither is overwritten: move what is\n' +
    'there out of the way first. A backup of an older release is brought up to this one by the next start.',
  options: {
    'other-keys': {
      type: 'boolean',
      about: "Restore although a key set in the environment is not the backup's: what that key guards is lost",
    },
  },
  async run(call) {
    const [file = ''] = call.given;
    const config = call.config();
    const database = embeddedFile(config);
    const contents = readBackup(file, call.version);
    refuseOtherKeys(call, config, contents);
    refuseOverwriting(database, config.DATA_DIR, contents);
    makeFolder(dirname(database));
    const lock = lockFile(database);
    try {
      refuseOverwriting(database, config.DATA_DIR, contents);
      bringBack(file, database, config.DATA_DIR, contents, call.signal);
    } catch (error) {
      throw explained(error, call.signal);
    } finally {
      lock.close();
    }
    return {
      data: { database, made_at: contents.madeAt, version: contents.version, keys: Object.keys(contents.files) },
      text: `${database} is as it was at ${contents.madeAt}. The service can be started.`,
    };
  },
};

function embeddedFile({ DATABASE_URL }: Config): string {
  if (DATABASE_URL.engine === 'sqlite') return realFile(DATABASE_URL.file);
  throw new CommandError(
    'DATABASE_URL is PostgreSQL, which has its own: pg_restore --dbname="$DATABASE_URL" FILE. To bring a backup of ' +
      'the embedded database there, restore it to sqlite:PATH and use "crescendo move-to-postgres".',
  );
}

/** What SQLite says here is about FILE, and not about the database of the service. */
function readBackup(file: string, version: string): Inspected {
  try {
    return inspect(file, version);
  } catch (error) {
    if (!(error instanceof Error && 'errcode' in error)) throw error;
    throw new CommandError(`${file} is no whole backup of Crescendo: ${error.message}.`);
  }
}

function refuseOtherKeys({ options, tell }: Call, config: Config, contents: Inspected): void {
  const other = findOtherKey(config, contents);
  if (other === undefined) return;
  if (options['other-keys'] !== true) throw new CommandError(`${other} Or add --other-keys.`);
  tell(`Warning: ${other}`);
}

/** An empty database file is what a start that failed may leave behind. */
function refuseOverwriting(database: string, folder: string, { files }: Contents): void {
  const size = statSync(database, { throwIfNoEntry: false })?.size ?? 0;
  const side = SIDE_FILES.map((name) => database + name).find((name) => existsSync(name));
  const taken = size > 0 ? database : side;
  if (taken !== undefined) throw new CommandError(`${taken} already exists, and is not overwritten.`);
  for (const [name, content] of Object.entries(files)) {
    const file = join(folder, name);
    if (!existsSync(file) && lstatSync(file, { throwIfNoEntry: false }))
      throw new CommandError(`${file} is a link that leads nowhere, and is not overwritten.`);
    if (existsSync(file) && readFileSync(file, 'utf8').trim() !== content.trim())
      throw new CommandError(`${file} already exists with another key, and is not overwritten.`);
  }
}

function bringBack(file: string, database: string, folder: string, { files }: Contents, signal: AbortSignal): void {
  const temporary = `${database}.restoring`;
  try {
    removeDatabase(temporary);
    writePrivate(temporary, '');
    copyFileSync(file, temporary, constants.COPYFILE_FICLONE);
    // A copy takes over the mode and the owner of what it was made from.
    chmodSync(temporary, 0o600);
    giveToFolderOwner(temporary);
    const db = new DatabaseSync(temporary);
    removeContents(db);
    db.close();
    signal.throwIfAborted();
    makeFolder(folder);
    for (const [name, content] of Object.entries(files)) restoreKey(join(folder, name), content);
    keepOwner(temporary, database);
    if (existsSync(database)) removeDatabase(database);
    publish(temporary, database);
  } finally {
    removeDatabase(temporary);
  }
}

function restoreKey(file: string, content: string): void {
  if (existsSync(file)) return;
  const temporary = `${file}.restoring`;
  try {
    removeDatabase(temporary);
    writePrivate(temporary, content);
    keepOwner(temporary, file);
    publish(temporary, file);
  } finally {
    removeDatabase(temporary);
  }
}

function explained(error: unknown, signal: AbortSignal): Error {
  if (signal.aborted) return new CommandError('Stopped; the database was not restored.');
  if (error instanceof CommandError) return error;
  return new CommandError(`The backup could not be restored: ${error instanceof Error ? error.message : error}`);
}
