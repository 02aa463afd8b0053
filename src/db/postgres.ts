/**
 * Kysely over `pg`. A fault of the database fails only the requests of that moment, each with
 * `database_unavailable`: the pool closes the connections it broke and opens new ones. Time limits ensure that
 * neither a statement nor an abandoned transaction holds a lock for longer than a caller would wait.
 */
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely';
import pg from 'pg';
import type { Logger } from '../lib/logger.ts';
import { breaksConnection, isRetryable, isSilence, translateFault, unavailable } from './faults.ts';
import type { DatabaseMetrics, Pool } from './metrics.ts';
import { reportSharedSessions } from './pooler.ts';
import { connectionOptions } from './postgres-address.ts';
import { PostgresPool } from './postgres-pool.ts';
import { sessionName } from './postgres-sessions.ts';
import { prepareSession, settingsWith } from './session-settings.ts';
import { refuseInsideTransaction } from './transact.ts';

/** The most connections that one process of the service opens. */
export const POOL_SIZE = 10;
/** Several seconds more than any statement of the service takes, and less than a caller waits. */
const STATEMENT_TIMEOUT_MS = 8_000;
/** The client's limit is for a server that no longer answers, so it is longer than the server's. */
const ANSWER_MARGIN_MS = 1_000;

/** A command may read every row of the database. */
const COMMAND_TIMEOUT_MS = 60_000;
const COMMAND_POOL_SIZE = 4;

const CONNECTION_PROFILES = {
  // One connection stays open in an idle process: its session name contains the id of the key in use.
  service: { min: 1, max: POOL_SIZE, statementTimeoutMs: STATEMENT_TIMEOUT_MS },
  command: { min: 0, max: COMMAND_POOL_SIZE, statementTimeoutMs: COMMAND_TIMEOUT_MS },
  // Rewriting a large table may take long.
  migration: { min: 0, max: 1, statementTimeoutMs: undefined },
};

/** The settings that a session of the service needs. */
export const SERVICE_SETTINGS = settingsWith(STATEMENT_TIMEOUT_MS);

export type ConnectionProfile = keyof typeof CONNECTION_PROFILES;

interface PostgresOptions {
  readonly metrics?: DatabaseMetrics | undefined;
  readonly onPool?: ((pool: Pool) => void) | undefined;
  readonly keyId?: string | undefined;
}

export function postgresDialect(
  url: string,
  profile: ConnectionProfile,
  logger: Logger,
  { metrics, onPool, keyId }: PostgresOptions = {},
): Dialect {
  const { min, max, statementTimeoutMs } = CONNECTION_PROFILES[profile];
  const isService = profile === 'service';
  const settings = settingsWith(statementTimeoutMs);
  let isPoolerKnown = false;
  const onConnect = async (client: pg.ClientBase) => {
    const { isPooled } = await prepareSession(client, settings, { refuseStandby: isService });
    if (isService && isPooled && !isPoolerKnown) void reportSharedSessions(url, settings, logger);
    isPoolerKnown ||= isPooled;
  };
  const options: pg.PoolConfig = {
    ...connectionOptions(url, sessionName(isService ? keyId : profile)),
    min,
    max,
    onConnect,
    types: { getTypeParser },
    ...(statementTimeoutMs !== undefined && { query_timeout: statementTimeoutMs + ANSWER_MARGIN_MS }),
  };
  const pool = new PostgresPool(options, logger);
  if (isService) {
    metrics?.observePool(pool);
    onPool?.(pool);
  }
  return {
    createDriver: () => new PostgresDriver(pool, profile),
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

/** Local to the transaction: behind a pooler that shares sessions, the service would inherit them. */
const BEGIN_MIGRATION =
  "begin; set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0; set local timezone = 'UTC'";

class PostgresDriver implements Driver {
  readonly #pool: PostgresPool;
  readonly #profile: ConnectionProfile;
  #closed: Promise<void> | undefined;

  constructor(pool: PostgresPool, profile: ConnectionProfile) {
    this.#pool = pool;
    this.#profile = profile;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<PostgresConnection> {
    refuseInsideTransaction();
    if (this.#closed) throw new Error('The database is not open.');
    try {
      return new PostgresConnection(await this.#pool.acquire(), this.#pool);
    } catch (error) {
      // A service has connected before, so whatever the reason is, it is the database that has changed.
      throw this.#profile === 'service' ? unavailable(error) : translateFault(error);
    }
  }

  async beginTransaction(connection: PostgresConnection): Promise<void> {
    await connection.begin(this.#profile === 'migration' ? BEGIN_MIGRATION : 'begin');
  }

  async commitTransaction(connection: PostgresConnection): Promise<void> {
    await connection.commit();
  }

  async rollbackTransaction(connection: PostgresConnection): Promise<void> {
    await connection.rollback();
  }

  async releaseConnection(connection: PostgresConnection): Promise<void> {
    connection.release();
  }

  async destroy(): Promise<void> {
    this.#closed ??= this.#pool.close();
    await this.#closed;
  }
}

/** The commands whose result counts rows. */
const CHANGES: ReadonlySet<string> = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE']);

class PostgresConnection implements DatabaseConnection {
  readonly #client: pg.PoolClient;
  readonly #pool: PostgresPool;
  #isIntact = true;
  #isInTransaction = false;

  constructor(client: pg.PoolClient, pool: PostgresPool) {
    this.#client = client;
    this.#pool = pool;
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const { command, rowCount, rows } = await this.#run(sql, [...parameters]);
    return { rows, ...(CHANGES.has(command) && { numAffectedRows: BigInt(rowCount ?? 0) }) };
  }

  // biome-ignore lint/correctness/useYield: the interface requires a generator, and this one only throws.
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('A stream would hold a connection and an old snapshot: read page by page instead.');
  }

  async begin(statement: string): Promise<void> {
    this.#isInTransaction = true;
    await this.#run(statement);
  }

  async commit(): Promise<void> {
    const { command } = await this.#run('commit');
    // PostgreSQL answers COMMIT with ROLLBACK if an error of the transaction was caught and ignored.
    if (command === 'ROLLBACK') throw new Error('The transaction was already rolled back by an earlier error.');
  }

  /** Never fails: the caller gets the error that led to the rollback. A connection that is lost has rolled back. */
  async rollback(): Promise<void> {
    if (this.#isIntact) await this.#run('rollback').catch(() => this.#discard());
  }

  release(): void {
    this.#pool.release(this.#client, this.#isIntact);
  }

  async #run(text: string, values: unknown[] = []): Promise<pg.QueryResult> {
    try {
      return await this.#client.query(text, values);
    } catch (error) {
      if (breaksConnection(error)) this.#discard();
      if (isSilence(error)) this.#pool.reportSilence(error as Error);
      // `transact` runs a transaction again. A single statement has nothing around it that could.
      if (!this.#isInTransaction && isRetryable(error)) throw unavailable(error);
      throw translateFault(error);
    }
  }

  #discard(): void {
    this.#isIntact = false;
  }
}
