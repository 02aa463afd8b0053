import { sql } from 'kysely';
import { notAmong } from '../db/rows.ts';
import type { Db } from '../db/schema.ts';

export async function findMostOverdue(db: Db, now: Date, exceptOwners: readonly string[]) {
  const due = db.selectFrom('tasks').where('next_fire_at', '<=', now);
  const row = await (exceptOwners.length === 0 ? due : due.where(notAmong(db, 'owner_id', exceptOwners)))
    .select(['owner_id', 'next_fire_at'])
    .orderBy('next_fire_at')
    .limit(1)
    .executeTakeFirst();
  return row?.next_fire_at ? { owner_id: row.owner_id, at: row.next_fire_at } : undefined;
}

/** How many of the `limit` most overdue tasks belong to this owner. */
export async function countDue(db: Db, ownerId: string, now: Date, limit: number): Promise<number> {
  const oldest = db
    .selectFrom('tasks')
    .select('owner_id')
    .where('next_fire_at', '<=', now)
    .orderBy('next_fire_at')
    .limit(limit);
  const { count } = await db
    .selectFrom(oldest.as('oldest'))
    .select(sql<number>`count(*)`.as('count'))
    .where('owner_id', '=', ownerId)
    .executeTakeFirstOrThrow();
  return Number(count);
}
