/**
 * Adds transactions and statements to the trace of the work that runs them. Statements outside of any
 * trace, such as the engine's polling, are not traced: each poll would be an empty trace.
 *
 * A statement is shown with its placeholders, never with its parameters.
 */
import type { CompiledQuery, DatabaseConnection, Dialect, Driver, QueryResult, TransactionSettings } from 'kysely';
import { errorTypeOf, type Span, type Tracer } from '../lib/tracer.ts';

export function tracedDialect(dialect: Dialect, system: string, tracer: Tracer): Dialect {
  return {
    createDriver: () => new TracedDriver(dialect.createDriver(), system, tracer),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createAdapter: () => dialect.createAdapter(),
    createIntrospector: (db) => dialect.createIntrospector(db),
  };
}

class TracedDriver implements Driver {
  readonly #inner: Driver;
  readonly #system: string;
  readonly #tracer: Tracer;

  constructor(inner: Driver, system: string, tracer: Tracer) {
    this.#inner = inner;
    this.#system = system;
    this.#tracer = tracer;
  }

  init(): Promise<void> {
    return this.#inner.init();
  }

  async acquireConnection(): Promise<TracedConnection> {
    return new TracedConnection(await this.#inner.acquireConnection(), this.#system, this.#tracer);
  }

  beginTransaction(connection: TracedConnection, settings: TransactionSettings): Promise<void> {
    connection.beginTransaction();
    return this.#inner.beginTransaction(connection.inner, settings);
  }

  commitTransaction(connection: TracedConnection): Promise<void> {
    return connection.endTransaction('commit', () => this.#inner.commitTransaction(connection.inner));
  }

  rollbackTransaction(connection: TracedConnection): Promise<void> {
    return connection.endTransaction('rollback', () => this.#inner.rollbackTransaction(connection.inner));
  }

  releaseConnection(connection: TracedConnection): Promise<void> {
    return this.#inner.releaseConnection(connection.inner);
  }

  destroy(): Promise<void> {
    return this.#inner.destroy();
  }
}

class TracedConnection implements DatabaseConnection {
  readonly inner: DatabaseConnection;
  readonly #system: string;
  readonly #tracer: Tracer;
  #transaction: Span | undefined;

  constructor(inner: DatabaseConnection, system: string, tracer: Tracer) {
    this.inner = inner;
    this.#system = system;
    this.#tracer = tracer;
  }

  beginTransaction(): void {
    if (this.#tracer.active()) this.#transaction = this.#start('transaction');
  }

  async endTransaction(kind: 'commit' | 'rollback', end: () => Promise<void>): Promise<void> {
    const span = this.#transaction;
    try {
      await end();
      this.#transaction = undefined;
      span?.end(kind === 'rollback' ? kind : undefined);
    } catch (error) {
      // Kysely rolls back after a failed commit; the span ends with the rollback.
      if (kind === 'rollback') span?.end(errorTypeOf(error));
      throw error;
    }
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const parent = this.#transaction ?? this.#tracer.active();
    if (!parent) return this.inner.executeQuery<R>(query);
    const span = this.#start(summarizeStatement(query.sql), { 'db.query.text': query.sql }, parent);
    try {
      const result = await this.inner.executeQuery<R>(query);
      span.end();
      return result;
    } catch (error) {
      span.end(errorTypeOf(error));
      throw error;
    }
  }

  streamQuery<R>(query: CompiledQuery, chunkSize: number): AsyncIterableIterator<QueryResult<R>> {
    return this.inner.streamQuery<R>(query, chunkSize);
  }

  #start(name: string, attributes: Readonly<Record<string, string>> = {}, parent?: Span): Span {
    const all = { 'db.system.name': this.#system, ...attributes };
    return this.#tracer.start(name, { kind: 'client', attributes: all, parent });
  }
}

const SUMMARY = /^\s*(\w+)\b(?:[^']*?\b(?:from|into|update)\s+"?(\w+))?/i;

/** The verb and the table: few enough distinct values for a span name. */
export function summarizeStatement(sql: string): string {
  const [, verb = '', table = ''] = SUMMARY.exec(sql) ?? [];
  const named = verb.toLowerCase() === 'update' ? (/^\s*update\s+"?(\w+)/i.exec(sql)?.[1] ?? table) : table;
  return [verb.toUpperCase(), named].filter(Boolean).join(' ');
}
