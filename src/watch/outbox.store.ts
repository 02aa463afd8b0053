/** Counts pending deliveries. These queries run often, so each reads only a bounded part of an index. */
import { sql } from 'kysely';
import type { Database, Db } from '../db/schema.ts';

type Provider = Database['deliveries']['provider'];

const pendingOf = (db: Db, provider: Provider) =>
  db.selectFrom('deliveries').where('provider', '=', provider).where('status', '=', 'pending');

/** How many deliveries are due now or later. Counting stops at the limit. */
export async function countPending(
  db: Db,
  provider: Provider,
  when: 'due' | 'later',
  now: Date,
  limit: number,
): Promise<number> {
  const some = pendingOf(db, provider)
    .where('next_attempt_at', when === 'due' ? '<=' : '>', now)
    .select(sql<number>`1`.as('one'))
    .limit(limit);
  const row = await db
    .selectFrom(some.as('some'))
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

/** Since when the oldest due delivery waits; null if none is due. Reads only the first `limit` of a long backlog. */
export async function findWaitingSince(db: Db, provider: Provider, now: Date, limit: number): Promise<Date | null> {
  // A delivery that exceeded the capacity has a `next_attempt_at` in the distant past: it has waited since its creation.
  const since = sql<Date>`case when next_attempt_at > created_at then next_attempt_at else created_at end`;
  const due = pendingOf(db, provider)
    .where('next_attempt_at', '<=', now)
    .select(['next_attempt_at', 'created_at'])
    .orderBy('next_attempt_at')
    .limit(limit);
  const oldest = await db
    .selectFrom(due.as('due'))
    .select(['next_attempt_at', 'created_at'])
    .orderBy(since)
    .limit(1)
    .executeTakeFirst();
  if (!oldest) return null;
  return oldest.next_attempt_at > oldest.created_at ? oldest.next_attempt_at : oldest.created_at;
}
