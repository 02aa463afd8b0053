import { type Dialect, Kysely } from 'kysely';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/logger.ts';
import type { DatabaseLocation } from '../lib/setting.ts';
import type { Tracer } from '../lib/tracer.ts';
import type { DatabaseMetrics, Pool } from './metrics.ts';
import { migrate } from './migrate.ts';
import { type ConnectionProfile, postgresDialect } from './postgres.ts';
import type { Database, Db } from './schema.ts';
import { sqliteDialect } from './sqlite.ts';
import { tracedDialect } from './traced-driver.ts';
import { refuseForeignFile } from './unusable-database.ts';

interface OpenOptions {
  readonly version: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The id of the key that this process seals with. On PostgreSQL it is part of the session name. */
  readonly keyId?: string | undefined;
  readonly metrics?: DatabaseMetrics | undefined;
  /** PostgreSQL: called with the connections of the service. */
  readonly onPool?: ((pool: Pool) => void) | undefined;
  readonly tracer?: Tracer | undefined;
}

/** Opens the database and migrates it to this release. The caller closes it with `destroy`. */
export async function openDatabase(location: DatabaseLocation, options: OpenOptions): Promise<Db> {
  const open = (profile: ConnectionProfile) =>
    new Kysely<Database>({ dialect: createDialect(location, profile, options) });
  const release = { version: options.version, startedAt: options.clock.now() };

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

function createDialect(location: DatabaseLocation, profile: ConnectionProfile, options: OpenOptions): Dialect {
  const { tracer } = options;
  const dialect = createPlainDialect(location, profile, options);
  const system = location.engine === 'postgres' ? 'postgresql' : 'sqlite';
  return tracer ? tracedDialect(dialect, system, tracer) : dialect;
}

function createPlainDialect(location: DatabaseLocation, profile: ConnectionProfile, options: OpenOptions): Dialect {
  const { clock, logger, metrics, onPool, keyId } = options;
  if (location.engine === 'postgres') return postgresDialect(location.url, profile, logger, { metrics, onPool, keyId });
  return sqliteDialect(location.file, () => clock.now(), { metrics });
}
