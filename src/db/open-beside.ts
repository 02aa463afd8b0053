/** The database for a command: opened beside a running service, or instead of it. No table is ever changed. */
import { type Dialect, Kysely } from 'kysely';
import type { Clock } from '../lib/clock.ts';
import { keepOwner } from '../lib/durable-file.ts';
import type { Logger } from '../lib/logger.ts';
import type { DatabaseLocation } from '../lib/setting.ts';
import { refuseOtherSchema } from './migrate.ts';
import { postgresDialect } from './postgres.ts';
import type { Database } from './schema.ts';
import { sqliteDialect } from './sqlite.ts';
import { openFilesAlongside, STAMP_AHEAD_MS } from './sqlite-alongside.ts';
import { type Files, openFiles } from './sqlite-files.ts';
import { refuseForeignFile } from './sqlite-look.ts';

interface Opening {
  readonly version: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** While the service runs or while it does not. Refuses a schema of another release. The caller destroys it. */
export async function openBeside(location: DatabaseLocation, opening: Opening): Promise<Kysely<Database>> {
  return inThisRelease(connectBeside(location, opening), opening.version);
}

/** On SQLite only while no service runs, and none can start meanwhile. */
export async function openAlone(location: DatabaseLocation, opening: Opening): Promise<Kysely<Database>> {
  if (location.engine === 'postgres') return openBeside(location, opening);
  refuseForeignFile(location.file);
  const dialect = sqliteDialect(location.file, () => opening.clock.now(), { open: openFilesAsOwner });
  return inThisRelease(new Kysely<Database>({ dialect }), opening.version);
}

/** A lock that the superuser made would keep the service's own user out for ever. */
function openFilesAsOwner(file: string): Files {
  const files = openFiles(file);
  keepOwner(`${file}.lock`, file);
  return files;
}

/** Without a look at the schema, for whoever looks at it next. */
export function connectBeside(location: DatabaseLocation, opening: Opening): Kysely<Database> {
  return new Kysely<Database>({ dialect: dialectOf(location, opening) });
}

function dialectOf(location: DatabaseLocation, { clock, logger }: Opening): Dialect {
  if (location.engine === 'postgres') return postgresDialect(location.url, 'command', logger);
  const ahead = () => new Date(clock.now().getTime() + STAMP_AHEAD_MS);
  return sqliteDialect(location.file, ahead, { open: openFilesAlongside });
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
