/**
 * Kysely over `pg`. The pool replaces broken connections by itself, so a restart of the server
 * costs the requests of that moment and nothing else. Time limits make sure that no statement and
 * no forgotten transaction holds a lock for longer than a caller would wait.
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
import type { DatabaseFigures } from './figures.ts';
import { sessionName } from './postgres-sessions.ts';
import { refuseInsideTransaction } from './transact.ts';

/** How many connections a process of the service has at most. */
export const POOL_SIZE = 10;
const CONNECT_TIMEOUT_MS = 5_000;
const STATEMENT_TIMEOUT_MS = 10_000;
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 10_000;

/**
 * Every question asked here has an index, so a plan that reads a whole table is always a mistake of
 * the planner, who knows little about a table that has just grown. Nothing runs long enough to be
 * worth compiling.
 */
const SESSION = '-c timezone=UTC -c enable_seqscan=off -c random_page_cost=1.1 -c jit=off';

/** A command of the command line may look through everything there is. */
const COMMAND_TIMEOUT_MS = 60_000;
const COMMAND_POOL_SIZE = 4;

export type Pace = keyof typeof PACES;

const limitedTo = (statementMs: number) => ({
  statement_timeout: statementMs,
  // A little longer than the server's own limit, for a server that has stopped answering at all.
  query_timeout: statementMs + 2_000,
  idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
});

/** Migrations run on one connection without time limits: rewriting a large table takes what it takes. */
const PACES = {
  // One connection stays, however idle the process: it says which key is in use.
  service: { min: 1, max: POOL_SIZE, ...limitedTo(STATEMENT_TIMEOUT_MS) },
  command: { max: COMMAND_POOL_SIZE, ...limitedTo(COMMAND_TIMEOUT_MS) },
  migration: { max: 1 },
};

interface Bearings {
  readonly figures?: DatabaseFigures | undefined;
  readonly keyId?: string | undefined;
}

export function postgresDialect(url: string, pace: Pace, logger: Logger, { figures, keyId }: Bearings = {}): Dialect {
  const pool = new pg.Pool({
    connectionString: url,
    application_name: sessionName(pace === 'service' ? keyId : pace),
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    options: SESSION,
    types: { getTypeParser },
    ...PACES[pace],
  });
  // A connection that breaks is only news here: its query, if it has one, fails by itself. Without
  // a listener of its own, one that breaks while it is in use would end the process.
  const report = (error: Error) => logger.warn({ reason: error.message }, 'a database connection was lost');
  pool.on('error', report);
  if (pace === 'service') figures?.pooled(pool);
  pool.on('connect', (client) => client.on('error', report));
  return {
    createDriver: () => new FaultTranslatingDriver({ pool }),
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createAdapter: () => new PostgresAdapter(),
    createIntrospector: (db) => new PostgresIntrospector(db),
  };
}

/** Counts and averages arrive as text unless told otherwise; ours are far below 2^53. */
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
