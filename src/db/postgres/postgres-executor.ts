/**
 * Runs queries on PostgreSQL outside of transactions. Point reads (`prepared.ts`) of one event-loop turn share a round
 * trip: with many requests at once, the round trip is the largest cost of such a read.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { CompiledQuery, Dialect, QueryResult } from 'kysely';
import { AppError } from '../../lib/errors.ts';
import { turnForStatement } from '../../lib/next-turn.ts';
import { DirectExecutor } from '../direct-executor.ts';
import { isPointRead } from '../prepared.ts';
import { refuseInsideTransaction } from '../transact.ts';
import type { PostgresDriver } from './postgres.ts';

/** The rest of a longer queue goes out on another connection, so that the server can use more than one core. */
const MOST_TOGETHER = 16;

interface WaitingRead {
  readonly query: CompiledQuery;
  readonly resolve: (result: QueryResult<never>) => void;
  readonly reject: (error: unknown) => void;
}

export class PostgresExecutor extends DirectExecutor {
  readonly #driver: PostgresDriver;
  /** A shared round trip belongs to no single request, so it must not wait for the turn of the first request. */
  readonly #outsideOfRequests = AsyncLocalStorage.snapshot();
  #waiting: WaitingRead[] = [];

  constructor(dialect: Dialect, driver: PostgresDriver) {
    super(dialect, driver);
    this.#driver = driver;
  }

  override async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (!isPointRead(query)) return super.executeQuery(query);
    refuseInsideTransaction();
    const turn = turnForStatement();
    if (turn) await turn;
    const { promise, resolve, reject } = Promise.withResolvers<QueryResult<R>>();
    this.#driver.pool.sharedReads += 1;
    const count = this.#waiting.push({ query, resolve, reject });
    // Runs when everything that arrived in this event-loop turn has been handled.
    if (count === 1) this.#outsideOfRequests(setImmediate, () => void this.#sendWaiting());
    else if (count === MOST_TOGETHER) void this.#outsideOfRequests(() => this.#sendWaiting());
    return promise;
  }

  async #sendWaiting(): Promise<void> {
    const reads = this.#waiting;
    this.#waiting = [];
    if (reads.length === 0) return;
    try {
      const results = await this.#readTogether(reads.map(({ query }) => query));
      for (const [index, { resolve }] of reads.entries()) resolve(results[index] as QueryResult<never>);
    } catch (error) {
      // The server skipped the reads after the failed one, so each read runs again alone, if the database is available.
      const isUnavailable = error instanceof AppError;
      for (const { query, resolve, reject } of reads) {
        if (isUnavailable) reject(error);
        else super.executeQuery<never>(query).then(resolve, reject);
      }
    } finally {
      this.#driver.pool.sharedReads -= reads.length;
    }
  }

  async #readTogether(queries: readonly CompiledQuery[]): Promise<QueryResult<unknown>[]> {
    const connection = await this.#driver.acquireConnection();
    try {
      return await connection.readTogether(queries);
    } finally {
      connection.release();
    }
  }
}
