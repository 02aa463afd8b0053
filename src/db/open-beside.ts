/** The database for a command: opened beside a running service, or instead of it. No table is ever changed. */
import { type Dialect, Kysely } from 'kysely';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/logger.ts';
import type { DatabaseLocation } from '../lib/setting.ts';
import { refuseOtherSchema } from './migrate.ts';
import { refuseForeignTables, tablesOf } from './origin.ts';
import { postgresDialect } from './postgres.ts';
import type { Database } from './schema.ts';
import { sqliteDialect } from './sqlite.ts';
import { openFilesAlongside, openFilesToLook, STAMP_AHEAD_MS } from './sqlite-alongside.ts';
import { type Files, UnusableFileError } from './sqlite-files.ts';

interface Opening {
  readonly version: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** While the service runs or while it does not. Refuses a schema of another release. The caller destroys it. */
export async function openBeside(location: DatabaseLocation, opening: Opening): Promise<Kysely<Database>> {
  return inThisRelease(
    new Kysely<Database>({ dialect: dialectOf(location, opening, openFilesAlongside) }),
    opening.version,
  );
}

/** On SQLite only while no service runs, and none can start meanwhile. */
export async function openAlone(location: DatabaseLocation, opening: Opening): Promise<Kysely<Database>> {
  if (location.engine === 'postgres') return openBeside(location, opening);
  const tables = tablesOf(location.file);
  if (tables.length === 0) throw new UnusableFileError(`DATABASE_URL: there is no database at ${location.file}.`);
  refuseForeignTables(tables);
  const dialect = sqliteDialect(location.file, () => opening.clock.now());
  return inThisRelease(new Kysely<Database>({ dialect }), opening.version);
}

/** To read and nothing else, whatever the schema is. */
export function openToLook(location: DatabaseLocation, opening: Opening): Kysely<Database> {
  return new Kysely<Database>({ dialect: dialectOf(location, opening, openFilesToLook) });
}

function dialectOf(location: DatabaseLocation, { clock, logger }: Opening, open: (file: string) => Files): Dialect {
  if (location.engine === 'postgres') return postgresDialect(location.url, 'command', logger);
  const ahead = () => new Date(clock.now().getTime() + STAMP_AHEAD_MS);
  return sqliteDialect(location.file, ahead, { open });
}

async function inThisRelease(db: Kysely<Database>, version: string): Promise<Kysely<Database>> {
  try {
    await refuseOtherSchema(db, version);
    return db;
  } catch (error) {
    await db.destroy();
    throw error;
  }
}
