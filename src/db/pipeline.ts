/**
 * Statements of a transaction that share a round trip on PostgreSQL. On SQLite, which has none, each runs at once.
 */
import { type Compilable, type CompiledQuery, type QueryResult, type RawBuilder, sql } from 'kysely';
import type { Db } from './schema.ts';

type Query<R> = CompiledQuery<R> | Compilable<R>;

const sentLater = new WeakSet<CompiledQuery>();

/** For the driver: the statement goes out with the next one, or with the commit. */
export const isSentLater = (query: CompiledQuery): boolean => sentLater.has(query);

/**
 * Sends a write with the next statement of the transaction, or with its commit. If the write fails, that one fails
 * with its error.
 */
export async function sendLater(trx: Db, write: Query<unknown>): Promise<void> {
  await postpone(trx, write);
}

/**
 * A statement for PostgreSQL that fails unless the query finds a row: then nothing behind it runs, and `transact` runs
 * the transaction again. It lets a transaction act on what it has not read.
 */
export const mustFind = (db: Db, query: RawBuilder<unknown>): Compilable => ({
  compile: () => sql`select 1 / count(*) from (${query}) as found`.compile(db),
});

type RowsOf<Q extends readonly Query<unknown>[]> = {
  readonly [I in keyof Q]: Q[I] extends Query<infer R> ? readonly R[] : never;
};

/** Runs the statements in this order, and returns the rows of each. */
export async function sendTogether<Q extends readonly Query<unknown>[]>(trx: Db, ...queries: Q): Promise<RowsOf<Q>> {
  const results: QueryResult<unknown>[] = [];
  for (const query of queries.slice(0, -1)) results.push(await postpone(trx, query));
  const last = queries.at(-1);
  if (last) results.push(await trx.executeQuery(compiled(last)));
  // With the last statement, the driver has put the rows of the others into their results.
  return results.map(({ rows }) => rows) as unknown as RowsOf<Q>;
}

async function postpone(trx: Db, query: Query<unknown>): Promise<QueryResult<unknown>> {
  const later = compiled(query);
  sentLater.add(later);
  return trx.executeQuery(later);
}

const compiled = <R>(query: Query<R>): CompiledQuery<R> => ('compile' in query ? query.compile() : query);
