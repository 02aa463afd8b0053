/** What stands in the outbox. Asked again and again, so no question here reads more than a bounded part of an index. */
import { type Kysely, sql } from 'kysely';
import type { Database } from '../db/schema.ts';

type Provider = Database['deliveries']['provider'];

const pendingOf = (db: Kysely<Database>, provider: Provider) =>
  db.selectFrom('deliveries').where('provider', '=', provider).where('status', '=', 'pending');

/** How many wait to be sent now, or for a later moment; counted up to the limit and no further. */
export async function countPending(
  db: Kysely<Database>,
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

/** Since when the one that is next in line could have been sent. */
export async function findWaitingSince(db: Kysely<Database>, provider: Provider, now: Date): Promise<Date | null> {
  const next = await pendingOf(db, provider)
    .where('next_attempt_at', '<=', now)
    .select(['next_attempt_at', 'created_at'])
    .orderBy('next_attempt_at')
    .limit(1)
    .executeTakeFirst();
  if (!next) return null;
  // What there was no room for is due since ever; it has waited since it was made.
  return next.next_attempt_at > next.created_at ? next.next_attempt_at : next.created_at;
}
