/**
 * Opens the database for a command: next to a running service, or instead of it. Commands never migrate.
 *
 * On SQLite, two processes take turns at writing. The service waits 100 ms for the writer and then runs
 * its transaction again a few times, so a command keeps its transactions short; the command itself waits
 * longer. A path without a database is refused, because a command must not leave an empty file behind.
 */
import { existsSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { type Dialect, Kysely } from 'kysely';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/logger.ts';
import type { DatabaseLocation } from '../lib/setting.ts';
import { refuseOtherSchema } from './migrate.ts';
import { postgresDialect } from './postgres/postgres.ts';
import type { Database, Db } from './schema.ts';
import { restoreGivenMoments } from './sqlite/given-moments.ts';
import { sqliteDialect } from './sqlite/sqlite.ts';
import { type Files, refuseForeignFormat, UnusableFileError } from './sqlite/sqlite-files.ts';
import { listTablesInFile, refuseForeignTables } from './unusable-database.ts';

const BUSY_TIMEOUT_MS = 5_000;

/**
 * The service promises sync clients that no change before a certain moment can still appear, and it does not
 * see the transactions of this process. So a command stamps its changes this far ahead: a client that
 * syncs at that moment receives the change twice instead of never.
 */
const STAMP_AHEAD_MS = 10_000;

interface OpenOptions {
  readonly version: string;
  /** On PostgreSQL it follows the server's clock from now on, unless the database is opened for reading only. */
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Works while the service runs and while it does not. Refuses the schema of another release. The caller closes it. */
export async function openShared(location: DatabaseLocation, options: OpenOptions): Promise<Db> {
  const dialect = createDialect(location, options, openFilesShared, options.clock);
  return refuseOtherRelease(new Kysely<Database>({ dialect }), options.version);
}

/** On SQLite it takes the service's lock: it fails while a service runs, and no service can start before it closes. */
export async function openExclusive(location: DatabaseLocation, options: OpenOptions): Promise<Db> {
  if (location.engine === 'postgres') return openShared(location, options);
  const tables = listTablesInFile(location.file);
  if (tables.length === 0) throw new UnusableFileError(`DATABASE_URL: there is no database at ${location.file}.`);
  refuseForeignTables(tables);
  const dialect = sqliteDialect(location.file, () => options.clock.now());
  return refuseOtherRelease(new Kysely<Database>({ dialect }), options.version);
}

/** For reading only, with any schema. */
export function openReadOnly(location: DatabaseLocation, options: OpenOptions): Db {
  return new Kysely<Database>({ dialect: createDialect(location, options, openFilesReadOnly) });
}

function createDialect(
  location: DatabaseLocation,
  { clock, logger }: OpenOptions,
  openFiles: (file: string) => Files,
  followsServer?: Clock,
): Dialect {
  if (location.engine === 'postgres') return postgresDialect(location.url, 'command', logger, { clock: followsServer });
  const now = () => new Date(clock.now().getTime() + STAMP_AHEAD_MS);
  return sqliteDialect(location.file, now, { openFiles });
}

async function refuseOtherRelease(db: Db, version: string): Promise<Db> {
  try {
    await refuseOtherSchema(db, version);
    await restoreGivenMoments(db);
    return db;
  } catch (error) {
    await db.destroy();
    throw error;
  }
}

function openFilesShared(file: string): Files {
  refuseMissing(file);
  const reader = new DatabaseSync(file, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
  const writer = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
  writer.exec('pragma synchronous = full; pragma foreign_keys = on; pragma secure_delete = on');
  const close = () => {
    reader.close();
    writer.close();
  };
  return { writer, reader, findFault: () => undefined, close };
}

/**
 * A killed process leaves its last writes in a side file, and the next writer merges them into the
 * database. So if there is a side file, the connection is read-only. If there is none, the connection is
 * a writer that writes nothing: it deletes the side files it creates, which a read-only one cannot.
 */
function openFilesReadOnly(file: string): Files {
  refuseMissing(file);
  const readOnly = ['-wal', '-journal'].some((suffix) => existsSync(file + suffix));
  const connection = new DatabaseSync(file, { readOnly, timeout: BUSY_TIMEOUT_MS });
  return {
    writer: connection,
    reader: connection,
    findFault: () => undefined,
    close: () => connection.close(),
  };
}

function refuseMissing(file: string): void {
  const found = statSync(file, { throwIfNoEntry: false });
  if (!found?.isFile() || found.size === 0) {
    throw new UnusableFileError(
      `DATABASE_URL: there is no database at ${file} yet. The service creates it when it starts.`,
    );
  }
  refuseForeignFormat(file);
}
