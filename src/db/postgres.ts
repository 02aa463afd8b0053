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
import type pg from 'pg';
import type { Logger } from '../lib/logger.ts';
import {
  breaksConnection,
  isRetryable,
  isSilence,
  isStatementLost,
  isUnknownStatement,
  translateFault,
  unavailable,
} from './faults.ts';
import type { DatabaseMetrics, Pool } from './metrics.ts';
import { isSentLater } from './pipeline.ts';
import { reportSharedSessions } from './pooler.ts';
import { connectionOptions } from './postgres-address.ts';
import { PostgresBatch, type Statement, type StatementResult } from './postgres-batch.ts';
import { PostgresPool } from './postgres-pool.ts';
import { sessionName } from './postgres-sessions.ts';
import { PreparedStatements } from './postgres-statements.ts';
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
  // A migration changes what statements return.
  const preparing: Preparing = { isSafe: profile !== 'migration' };
  const onConnect = async (client: pg.ClientBase) => {
    const { isPooled } = await prepareSession(client, settings, { refuseStandby: isService });
    if (!isPooled || isPoolerKnown) return;
    isPoolerKnown = true;
    // A prepared statement belongs to a session, so nothing is prepared until it is known that each client has its own.
    preparing.isSafe = false;
    if (!isService) return;
    void reportSharedSessions(url, settings, logger).then((areShared) => {
      preparing.isSafe = !areShared;
    });
  };
  const options: pg.PoolConfig = {
    ...connectionOptions(url, sessionName(isService ? keyId : profile)),
    min,
    max,
    onConnect,
    ...(statementTimeoutMs !== undefined && { query_timeout: statementTimeoutMs + ANSWER_MARGIN_MS }),
  };
  const pool = new PostgresPool(options, logger);
  if (isService) {
    metrics?.observePool(pool);
    onPool?.(pool);
  }
  return {
    createDriver: () => new PostgresDriver(pool, profile, preparing),
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createAdapter: () => new PostgresAdapter(),
    createIntrospector: (db) => new PostgresIntrospector(db),
  };
}

/** Local to the transaction: behind a pooler that shares sessions, the service would inherit them. */
const BEGIN_MIGRATION =
  "begin; set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0; set local timezone = 'UTC'";

/** Whether statements may be prepared on the connections of the pool. */
interface Preparing {
  isSafe: boolean;
}

class PostgresDriver implements Driver {
  readonly #pool: PostgresPool;
  readonly #profile: ConnectionProfile;
  #closed: Promise<void> | undefined;
  readonly #preparing: Preparing;
  readonly #statements = new WeakMap<pg.PoolClient, PreparedStatements>();

