import { type Selectable, type SqlBool, sql } from 'kysely';
import type { Database, Db } from '../db/schema.ts';
import { isParting } from './visibility.ts';

type Task = Selectable<Database['tasks']>;

export async function areMembers(db: Db, spaceId: string, userIds: readonly string[]): Promise<boolean> {
  const ids = [...new Set(userIds)];
  const rows = await members(db, spaceId, ids).execute();
  return rows.length === ids.length;
}

export async function areParting(db: Db, taskId: string, viewerId: string): Promise<boolean> {
  const task = db.selectFrom('tasks').select('id').where('id', '=', taskId);
  return (await task.where((eb) => isParting(eb, viewerId)).execute()).length > 0;
}

/** Like `areMembers` for one person, and also keeps them from leaving until the transaction ends. */
export async function lockMembership(trx: Db, spaceId: string, userId: string): Promise<boolean> {
  return (await members(trx, spaceId, [userId]).forShare().execute()).length > 0;
}

const members = (db: Db, spaceId: string, userIds: readonly string[]) =>
  db.selectFrom('space_members').select('user_id').where('space_id', '=', spaceId).where('user_id', 'in', userIds);

/**
 * The ids of the tasks over which a departure ends the say of their assigner: what the leaver assigned in the space,
 * and, outside of spaces, what was assigned between the leaver and people who shared only this space with them. These
 * may have left it too since. In parts, so that each is answered by an index.
 */
function endedByLeaving(trx: Db, spaceId: string, leaverId: string) {
  const isEnded = (other: string) => sql<SqlBool>`tasks.space_id is null
    and (exists (select 1 from space_members m where m.space_id = ${spaceId} and m.user_id = ${sql.ref(other)})
      or exists (select 1 from space_departures d where d.space_id = ${spaceId} and d.user_id = ${sql.ref(other)}))
    and not exists (select 1 from space_members mine
      join space_members theirs on theirs.space_id = mine.space_id and theirs.user_id = ${sql.ref(other)}
      where mine.user_id = ${leaverId} and mine.space_id <> ${spaceId})`;
  const tasks = trx.selectFrom('tasks').select('tasks.id');
  return tasks
    .where('tasks.assigner_id', '=', leaverId)
    .where((eb) => eb.or([eb('tasks.space_id', '=', spaceId), isEnded('tasks.owner_id')]))
    .union(
      tasks
        .where('tasks.owner_id', '=', leaverId)
        .where('tasks.assigner_id', 'is not', null)
        .where(isEnded('tasks.assigner_id')),
    );
}

/**
 * Lists the requests that end with the departure, including closed ones that could be reopened. Leaves out requests to
 * an account that is being deleted: they are deleted with it.
 */
export async function listRequestsOfLeaver(
  trx: Db,
  spaceId: string,
  leaverId: string,
  limit: number,
): Promise<Pick<Task, 'id' | 'owner_id'>[]> {
  return (
    trx
      .selectFrom('tasks')
      .select(['id', 'owner_id'])
      .where('id', 'in', endedByLeaving(trx, spaceId, leaverId))
      .where('accepted_by_owner', '=', false)
      .where((eb) => eb.or([eb('status', '=', 'open'), eb('undo', 'is not', null)]))
      // Not `in`: SQLite would list every account first.
      .where(({ exists, selectFrom }) =>
        exists(
          selectFrom('users')
            .select('users.id')
            .whereRef('users.id', '=', 'tasks.owner_id')
            .where('users.deleted_at', 'is', null),
        ),
      )
      .orderBy('id')
      .limit(limit)
      .execute()
  );
}

/** Locks tasks that the leaver owns in the space, read from the index `tasks_of_space`. */
export async function lockTasksOfLeaver(trx: Db, spaceId: string, leaverId: string, limit: number): Promise<Task[]> {
  return trx
    .selectFrom('tasks')
    .selectAll()
    .where('space_id', '=', spaceId)
    .where('owner_id', '=', leaverId)
    .orderBy('id')
    .limit(limit)
    .forUpdate()
    .execute();
}

/**
 * Takes the tasks of a person who has left out of the space, without their assigners: these have a say as members only.
 * The person cannot reopen a request of the space.
 */
export async function takeOutOfSpace(trx: Db, ids: readonly string[], now: Date): Promise<void> {
  if (ids.length === 0) return;
  await sql`
    update tasks set space_id = null, assigner_id = null, undo = case when accepted_by_owner then undo end,
      updated_at = ${now}, changed_at = crescendo_now()
    where id in (${sql.join(ids)})`.execute(trx);
}

/**
 * Ends the say of assigners that ends with the departure, in whatever state the tasks are. Their owners keep them.
 * Waits for a task that is being accepted, so none is missed. Returns the tasks as they were.
 */
export async function endAssignments(
  trx: Db,
  spaceId: string,
  leaverId: string,
  limit: number,
): Promise<{ readonly id: string; readonly owner_id: string; readonly assigner_id: string }[]> {
  const tasks = await trx
    .selectFrom('tasks')
    .select((eb) => ['id', 'owner_id', eb.ref('assigner_id').$notNull().as('assigner_id')])
    .where('id', 'in', endedByLeaving(trx, spaceId, leaverId))
    .where('assigner_id', 'is not', null)
    .orderBy('id')
    .limit(limit)
    .forUpdate()
    .execute();
  const ids = tasks.map(({ id }) => id);
  if (ids.length > 0) {
    const ended = { assigner_id: null, changed_at: sql<Date>`crescendo_now()` };
    await trx.updateTable('tasks').set(ended).where('id', 'in', ids).execute();
  }
  return tasks;
}
