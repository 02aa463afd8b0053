import { type Dialect, Kysely } from 'kysely';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/logger.ts';
import type { DatabaseLocation } from '../lib/setting.ts';
import type { Tracer } from '../lib/tracer.ts';
import type { DatabaseFigures } from './figures.ts';
import { migrate } from './migrate.ts';
import { refuseForeignFile } from './origin.ts';
import { type Pace, postgresDialect } from './postgres.ts';
import type { Database } from './schema.ts';
import { sqliteDialect } from './sqlite.ts';
import { tracedDialect } from './traced-driver.ts';

interface Opening {
  readonly version: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The name of the key that this process seals with, for those who ask PostgreSQL who is there. */
  readonly keyId?: string | undefined;
  readonly figures?: DatabaseFigures | undefined;
  readonly tracer?: Tracer | undefined;
}

/** Opens the database and brings its schema up to this release. The caller destroys it in the end. */
export async function openDatabase(location: DatabaseLocation, opening: Opening): Promise<Kysely<Database>> {
  const open = (pace: Pace) => new Kysely<Database>({ dialect: dialectOf(location, pace, opening) });
  const release = { version: opening.version, startedAt: opening.clock.now() };

  if (location.engine === 'postgres') {
    const forMigration = open('migration');
    await migrate(forMigration, release).finally(() => forMigration.destroy());
    return open('service');
  }
  refuseForeignFile(location.file);
  const db = open('service');
  try {
    await migrate(db, release);
    return db;
  } catch (error) {
    await db.destroy();
    throw error;
  }
}

function dialectOf(location: DatabaseLocation, pace: Pace, opening: Opening): Dialect {
  const { tracer } = opening;
  const dialect = plainDialectOf(location, pace, opening);
  const system = location.engine === 'postgres' ? 'postgresql' : 'sqlite';
  return tracer ? tracedDialect(dialect, system, tracer) : dialect;
}

function plainDialectOf(location: DatabaseLocation, pace: Pace, opening: Opening): Dialect {
  const { clock, logger, figures, keyId } = opening;
  if (location.engine === 'postgres') return postgresDialect(location.url, pace, logger, { figures, keyId });
  return sqliteDialect(location.file, () => clock.now(), { figures });
}
