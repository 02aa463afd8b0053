import { existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Config } from '../../config.ts';
import { ForeignDatabaseError, refuseForeignTables, tablesIn } from '../../db/origin.ts';
import { realFile } from '../../db/real-file.ts';
import type { DatabaseLocation } from '../../lib/setting.ts';
import { type Call, type Command, CommandError } from '../command.ts';
import { type Contents, findContents, readKeys, writeContents } from './contents.ts';
import { createPrivate, FileExistsError, publish, removeDatabase, SIDE_FILES } from './durable-files.ts';
import { findKeyFault, withKeyFault } from './key-fault.ts';
import { copyState } from './snapshot.ts';
import { findDamage } from './soundness.ts';

export const backup: Command = {
  parameters: ['FILE'],
  summary: 'Write everything into one file, while the service runs',
  explanation:
    'The file is a SQLite database with the state of one moment, and with the keys from DATA_DIR: "crescendo\n' +
    'restore" needs nothing else. Keep it as safe as the keys themselves: whoever has it can read everything in it.\n' +
    'Settings, and keys that are set in the environment, are not part of it. On PostgreSQL use pg_dump instead.',
  async run(call) {
    const [file = ''] = call.given;
    const config = call.config();
    const database = embeddedFile(config.DATABASE_URL);
    refuseBeforehand(database, file);
    const temporary = `${file}.${process.pid}.partial`;
    try {
      const contents = await write(call, config, database, temporary);
      const warnings = warningsAbout(config, contents);
      publish(temporary, file);
      for (const warning of warnings) call.tell(`Warning: ${warning}`);
      return withKeyFault(report(file, contents, warnings), findKeyFault(file, config));
    } catch (error) {
      throw explained(error, call.signal, file);
    } finally {
      removeDatabase(temporary);
    }
  },
};

function embeddedFile(location: DatabaseLocation): string {
  if (location.engine === 'sqlite') return realFile(location.file);
  throw new CommandError(
    'DATABASE_URL is PostgreSQL, which has its own: pg_dump --format=custom --file=FILE "$DATABASE_URL". ' +
      'Keep SECRET_KEY and VAPID_PRIVATE_KEY beside it.',
  );
}

function refuseBeforehand(database: string, file: string): void {
  if (!existsSync(database)) throw new CommandError(`There is no database at ${database}.`);
  if (['', '.lock', ...SIDE_FILES].some((side) => realFile(file) === database + side))
    throw new CommandError(`${file} is where the database itself lies: choose another name.`);
  if (existsSync(file)) throw new CommandError(new FileExistsError(file).message);
  if (!statSync(dirname(file), { throwIfNoEntry: false })?.isDirectory())
    throw new CommandError(`There is no folder ${dirname(file)}.`);
}

async function write(call: Call, config: Config, database: string, temporary: string): Promise<Contents> {
  createPrivate(temporary);
  let told = 0;
  const progress = (percent: number) => {
    if (percent < told + 10) return;
    told = percent;
    call.tell(`${percent}% copied`);
  };
  const moment = () => ({ ...readKeys(config), version: call.version, madeAt: call.clock.now().toISOString() });
  const contents = await copyState(database, temporary, { signal: call.signal, progress }, moment);
  complete(temporary, database, contents);
  call.signal.throwIfAborted();
  return contents;
}

function warningsAbout({ DATA_DIR }: Config, { secretKeyId }: Contents): string[] {
  return secretKeyId === null ? [`there is no key in ${DATA_DIR}: second factors cannot be opened without it.`] : [];
}

/** Written and read through once more, so that a backup which cannot be restored is known today. */
function complete(temporary: string, database: string, contents: Contents): void {
  const copy = new DatabaseSync(temporary);
  try {
    // The copy inherits the WAL, which would make it more than one file.
    copy.exec('pragma journal_mode = delete');
    const tables = tablesIn(copy);
    refuseForeignTables(tables);
    if (tables.length === 0) throw new CommandError(`${database} is empty: there is nothing to back up.`);
    writeContents(copy, contents);
    if (!findContents(copy)) throw new CommandError(`${database} has no tables of Crescendo: nothing was written.`);
    const damage = findDamage(copy);
    if (damage !== undefined) throw new CommandError(`The database itself is damaged, nothing was written: ${damage}.`);
  } finally {
    copy.close();
  }
}

function report(file: string, { files, madeAt }: Contents, warnings: readonly string[]) {
  const bytes = statSync(file).size;
  const keys = Object.keys(files);
  const held = keys.length > 0 ? `with ${keys.join(' and ')}: keep it as safe as these` : 'without keys';
  return {
    data: { file, bytes, made_at: madeAt, keys, warnings },
    text: `${file} holds everything up to ${madeAt} (${(bytes / 1e6).toFixed(1)} MB), ${held}.`,
  };
}

/** What a disk or a file system says, in a sentence about the backup and not about the start of a service. */
function explained(error: unknown, signal: AbortSignal, file: string): Error {
  if (signal.aborted) return new CommandError('Stopped; nothing was written.');
  if (error instanceof CommandError || error instanceof ForeignDatabaseError) return error;
  return new CommandError(`${file} could not be written: ${error instanceof Error ? error.message : String(error)}`);
}
