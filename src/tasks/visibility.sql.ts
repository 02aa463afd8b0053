/** Who sees a task (`visibility.ts`), as parts of statements. */
import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import type { Database } from '../db/schema.ts';
import type { Viewer } from './visibility.ts';

/** `relationTo` as a condition on `tasks`, for owners, assigners and members. Other conditions must select the tasks: no index answers this one. */
export function isVisibleTo(eb: ExpressionBuilder<Database, 'tasks'>, viewer: Viewer): Expression<SqlBool> {
  const owns = eb('tasks.owner_id', '=', viewer.userId);
  if (viewer.kind === 'token') return owns;
  const spacesOfViewer = eb.selectFrom('space_members').select('space_id').where('user_id', '=', viewer.userId);
  return eb.or([
    owns,
    eb.and([eb('tasks.assigner_id', '=', viewer.userId), eb('tasks.space_id', 'is', null)]),
    eb.and([
      eb.or([eb('tasks.accepted_by_owner', '=', true), eb('tasks.assigner_id', '=', viewer.userId)]),
      eb('tasks.space_id', 'in', spacesOfViewer),
      eb.exists(
        eb
          .selectFrom('space_members as owners')
          .select('owners.user_id')
          .whereRef('owners.space_id', '=', 'tasks.space_id')
          .whereRef('owners.user_id', '=', 'tasks.owner_id'),
      ),
    ]),
  ]);
}

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
