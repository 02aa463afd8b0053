import { type Kysely, sql } from 'kysely';
import { isPostgres } from './engine-of.ts';
import type { Database } from './schema.ts';

/**
 * Transactions that take the same turn run one after the other, in every process, until they end.
 * SQLite has one writer and needs no more than that.
 */
export async function takeTurn(trx: Kysely<Database>, name: 'billing'): Promise<void> {
  if (isPostgres(trx)) await sql`select pg_advisory_xact_lock(hashtext(${`crescendo ${name}`}))`.execute(trx);
}
