/**
 * The running sums of an account: the sums in `task_counts`, and what requests have added to its shards.
 */
import { type Selectable, sql } from 'kysely';
import { preparedQuery } from '../db/prepared.ts';
import type { Database, Db } from '../db/schema.ts';

export type Counts = Omit<Selectable<Database['task_counts']>, 'user_id' | 'booked_ms' | 'booked_at_ms'>;

export const NO_COUNTS: Counts = { open: 0, done: 0, skipped: 0, nudges_sent: 0, seconds_to_done: 0, stored: 0 };

export const countsOf = preparedQuery(selectCounts);

/** Always one row. */
export function selectCounts(db: Db, userId: string) {
  const names = Object.keys(NO_COUNTS) as (keyof Counts)[];
  const all = db
    .selectFrom('task_counts')
    .select(names)
    .where('user_id', '=', userId)
    .unionAll(db.selectFrom('task_count_shards').select(names).where('user_id', '=', userId));
  return db
    .selectFrom(all.as('counts'))
    .select(names.map((name) => sql<number>`coalesce(sum(${sql.ref(name)}), 0)`.as(name)));
}

/** How many open tasks the account of the row in `users` has. */
export const openTasks = sql<number>`(
  coalesce((select open from task_counts where user_id = users.id), 0) +
  coalesce((select sum(open) from task_count_shards where user_id = users.id), 0))`;
