import type { Migration } from 'kysely/migration';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/logger.ts';
import type { DatabaseLocation } from '../lib/setting.ts';
import type { Tracer } from '../lib/tracer.ts';
import { DirectDatabase } from './direct-executor.ts';
import type { DatabaseMetrics } from './metrics.ts';
import { migrate, type Upgrade } from './migrate.ts';
import { type ConnectionProfile, postgresDialect } from './postgres/postgres.ts';
import { PostgresExecutor } from './postgres/postgres-executor.ts';
import type { Database } from './schema.ts';
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
  readonly tracer?: Tracer | undefined;
  /** Set by tests only: the migrations of another release. */
  readonly migrations?: Readonly<Record<string, Migration>> | undefined;
}

/** The database of a running service. */
export type OpenDatabase = DirectDatabase<Database>;

/** Opens the database and migrates it to this release. The caller closes it with `destroy`. */
export async function openDatabase(location: DatabaseLocation, options: OpenOptions): Promise<OpenDatabase> {
  const { version, clock, logger, migrations } = options;
  const release = {
    version,
    // A getter, so that on PostgreSQL the clock already follows the server's when the value is stored.
    get startedAt() {
      return clock.now();
    },
    onUpgraded: ({ from, to, migrations: count, durationMs }: Upgrade) =>
      logger.info({ from, to, migrations: count, duration_ms: durationMs }, 'the database was upgraded'),
  };
  if (location.engine === 'postgres') {
    const forMigration = openPostgres(location.url, 'migration', options);
    await migrate(forMigration, release, migrations).finally(() => forMigration.destroy());
    return openPostgres(location.url, 'service', options);
  }
  refuseForeignFile(location.file);
  const db = await openFile(location.file, options);
  try {
    await migrate(db, release, migrations);
    await restoreGivenMoments(db);
    return db;
  } catch (error) {
    await db.destroy();
    throw error;
  }
}

function openPostgres(url: string, profile: ConnectionProfile, options: OpenOptions): OpenDatabase {
  const { clock, logger, tracer, metrics, keyId } = options;
  const plain = postgresDialect(url, profile, logger, { clock, metrics, keyId });
  if (tracer) {
    // In a trace each statement belongs to one request, so none is shared.
    const traced = tracedDialect(plain, 'postgresql', tracer);
    return new DirectDatabase(traced, traced.createDriver(), undefined, plain.pool);
  }
  const driver = plain.createDriver();
  return new DirectDatabase(plain, driver, new PostgresExecutor(plain, driver), plain.pool);
}

async function openFile(file: string, { clock, metrics, tracer }: OpenOptions): Promise<OpenDatabase> {
  const dialect = sqliteDialect(file, () => clock.now(), { metrics });
  if (!tracer) return openSqlite(dialect);
  const traced = tracedDialect(dialect, 'sqlite', tracer);
  const driver = traced.createDriver();
  await driver.init();
  return new DirectDatabase(traced, driver);
}
