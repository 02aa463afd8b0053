/**
 * Statements of a transaction that share a round trip on PostgreSQL. On SQLite, which has none, each runs at once.
 */
import type { Compilable, CompiledQuery } from 'kysely';
import type { Db } from './schema.ts';

const sentLater = new WeakSet<CompiledQuery>();

/** For the driver: the statement is sent with the next one, or with the commit. */
export const isSentLater = (query: CompiledQuery): boolean => sentLater.has(query);

/**
 * Sends a write with the next statement of the transaction, or with its commit. If the write fails, that one fails
 * with its error.
 */
export async function sendLater(trx: Db, write: Compilable): Promise<void> {
  await trx.executeQuery(deferred(write));
}

/** Runs two statements, one after the other, and returns the rows of both. */
export async function sendTogether<A, B>(
  trx: Db,
  first: Compilable<A>,
  second: Compilable<B>,
): Promise<readonly [readonly A[], readonly B[]]> {
  const earlier = await trx.executeQuery(deferred(first));
  const { rows } = await trx.executeQuery(second);
  // The driver has put the rows of the first into its result by now.
  return [earlier.rows, rows];
}

function deferred<R>(query: Compilable<R>): CompiledQuery<R> {
  const compiled = query.compile();
  sentLater.add(compiled);
  return compiled;
}
