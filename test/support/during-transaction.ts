/** Two changes at the same time, in a known order. */
import { sql } from 'kysely';
import { type Db, isPostgres } from '../../src/db/schema.ts';
import { waitUntil } from './wait-until.ts';

/** Whether so many transactions wait for another one, on PostgreSQL. */
export async function areWaiting(db: Db, count = 1): Promise<boolean> {
  const waiting = sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  return (await waiting.execute(db)).rows.length >= count;
}

/**
 * The answer to what is asked after the work and before its commit. On PostgreSQL the commit comes once the question
 * waits for it, or was answered without. On SQLite the question waits for the one connection.
 */
export async function askDuring<T>(db: Db, work: (trx: Db) => Promise<unknown>, ask: () => Promise<T>): Promise<T> {
  // In an array, because a transaction would wait for a promise that it returns.
  const [answer] = await db.transaction().execute(async (trx) => {
    await work(trx);
    let isAnswered = false;
    const asked = ask().finally(() => {
      isAnswered = true;
    });
    if (isPostgres(db)) await waitUntil(async () => isAnswered || (await areWaiting(db)));
    return [asked];
  });
  return answer;
}
