/**
 * One connection of the pool. It waits for the server only where a result is needed: the start of a transaction goes
 * out with its first statement, and a postponed statement (`batch.ts`) with the next one or with the commit.
 */
import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely';
import type pg from 'pg';
import { isPostponed } from '../batch.ts';
import {
  breaksConnection,
  isRetryable,
  isSilence,
  isStatementLost,
  isUnknownStatement,
  translateFault,
  unavailable,
} from '../faults.ts';
import { PostgresBatch, type Statement, type StatementResult } from './postgres-batch.ts';
import type { PostgresPool } from './postgres-pool.ts';
import type { PreparedStatements } from './postgres-statements.ts';

/** Whether statements may be prepared on the connections of the pool. */
export interface Preparing {
  isSafe: boolean;
}

const BEGIN: Statement = { sql: 'begin', parameters: [] };
const COMMIT: Statement = { sql: 'commit', parameters: [] };

/** A statement, and the result object that its caller already has. */
interface Unsent extends Statement {
  readonly fill?: (result: StatementResult) => void;
}

export class PostgresConnection implements DatabaseConnection {
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
    if (isPostponed(query)) return this.#postpone<R>(query);
    const unsent = this.#unsent;
    try {
      return toResult<R>(await this.#send(query));
    } catch (error) {
      // Nothing was changed: the server refuses a lost statement before it runs it, and earlier statements only read.
      if (this.#isInTransaction || !isStatementLost(error)) throw error;
      this.#unsent = unsent;
      return toResult<R>(await this.#send(query));
    }
  }

  /** For reads outside of a transaction. If one fails, the rest is skipped. */
  async readTogether(queries: readonly CompiledQuery[]): Promise<QueryResult<unknown>[]> {
    return (await this.#run(() => this.#submit(queries))).map(toResult);
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

  /** Never fails: the caller gets the error that led to the rollback. The server rolls back a lost connection. */
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

  /** Sends the postponed statements and this one, and returns the result of this one. */
  async #send(statement: Statement): Promise<StatementResult> {
    const unsent = this.#unsent;
    this.#unsent = [];
    if (this.#isInTransaction) this.#hasBegun = true;
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
      // `transact` runs a transaction again. Nothing runs a single statement again.
      if (!this.#isInTransaction && isRetryable(error)) throw unavailable(error);
      throw translateFault(error);
    }
  }

  /** If the session does not know a prepared statement, a pooler shares the sessions after all. */
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
