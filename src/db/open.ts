import { Kysely } from 'kysely';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/logger.ts';
import type { DatabaseLocation } from '../lib/setting.ts';
import type { Tracer } from '../lib/tracer.ts';
import { openDirectly } from './direct-executor.ts';
import type { DatabaseMetrics, Pool } from './metrics.ts';
import { migrate } from './migrate.ts';
import { type ConnectionProfile, postgresDialect } from './postgres/postgres.ts';
import { PostgresExecutor } from './postgres/postgres-executor.ts';
import type { Db } from './schema.ts';
import { restoreGivenMoments } from './sqlite/given-moments.ts';
import { openSqlite, sqliteDialect } from './sqlite/sqlite.ts';
import { tracedDialect } from './traced-driver.ts';
import { refuseForeignFile } from './unusable-database.ts';

interface OpenOptions {
  readonly version: string;
  /** On PostgreSQL it follows the server's clock from now on. */
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
  const { version, clock } = options;
  const release = {
    version,
    // Read when it is stored: on PostgreSQL the clock follows the server's by then.
    get startedAt() {
      return clock.now();
    },
  };
  if (location.engine === 'postgres') {
    const forMigration = openPostgres(location.url, 'migration', options);
    await migrate(forMigration, release).finally(() => forMigration.destroy());
    return openPostgres(location.url, 'service', options);
  }
  refuseForeignFile(location.file);
  const db = await openFile(location.file, options);
  try {
    await migrate(db, release);
    await restoreGivenMoments(db);
    return db;
  } catch (error) {
    await db.destroy();
    throw error;
  }
}

function openPostgres(url: string, profile: ConnectionProfile, options: OpenOptions): Db {
  const { clock, logger, tracer, metrics, onPool, keyId } = options;
  const plain = postgresDialect(url, profile, logger, { clock, metrics, onPool, keyId });
  if (tracer) {
    // In a trace each statement belongs to one request, so none is shared.
    const traced = tracedDialect(plain, 'postgresql', tracer);
    return openDirectly(traced, traced.createDriver());
  }
  const driver = plain.createDriver();
  return openDirectly(plain, driver, new PostgresExecutor(plain, driver));
}

async function openFile(file: string, { clock, metrics, tracer }: OpenOptions): Promise<Db> {
  const dialect = sqliteDialect(file, () => clock.now(), { metrics });
  return tracer ? new Kysely({ dialect: tracedDialect(dialect, 'sqlite', tracer) }) : openSqlite(dialect);
}