  constructor(pool: PostgresPool, profile: ConnectionProfile, preparing: Preparing) {
    this.#pool = pool;
    this.#profile = profile;
    this.#preparing = preparing;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<PostgresConnection> {
    refuseInsideTransaction();
    if (this.#closed) throw new Error('The database is not open.');
    try {
      const client = await this.#pool.acquire();
      return new PostgresConnection(client, this.#pool, this.#statementsOf(client), this.#preparing);
    } catch (error) {
      // A service has connected before, so whatever the reason is, it is the database that has changed.
      throw this.#profile === 'service' ? unavailable(error) : translateFault(error);
    }
  }

  async beginTransaction(connection: PostgresConnection): Promise<void> {
    if (this.#profile === 'migration') await connection.beginNow(BEGIN_MIGRATION);
    else connection.begin();
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

  #statementsOf(client: pg.PoolClient): PreparedStatements {
    const known = this.#statements.get(client);
    if (known) return known;
    const statements = new PreparedStatements();
    this.#statements.set(client, statements);
    return statements;
  }
}

const BEGIN: Statement = { sql: 'begin', parameters: [] };
const COMMIT: Statement = { sql: 'commit', parameters: [] };

/** A statement, and the result that its caller holds already. */
interface Unsent extends Statement {
  readonly fill?: (result: StatementResult) => void;
}

/**
 * Waits for the server only where a result is needed: the start of a transaction goes out with its first statement,
 * and what was sent later (`pipeline.ts`) with the next statement or with the commit.
 */
class PostgresConnection implements DatabaseConnection {
  readonly #client: pg.PoolClient;
  readonly #pool: PostgresPool;
  readonly #statements: PreparedStatements;
  readonly #preparing: Preparing;
  #isIntact = true;
  #isInTransaction = false;
  /** Whether the server knows of the transaction. */
  #hasBegun = false;
  #unsent: Unsent[] = [];

  constructor(client: pg.PoolClient, pool: PostgresPool, statements: PreparedStatements, preparing: Preparing) {
    this.#client = client;
    this.#pool = pool;
    this.#statements = statements;
    this.#preparing = preparing;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (this.#isInTransaction && isSentLater(query)) return this.#postpone<R>(query);
    try {
      return toResult<R>(await this.#send(query));
    } catch (error) {
      // Nothing has happened: the server refuses such a statement before it runs it.
      if (this.#isInTransaction || !isStatementLost(error)) throw error;
      return toResult<R>(await this.#send(query));
    }
  }

  // biome-ignore lint/correctness/useYield: the interface requires a generator, and this one only throws.
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('A stream would hold a connection and an old snapshot: read page by page instead.');
  }

  begin(): void {
    this.#isInTransaction = true;
    this.#unsent = [BEGIN];
  }

  /** For several statements in one text, which cannot be prepared. */
  async beginNow(text: string): Promise<void> {
    this.#isInTransaction = true;
    this.#hasBegun = true;
    await this.#run(() => this.#client.query(text));
  }

  async commit(): Promise<void> {
    if (!this.#hasBegun && this.#unsent.length === 1) return;
    const { command } = await this.#send(COMMIT);
    // PostgreSQL answers COMMIT with ROLLBACK if an error of the transaction was caught and ignored.
    if (command === 'ROLLBACK') throw new Error('The transaction was already rolled back by an earlier error.');
  }

  /** Never fails: the caller gets the error that led to the rollback. A connection that is lost has rolled back. */
  async rollback(): Promise<void> {
    this.#unsent = [];
    if (this.#isIntact && this.#hasBegun) await this.#client.query('rollback').catch(() => this.#discard());
  }

  release(): void {
    this.#pool.release(this.#client, this.#isIntact);
  }

  #postpone<R>({ sql, parameters }: CompiledQuery): QueryResult<R> {
    const result: { rows: R[] } = { rows: [] };
    this.#unsent.push({
      sql,
      parameters,
      fill: ({ rows }) => {
        result.rows = rows as R[];
      },
    });
    return result;
  }

  /** Sends what waits and the statement, and returns the result of the statement. */
  async #send(statement: Statement): Promise<StatementResult> {
    const unsent = this.#unsent;
    if (this.#isInTransaction) {
      this.#unsent = [];
      this.#hasBegun = true;
    }
    const results = await this.#run(() => this.#submit([...unsent, statement]));
    for (const [index, { fill }] of unsent.entries()) fill?.(results[index] as StatementResult);
    return results[unsent.length] as StatementResult;
  }

  #submit(statements: readonly Statement[]): Promise<readonly StatementResult[]> {
    const { promise, resolve, reject } = Promise.withResolvers<readonly StatementResult[]>();
    const callback = (error: unknown, results: readonly StatementResult[] = []) =>
      error ? reject(error) : resolve(results);
    const prepared = this.#preparing.isSafe ? this.#statements : undefined;
    this.#client.query(new PostgresBatch(statements, prepared, callback));
    return promise;
  }

  async #run<T>(query: () => Promise<T>): Promise<T> {
    try {
      return await query();
    } catch (error) {
      if (breaksConnection(error)) this.#discard();
      if (isSilence(error)) this.#pool.reportSilence(error as Error);
      if (isStatementLost(error)) this.#prepareAnew(error);
      // `transact` runs a transaction again. A single statement has nothing around it that could.
      if (!this.#isInTransaction && isRetryable(error)) throw unavailable(error);
      throw translateFault(error);
    }
  }

  /** A statement that its session does not have shows that the sessions are shared after all. */
  #prepareAnew(error: unknown): never {
    this.#statements.clear();
    if (isUnknownStatement(error)) this.#preparing.isSafe = false;
    throw error;
  }

  #discard(): void {
    this.#isIntact = false;
  }
}

const CHANGED_ROWS = /^(?:INSERT \d+|UPDATE|DELETE|MERGE) (\d+)$/;

function toResult<R>({ rows, command }: StatementResult): QueryResult<R> {
  const changed = CHANGED_ROWS.exec(command)?.[1];
  return changed === undefined ? { rows: rows as R[] } : { rows: rows as R[], numAffectedRows: BigInt(changed) };
}
