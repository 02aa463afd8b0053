/** The rule of stand-ins (`visibility.ts`) as parts of statements. */
import { type SqlBool, sql } from 'kysely';

/** `countsAsStandIn`, on the row of `stand_ins` that has this name. */
export const standInCounts = (name: string) => {
  const row = sql.raw(name);
  return sql<SqlBool>`(${row}.agreed_at is not null
    and 2 = (select count(*) from space_members as both_members where both_members.space_id = ${row}.space_id
      and both_members.user_id in (${row}.owner_id, ${row}.person_id))
    and not exists (select 1 from users as gone where gone.id in (${row}.owner_id, ${row}.person_id)
      and (gone.suspended_at is not null or gone.deleted_at is not null)))`;
};

/** `seesAsStandIn`, on `tasks`. What was settled is shown until housekeeping or the next run removes its row. */
export const hasReached = (userId: string) =>
  sql<SqlBool>`exists (select 1 from stand_in_tasks as reached
    inner join stand_ins as agreement on agreement.id = reached.stand_in_id
    where reached.task_id = tasks.id and reached.person_id = ${userId}
      and (reached.run = tasks.run or reached.settled_at is not null) and ${standInCounts('agreement')})`;
