import { sql } from 'kysely';

/** How many open tasks the account of the row in `users` has. */
export const openTasks = sql<number>`(
  coalesce((select open from task_counts where user_id = users.id), 0) +
  coalesce((select sum(open) from task_count_shards where user_id = users.id), 0))`;
