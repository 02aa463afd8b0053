import { type Dialect, Kysely } from 'kysely';
import type { Logger } from '../lib/logger.ts';
import type { DatabaseLocation } from '../lib/setting.ts';
import { migrate, type Release } from './migrate.ts';
import { type Pace, postgresDialect } from './postgres.ts';
import type { Database } from './schema.ts';
import { sqliteDialect } from './sqlite.ts';

/** Opens the database and brings its schema up to this release. The caller destroys it in the end. */
export async function openDatabase(
  location: DatabaseLocation,
  release: Release,
  logger: Logger,
): Promise<Kysely<Database>> {
  const open = (pace: Pace) => new Kysely<Database>({ dialect: dialectOf(location, pace, logger) });

  if (location.engine === 'postgres') {
    const forMigration = open('migration');
    await migrate(forMigration, release).finally(() => forMigration.destroy());
    return open('service');
  }
  const db = open('service');
  try {
    await migrate(db, release);
    return db;
  } catch (error) {
    await db.destroy();
    throw error;
  }
}

function dialectOf(location: DatabaseLocation, pace: Pace, logger: Logger): Dialect {
  return location.engine === 'sqlite' ? sqliteDialect(location.file) : postgresDialect(location.url, pace, logger);
}
