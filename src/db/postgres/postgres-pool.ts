/**
 * The connections of this process to PostgreSQL.
 *
 * Guarantees:
 * - A connection that broke, fell silent or was left inside a transaction is closed and never given out again.
 * - A host can vanish without closing its connections. A connection that was idle for a while is therefore checked
 *   before use. After one connection has fallen silent, all connections that have not answered since are closed.
 * - When the server has no connection left, callers wait for one that this process already has.
 * - A caller waits for a connection no longer than a few seconds.
 */
import pg from 'pg';
import { stopwatch } from '../../lib/clock.ts';
import type { Logger } from '../../lib/logger.ts';
import { isOutOfConnections } from '../faults.ts';
import { CONNECT_TIMEOUT_MS } from './postgres-address.ts';
import { PreparedStatements } from './postgres-statements.ts';

/** A connection that was used more recently is given out without a check. */
const CHECK_AFTER_IDLE_MS = 1_000;
const CHECK_TIMEOUT_MS = 2_000;
/** How long the pool opens no connection after the server has refused one. */
const FULL_SERVER_PAUSE_MS = 5_000;

interface Connected {
  readonly statements: PreparedStatements;
  answeredAt: number;
}

export class PostgresPool {
  readonly #pool: pg.Pool;
  readonly #max: number;
  readonly #now = stopwatch();
  readonly #report: (error: Error) => void;
  readonly #connected = new Map<pg.ClientBase, Connected>();
  #lastSilenceAt = Number.NEGATIVE_INFINITY;
  #pause: NodeJS.Timeout | undefined;
  sharedReads = 0;

  constructor(options: pg.PoolConfig, logger: Logger) {
    const pool = new pg.Pool(options);
    this.#pool = pool;
    this.#max = pool.options.max;
    // A broken connection is only logged here; a query on it fails with its own error. Without a listener
    // on the client, a connection that breaks while it is in use would end the process.
    this.#report = (error) => logger.warn({ reason: error.message }, 'a database connection was lost');
    pool.on('error', this.#report);
    pool.on('connect', (client) => {
      client.on('error', this.#report);
      this.#connected.set(client, { statements: new PreparedStatements(), answeredAt: this.#now() });
    });
    pool.on('remove', (client) => this.#connected.delete(client));
  }

  get totalCount(): number {
    return this.#pool.totalCount;
  }

  get idleCount(): number {
    return this.#pool.idleCount;
  }

  get waitingCount(): number {
    return this.#pool.waitingCount;
  }

  /** Includes reads that share a round trip: the other statements of their requests come next, and will wait. */
  get waitingPerConnection(): number {
    return (this.waitingCount + this.sharedReads) / this.#max;
  }

  async acquire(): Promise<{ readonly client: pg.PoolClient; readonly statements: PreparedStatements }> {
    for (;;) {
      const client = await this.#checkOut();
      const connected = this.#connected.get(client);
      if (connected && (await this.#isAlive(client, connected))) return { client, statements: connected.statements };
      this.#destroy(client);
    }
  }

  /** Takes the connection back. It is closed unless the server is ready for the next statement on it. */
  release(client: pg.PoolClient, isIntact: boolean): void {
    if (isIntact && client.getTransactionStatus() === 'I') {
      const connected = this.#connected.get(client);
      if (connected) connected.answeredAt = this.#now();
      client.release();
    } else this.#destroy(client);
  }

  /** The server did not answer in time on one of the connections. */
  reportSilence(error: Error): void {
    this.#report(error);
    this.#lastSilenceAt = this.#now();
  }

  async close(): Promise<void> {
    clearTimeout(this.#pause);
    await this.#pool.end();
  }

  async #checkOut(): Promise<pg.PoolClient> {
    const elapsedMs = stopwatch();
    for (;;) {
      try {
        return await this.#pool.connect();
      } catch (error) {
        if (!isOutOfConnections(error) || this.#connected.size === 0 || elapsedMs() > CONNECT_TIMEOUT_MS) throw error;
        this.#openNoMore();
      }
    }
  }

  /** Lowers the size of the pool to its open connections, so that callers wait for one of them. */
  #openNoMore(): void {
    this.#pool.options.max = this.#connected.size;
    this.#pause ??= setTimeout(() => {
      this.#pause = undefined;
      this.#pool.options.max = this.#max;
    }, FULL_SERVER_PAUSE_MS).unref();
  }

  async #isAlive(client: pg.PoolClient, { answeredAt }: Connected): Promise<boolean> {
    if (answeredAt < this.#lastSilenceAt) return false;
    if (this.#now() - answeredAt < CHECK_AFTER_IDLE_MS) return true;
    try {
      await client.query(withTimeout('select 1', CHECK_TIMEOUT_MS));
      return true;
    } catch (error) {
      this.reportSilence(error as Error);
      return false;
    }
  }

  /** Saying goodbye first would keep the socket of a vanished host open for minutes. */
  #destroy(client: pg.PoolClient): void {
    (client as unknown as pg.Client).connection.stream.destroy();
    client.release(true);
  }
}

/** The types of `pg` lack the time limit of a single query. */
export const withTimeout = (text: string, query_timeout: number): pg.QueryConfig =>
  ({ text, query_timeout }) as pg.QueryConfig;
