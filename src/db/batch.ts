/** Statements that share a round trip on PostgreSQL. On SQLite, which has none, each runs at once. */
import {
  type Compilable,
  type CompiledQuery,
  type OperationNodeSource,
  type QueryResult,
  type RawBuilder,
  sql,
} from 'kysely';
import { type Db, isPostgres } from './schema.ts';

type Query<R> = CompiledQuery<R> | Compilable<R>;

/** A statement that the driver sends with the connection's next statement, or with the commit. */
interface Postponed extends CompiledQuery {
  readonly isPostponed: true;
}

export const isPostponed = (query: CompiledQuery): query is Postponed => 'isPostponed' in query;

/**
 * Sends a write with the next statement of the transaction, or with its commit. If the write fails, that statement or
 * commit fails with its error. Outside of a transaction the write is sent at once.
 */
export async function sendLater(trx: Db, write: Query<unknown>): Promise<void> {
  await (trx.isTransaction ? postpone(trx, write) : trx.executeQuery(compiled(write)));
}

/**
 * An expectation, for PostgreSQL: unless the query finds a row, the statement fails, the server skips the statements
 * behind it, and `transact` runs the transaction again. So a transaction can act on rows that it has not read.
 */
export const expectRow = (db: Db, query: RawBuilder<unknown>): Compilable => ({
  compile: () => sql`select crescendo_expect(exists (${query}))`.compile(db),
});

/** The same for a write that must change a row, and returns it. */
export const expectWritten = (db: Db, write: OperationNodeSource): Compilable => ({
  compile: () => sql`with written as (${write}) select crescendo_expect(exists (select from written))`.compile(db),
});

type RowsOf<Q extends readonly Query<unknown>[]> = {
  readonly [I in keyof Q]: Q[I] extends Query<infer R> ? readonly R[] : never;
};

/**
 * Runs the statements in this order, and returns the rows of each. Outside of a transaction they may only read, and
 * each sees the state at the moment it runs.
 */
export async function sendTogether<Q extends readonly Query<unknown>[]>(db: Db, ...queries: Q): Promise<RowsOf<Q>> {
  if (db.isTransaction || !isPostgres(db)) return sendOn(db, queries);
  return db.connection().execute((connection) => sendOn(connection, queries));
}

async function sendOn<Q extends readonly Query<unknown>[]>(connection: Db, queries: Q): Promise<RowsOf<Q>> {
  const results: QueryResult<unknown>[] = [];
  for (const query of queries.slice(0, -1)) results.push(await postpone(connection, query));
  const last = queries.at(-1);
  if (last) results.push(await connection.executeQuery(compiled(last)));
  // With the last statement, the driver has put the rows of the others into their results.
  return results.map(({ rows }) => rows) as unknown as RowsOf<Q>;
}

function postpone(connection: Db, query: Query<unknown>): Promise<QueryResult<unknown>> {
  const postponed: Postponed = { ...compiled(query), isPostponed: true };
  return connection.executeQuery(postponed);
}

const compiled = <R>(query: Query<R>): CompiledQuery<R> => ('compile' in query ? query.compile() : query);
