/**
 * Kysely over `pg`. A fault of the database fails only the requests of that moment, each with
 * `database_unavailable`: the pool closes the broken connections and opens new ones. Time limits ensure that
 * neither a statement nor an abandoned transaction keeps a lock for longer than a caller would wait.
 */
import { type Dialect, type Driver, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import type pg from 'pg';
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/logger.ts';
import { turnForStatement } from '../../lib/next-turn.ts';
import { translateFault, unavailable } from '../faults.ts';
import type { DatabaseMetrics } from '../metrics.ts';
import { refuseInsideTransaction } from '../transact.ts';
import { reportSharedSessions } from './pooler.ts';
import { connectionOptions } from './postgres-address.ts';
import { PostgresConnection, type Preparing } from './postgres-connection.ts';
import { PostgresPool } from './postgres-pool.ts';
import { sessionName } from './postgres-sessions.ts';
import { ServerClock } from './server-clock.ts';
import { prepareSession, settingsWith } from './session-settings.ts';

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
  readonly keyId?: string | undefined;
  /** The clock of the process, which from now on follows the server's. */
  readonly clock?: Clock | undefined;
}

interface PostgresDialect extends Dialect {
  readonly pool: PostgresPool;
  createDriver(): PostgresDriver;
}

export function postgresDialect(
  url: string,
  profile: ConnectionProfile,
  logger: Logger,
  { metrics, keyId, clock }: PostgresOptions = {},
): PostgresDialect {
  const { min, max, statementTimeoutMs } = CONNECTION_PROFILES[profile];
  const isService = profile === 'service';
  const settings = settingsWith(statementTimeoutMs);
  const serverClock = clock && new ServerClock(clock, isService ? logger : undefined);
  let isPoolerKnown = false;
  // A migration changes what statements return.
  const preparing: Preparing = { isSafe: profile !== 'migration' };
  const onConnect = async (client: pg.ClientBase) => {
    const { isPooled, serverTime } = await prepareSession(client, settings, { refuseStandby: isService });
    serverClock?.follow(serverTime);
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
    serverClock?.readEveryMinute(pool);
  }
  return {
    pool,
    createDriver: () => new PostgresDriver(pool, profile, preparing, serverClock),
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createAdapter: () => new PostgresAdapter(),
    createIntrospector: (db) => new PostgresIntrospector(db),
  };
}

/** Local to the transaction: behind a pooler that shares sessions, the service would inherit them. */
const BEGIN_MIGRATION =
  "begin; set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0; set local timezone = 'UTC'";

export class PostgresDriver implements Driver {
  readonly pool: PostgresPool;
  readonly #profile: ConnectionProfile;
  #closed: Promise<void> | undefined;
  readonly #preparing: Preparing;
  readonly #serverClock: ServerClock | undefined;

  constructor(pool: PostgresPool, profile: ConnectionProfile, preparing: Preparing, serverClock?: ServerClock) {
    this.pool = pool;
    this.#serverClock = serverClock;
    this.#profile = profile;
    this.#preparing = preparing;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<PostgresConnection> {
    refuseInsideTransaction();
    const turn = turnForStatement();
    if (turn) await turn;
    if (this.#closed) throw new Error('The database is not open.');
    try {
      const { client, statements } = await this.pool.acquire();
      return new PostgresConnection(client, this.pool, statements, this.#preparing);
    } catch (error) {
      // The service has connected before, so for any reason, the database is unavailable now.
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
    this.#serverClock?.stop();
    this.#closed ??= this.pool.close();
    await this.#closed;
  }
}
