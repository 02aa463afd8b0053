import type { Insertable, Kysely, Selectable } from 'kysely';
import type { Database } from '../db/schema.ts';

export type Outcome = Selectable<Database['outcomes']>;
export type Counts = Omit<Selectable<Database['task_counts']>, 'user_id'>;

export async function insertOutcome(trx: Kysely<Database>, outcome: Insertable<Database['outcomes']>): Promise<void> {
  await trx.insertInto('outcomes').values(outcome).execute();
}

export async function deleteOutcome(trx: Kysely<Database>, id: string): Promise<Outcome | undefined> {
  return trx.deleteFrom('outcomes').where('id', '=', id).returningAll().executeTakeFirst();
}

/** Newest first. */
export async function listOutcomes(
  db: Kysely<Database>,
  ownerId: string,
  outcome: string | undefined,
  limit: number,
): Promise<Outcome[]> {
  let query = db.selectFrom('outcomes').selectAll().where('owner_id', '=', ownerId);
  if (outcome !== undefined) query = query.where('outcome', '=', outcome);
  return query.orderBy('recorded_at', 'desc').orderBy('id', 'desc').limit(limit).execute();
}

const NONE: Counts = { open: 0, done: 0, skipped: 0, nudges_sent: 0, seconds_to_done: 0 };

/** Adds to the running sums, in the transaction of what they count. */
export async function addToCounts(trx: Kysely<Database>, userId: string, change: Partial<Counts>): Promise<void> {
  const first = { ...NONE, ...change };
  await trx
    .insertInto('task_counts')
    .values({ user_id: userId, ...first })
    .onConflict((conflict) =>
      conflict.column('user_id').doUpdateSet((eb) => ({
        open: eb('task_counts.open', '+', first.open),
        done: eb('task_counts.done', '+', first.done),
        skipped: eb('task_counts.skipped', '+', first.skipped),
        nudges_sent: eb('task_counts.nudges_sent', '+', first.nudges_sent),
        seconds_to_done: eb('task_counts.seconds_to_done', '+', first.seconds_to_done),
      })),
    )
    .execute();
}

export async function getCounts(db: Kysely<Database>, userId: string): Promise<Counts> {
  const counts = await db.selectFrom('task_counts').selectAll().where('user_id', '=', userId).executeTakeFirst();
  return counts ?? NONE;
}

/** Read from two partial indexes that hold open tasks only. */
export async function countOverdueAndSnoozed(
  db: Kysely<Database>,
  ownerId: string,
  now: Date,
): Promise<{ overdue: number; snoozed: number }> {
  const open = db.selectFrom('tasks').where('owner_id', '=', ownerId).where('status', '=', 'open');
  const count = (query: typeof open) =>
    query.select((eb) => eb.fn.countAll<number>().as('count')).executeTakeFirstOrThrow();
  const overdue = await count(open.where('overdue_at', '<=', now));
  const snoozed = await count(open.where('deferred_until', '>', now));
  return { overdue: overdue.count, snoozed: snoozed.count };
}
