import { type Selectable, sql } from 'kysely';
import type { Database, Db } from '../db/schema.ts';
import type { TaskCaller } from '../lib/caller.ts';
import type { SeenTask } from './visibility.ts';

type Task = Selectable<Database['tasks']>;

export async function areMembers(db: Db, spaceId: string, userIds: readonly string[]): Promise<boolean> {
  const ids = [...new Set(userIds)];
  const rows = await members(db, spaceId, ids).execute();
  return rows.length === ids.length;
}

/** Like `areMembers` for one person, and also keeps them from leaving until the transaction ends. */
export async function lockMembership(trx: Db, spaceId: string, userId: string): Promise<boolean> {
  return (await members(trx, spaceId, [userId]).forShare().execute()).length > 0;
}

const members = (db: Db, spaceId: string, userIds: readonly string[]) =>
  db.selectFrom('space_members').select('user_id').where('space_id', '=', spaceId).where('user_id', 'in', userIds);

/**
 * Lists the requests that the leaver made in the space, including closed ones that could be reopened. Leaves out
 * requests to an account that is being deleted: they are deleted with it.
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
      .where('assigner_id', '=', leaverId)
      .where('space_id', '=', spaceId)
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
 * Ends the say of a person who has left over tasks that they assigned in the space, in whatever state these are. Their
 * owners keep them. Waits for a task that is being accepted, so none is missed. Returns the ids.
 */
export async function endAssignments(trx: Db, spaceId: string, leaverId: string, limit: number): Promise<string[]> {
  const tasks = await trx
    .selectFrom('tasks')
    .select('id')
    .where('assigner_id', '=', leaverId)
    .where('space_id', '=', spaceId)
    .orderBy('id')
    .limit(limit)
    .forUpdate()
    .execute();
  const ids = tasks.map(({ id }) => id);
  if (ids.length > 0) {
    const ended = { assigner_id: null, changed_at: sql<Date>`crescendo_now()` };
    await trx.updateTable('tasks').set(ended).where('id', 'in', ids).execute();
  }
  return ids;
}

/** Whether the caller is in the space of somebody else's task, together with its owner. */
export async function sharesSpace(db: Db, task: SeenTask, caller: TaskCaller): Promise<boolean> {
  if (task.space_id === null || task.owner_id === caller.userId) return false;
  return areMembers(db, task.space_id, [caller.userId, task.owner_id]);
}
