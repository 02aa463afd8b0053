import type { Insertable, Selectable } from 'kysely';
import type { Database, Db } from '../db/schema.ts';
import { isOverdue, type ReplannedOwner } from './overdue.ts';

export type Outcome = Selectable<Database['outcomes']>;
export type Counts = Omit<Selectable<Database['task_counts']>, 'user_id' | 'booked_ms' | 'booked_at_ms'>;

export async function insertOutcome(trx: Db, outcome: Insertable<Database['outcomes']>): Promise<void> {
  await trx.insertInto('outcomes').values(outcome).execute();
}

export async function deleteOutcome(trx: Db, id: string): Promise<Outcome | undefined> {
  return trx.deleteFrom('outcomes').where('id', '=', id).returningAll().executeTakeFirst();
}

/** Newest first. */
export async function listOutcomes(
  db: Db,
  ownerId: string,
  outcome: string | undefined,
  limit: number,
): Promise<Outcome[]> {
  let query = db.selectFrom('outcomes').selectAll().where('owner_id', '=', ownerId);
  if (outcome !== undefined) query = query.where('outcome', '=', outcome);
  return query.orderBy('recorded_at', 'desc').orderBy('id', 'desc').limit(limit).execute();
}

const ZERO: Counts = { open: 0, done: 0, skipped: 0, nudges_sent: 0, seconds_to_done: 0, stored: 0 };

/**
 * Adds to the running sums and returns them. Runs in the transaction that changes the counted rows, so
 * that the sums stay exact.
 */
export async function addToCounts(trx: Db, userId: string, change: Partial<Counts>): Promise<Counts> {
  const added = { ...ZERO, ...change };
  return trx
    .insertInto('task_counts')
    .values({ user_id: userId, ...added })
    .onConflict((conflict) =>
      conflict.column('user_id').doUpdateSet((eb) => ({
        open: eb('task_counts.open', '+', added.open),
        done: eb('task_counts.done', '+', added.done),
        skipped: eb('task_counts.skipped', '+', added.skipped),
        nudges_sent: eb('task_counts.nudges_sent', '+', added.nudges_sent),
        seconds_to_done: eb('task_counts.seconds_to_done', '+', added.seconds_to_done),
        stored: eb('task_counts.stored', '+', added.stored),
      })),
    )
    .returning(['open', 'done', 'skipped', 'nudges_sent', 'seconds_to_done', 'stored'])
    .executeTakeFirstOrThrow();
}

export async function getCounts(db: Db, userId: string): Promise<Counts> {
  const counts = await db.selectFrom('task_counts').selectAll().where('user_id', '=', userId).executeTakeFirst();
  return counts ?? ZERO;
}

/** Each count is answered from a partial index that contains open tasks only. */
export async function countOverdueAndSnoozed(
  db: Db,
  ownerId: string,
  now: Date,
  replanned: readonly ReplannedOwner[],
): Promise<{ overdue: number; snoozed: number }> {
  const open = db.selectFrom('tasks').where('owner_id', '=', ownerId).where('status', '=', 'open');
  const count = (query: typeof open) =>
    query.select((eb) => eb.fn.countAll<number>().as('count')).executeTakeFirstOrThrow();
  const overdue = await count(open.where((eb) => isOverdue(eb, now, replanned)));
  const snoozed = await count(open.where('deferred_until', '>', now));
  return { overdue: overdue.count, snoozed: snoozed.count };
}
