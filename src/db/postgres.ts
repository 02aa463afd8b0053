/**
 * Kysely over `pg`. The pool replaces broken connections, so a restart of the server fails only the
 * requests of that moment. Time limits ensure that neither a statement nor an abandoned transaction holds
 * a lock for longer than a caller would wait.
 */
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  PostgresAdapter,
  PostgresDriver,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely';
import pg from 'pg';
import type { Logger } from '../lib/logger.ts';
import { translateFault } from './faults.ts';
import type { DatabaseMetrics } from './metrics.ts';
import { sessionName } from './postgres-sessions.ts';
import { refuseInsideTransaction } from './transact.ts';

/** The most connections that one process of the service opens. */
export const POOL_SIZE = 10;
const CONNECT_TIMEOUT_MS = 5_000;
const STATEMENT_TIMEOUT_MS = 10_000;
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 10_000;

/**
 * Every query has an index, so a plan with a sequential scan is a mistake of the planner, whose statistics
 * lag behind a table that has just grown. No query runs long enough for JIT compilation to pay off.
 */
const SESSION_OPTIONS = '-c timezone=UTC -c enable_seqscan=off -c random_page_cost=1.1 -c jit=off';

/** A command may read every row of the database. */
const COMMAND_TIMEOUT_MS = 60_000;
const COMMAND_POOL_SIZE = 4;

export type ConnectionProfile = keyof typeof CONNECTION_PROFILES;

const timeLimits = (statementMs: number) => ({
  statement_timeout: statementMs,
  // The client's limit is for a server that no longer answers, so it is longer than the server's.
  query_timeout: statementMs + 2_000,
  idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
});

const CONNECTION_PROFILES = {
  // One connection stays open in an idle process: its session name contains the id of the key in use.
  service: { min: 1, max: POOL_SIZE, ...timeLimits(STATEMENT_TIMEOUT_MS) },
  command: { max: COMMAND_POOL_SIZE, ...timeLimits(COMMAND_TIMEOUT_MS) },
  // No time limits: rewriting a large table may take long.
  migration: { max: 1 },
};

interface PostgresOptions {
  readonly metrics?: DatabaseMetrics | undefined;
  readonly keyId?: string | undefined;
}

export function postgresDialect(
  url: string,
  profile: ConnectionProfile,
  logger: Logger,
  { metrics, keyId }: PostgresOptions = {},
): Dialect {
  const pool = new pg.Pool({
    connectionString: url,
    application_name: sessionName(profile === 'service' ? keyId : profile),
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    options: SESSION_OPTIONS,
    types: { getTypeParser },
    ...CONNECTION_PROFILES[profile],
  });
  // A broken connection is only logged here; a query on it fails with its own error. Without a listener
  // on the client, a connection that breaks while it is in use would end the process.
  const report = (error: Error) => logger.warn({ reason: error.message }, 'a database connection was lost');
  pool.on('error', report);
  if (profile === 'service') metrics?.observePool(pool);
  pool.on('connect', (client) => client.on('error', report));
  return {
    createDriver: () => new FaultTranslatingDriver({ pool }),
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createAdapter: () => new PostgresAdapter(),
    createIntrospector: (db) => new PostgresIntrospector(db),
  };
}

/** By default `pg` returns counts and averages as text. Ours are far below 2^53, so they become numbers. */
const NUMERIC_TYPES: ReadonlySet<number> = new Set([pg.types.builtins.INT8, pg.types.builtins.NUMERIC]);

function getTypeParser(...[oid, format]: Parameters<typeof pg.types.getTypeParser>) {
  return NUMERIC_TYPES.has(oid) && format !== 'binary' ? Number : pg.types.getTypeParser(oid, format);
}

class FaultTranslatingDriver extends PostgresDriver {
  override async acquireConnection(): Promise<DatabaseConnection> {
    refuseInsideTransaction();
    try {
      return new FaultTranslatingConnection(await super.acquireConnection());
    } catch (error) {
      throw translateFault(error);
    }
  }

  override async releaseConnection(connection: DatabaseConnection): Promise<void> {
    const inner = (connection as FaultTranslatingConnection).inner;
    await super.releaseConnection(inner as Parameters<PostgresDriver['releaseConnection']>[0]);
  }
}

class FaultTranslatingConnection implements DatabaseConnection {
  readonly inner: DatabaseConnection;

  constructor(inner: DatabaseConnection) {
    this.inner = inner;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    try {
      return await this.inner.executeQuery<R>(query);
    } catch (error) {
      throw translateFault(error);
    }
  }

  streamQuery<R>(query: CompiledQuery, chunkSize: number): AsyncIterableIterator<QueryResult<R>> {
    return this.inner.streamQuery<R>(query, chunkSize);
  }
}
