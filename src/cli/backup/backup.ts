import { existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Config } from '../../config.ts';
import { setFact } from '../../db/installation.ts';
import { canonicalPath } from '../../db/sqlite/sqlite-files.ts';
import { ForeignDatabaseError, listSqliteTables, refuseForeignTables } from '../../db/unusable-database.ts';
import type { DatabaseLocation } from '../../lib/setting.ts';
import { withDatabase } from '../account-admin.ts';
import { type Call, type Command, CommandError } from '../command.ts';
import { findDamage } from '../sqlite-checks.ts';
import { findKeyFault, readKeys, withKeyFault } from './backup-keys.ts';
import { type Contents, findContents, writeContents } from './contents.ts';
import { createPrivate, fileExists, publish, removeDatabase, SIDE_FILES } from './durable-files.ts';
import { copySnapshot } from './snapshot.ts';

export const backup: Command = {
  parameters: ['FILE'],
  summary: 'Write the database and its keys into one file, while the service runs',
  explanation:
    'The file is a SQLite database: the state of one moment, with the keys from DATA_DIR. "crescendo restore" needs\n' +
    'nothing else. Keep the file as safe as the keys: anyone who has it can read everything in it. It does not\n' +
    'contain settings, or keys that are set in the environment. On PostgreSQL use pg_dump instead.',
  async run(call) {
    const [file = ''] = call.positionals;
    const config = call.config();
    const database = sqliteFile(config.DATABASE_URL);
    checkPaths(database, file);
    const temporary = `${file}.${process.pid}.partial`;
    try {
      const contents = await write(call, config, database, temporary);
      const warnings = warningsAbout(config, contents);
      publish(temporary, file);
      for (const warning of warnings) call.printStatus(`Warning: ${warning}`);
      await noteBackup(call, contents);
      return withKeyFault(report(file, contents, warnings), findKeyFault(file, config));
    } catch (error) {
      throw explainFailure(error, call.signal, file);
    } finally {
      removeDatabase(temporary);
    }
  },
};

function sqliteFile(location: DatabaseLocation): string {
  if (location.engine === 'sqlite') return canonicalPath(location.file);
  throw new CommandError(
    'DATABASE_URL is PostgreSQL. Use its own tool: pg_dump --format=custom --file=FILE "$DATABASE_URL". ' +
      'Keep SECRET_KEY and VAPID_PRIVATE_KEY with the dump.',
  );
}

function checkPaths(database: string, file: string): void {
  if (!existsSync(database)) throw new CommandError(`There is no database at ${database}.`);
  if (['', '.lock', ...SIDE_FILES].some((suffix) => canonicalPath(file) === database + suffix))
    throw new CommandError(`${file} is a file of the database itself. Choose another name.`);
  if (existsSync(file)) throw fileExists(file);
  if (!statSync(dirname(file), { throwIfNoEntry: false })?.isDirectory())
    throw new CommandError(`There is no folder ${dirname(file)}.`);
}

async function write(call: Call, config: Config, database: string, temporary: string): Promise<Contents> {
  createPrivate(temporary);
  let printedPercent = 0;
  const progress = (percent: number) => {
    if (percent < printedPercent + 10) return;
    printedPercent = percent;
    call.printStatus(`${percent}% copied`);
  };
  const describe = () => ({ ...readKeys(config), version: call.version, madeAt: call.clock.now().toISOString() });
  const contents = await copySnapshot(database, temporary, { signal: call.signal, progress }, describe);
  complete(temporary, database, contents);
  call.signal.throwIfAborted();
  return contents;
}

function warningsAbout({ DATA_DIR }: Config, { secretKeyId }: Contents): string[] {
  return secretKeyId === null ? [`there is no key in ${DATA_DIR}: second factors cannot be read without it.`] : [];
}

/** Adds the contents table and checks the whole copy, so that an unusable backup is noticed when it is made. */
function complete(temporary: string, database: string, contents: Contents): void {
  const copy = new DatabaseSync(temporary);
  try {
    // The copy inherits WAL mode, in which a database is more than one file.
    copy.exec('pragma journal_mode = delete');
    const tables = listSqliteTables(copy);
    refuseForeignTables(tables);
    if (tables.length === 0) throw new CommandError(`${database} is empty: there is nothing to back up.`);
    writeContents(copy, contents);
    if (!findContents(copy)) throw new CommandError(`${database} has no Crescendo tables. No backup was written.`);
    const damage = findDamage(copy);
    if (damage !== undefined) throw new CommandError(`The database is damaged, so no backup was written: ${damage}.`);
  } finally {
    copy.close();
  }
}

/**
 * For administrators, who see the date in the app. Without it, as in a database of another release, the backup is good
 * too.
 */
async function noteBackup(call: Call, { madeAt }: Contents): Promise<void> {
  try {
    await withDatabase(call, (db) => setFact(db, 'last_backup', madeAt, new Date(madeAt)));
  } catch (error) {
    call.logger.debug({ err: error }, 'the date of the backup was not stored');
  }
}

function report(file: string, { files, madeAt }: Contents, warnings: readonly string[]) {
  const bytes = statSync(file).size;
  const keys = Object.keys(files);
  const held = keys.length > 0 ? `with ${keys.join(' and ')}: keep it as safe as these keys` : 'without keys';
  return {
    data: { file, bytes, made_at: madeAt, keys, warnings },
    text: `${file} holds everything up to ${madeAt} (${(bytes / 1e6).toFixed(1)} MB), ${held}.`,
  };
}

/** Here an error of the file system is about FILE, not about DATA_DIR or DATABASE_URL. */
function explainFailure(error: unknown, signal: AbortSignal, file: string): Error {
  if (signal.aborted) return new CommandError('Stopped. No backup was written.');
  if (error instanceof CommandError || error instanceof ForeignDatabaseError) return error;
  return new CommandError(`${file} could not be written: ${error instanceof Error ? error.message : String(error)}`);
}
