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

/** Since when the next delivery has been due; null if none is due. */
export async function findWaitingSince(db: Db, provider: Provider, now: Date): Promise<Date | null> {
  const next = await pendingOf(db, provider)
    .where('next_attempt_at', '<=', now)
    .select(['next_attempt_at', 'created_at'])
    .orderBy('next_attempt_at')
    .limit(1)
    .executeTakeFirst();
  if (!next) return null;
  // A delivery that exceeded the capacity has a `next_attempt_at` in the distant past: it has waited since its creation.
  return next.next_attempt_at > next.created_at ? next.next_attempt_at : next.created_at;
}
