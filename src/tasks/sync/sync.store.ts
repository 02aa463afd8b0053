import { sql } from 'kysely';
import { selectIds } from '../../db/rows.ts';
import type { Db } from '../../db/schema.ts';
import type { Caller } from '../../lib/caller.ts';
import { isVisibleTo } from '../../spaces/visibility.ts';
import type { Task } from '../task-state.ts';

/** The database's time, and the horizon: no transaction will still commit a change stamped before it. */
export async function readHorizon(db: Db): Promise<{ now: Date; horizon: Date }> {
  const { rows } = await sql<{ now: Date | number; horizon: Date | number }>`
    select crescendo_now() as now, crescendo_horizon() as horizon`.execute(db);
  const [row] = rows;
  if (!row) throw new Error('The database returned no time.');
  return { now: new Date(row.now), horizon: new Date(row.horizon) };
}

/**
 * Lists the ids of the visible tasks that changed since then, or are in a space that the viewer joined since
 * then. They are in no order: sorting 50,000 in the database would block the event loop on SQLite.
 */
export async function listVisibleIdsSince(db: Db, viewer: Caller, since: Date | undefined): Promise<string[]> {
  let query = db
    .selectFrom('tasks')
    .select('id')
    .where((eb) => isVisibleTo(eb, viewer));
  if (since) {
    query = query.where((eb) =>
      eb.or([
        eb('tasks.changed_at', '>=', since),
        eb.exists(
          eb
            .selectFrom('space_members')
            .select('space_members.user_id')
            .whereRef('space_members.space_id', '=', 'tasks.space_id')
            .where('space_members.user_id', '=', viewer.userId)
            .where('space_members.changed_at', '>=', since),
        ),
      ]),
    );
  }
  return selectIds(db, query);
}

/** Lists the ids of the tasks that the viewer stopped seeing since then, in no order. They may see some again. */
export async function listRemovedIdsSince(db: Db, viewer: Caller, since: Date): Promise<string[]> {
  // A token sees only its user's own tasks, and those are never removed from its view.
  if (viewer.kind === 'token') return [];
  const removed = db
    .selectFrom('task_removals')
    .select('task_id as id')
    .where('viewer_id', '=', viewer.userId)
    .where('changed_at', '>=', since);
  return selectIds(db, removed);
}

/** Returns those of the ids whose tasks the viewer does not see now. The limit has the same reason as in `listTasksById`. */
export async function listUnseen(db: Db, viewer: Caller, ids: readonly string[]): Promise<string[]> {
  const seen = await db
    .selectFrom((eb) => eb.selectFrom('tasks').selectAll().where('id', 'in', ids).limit(ids.length).as('tasks'))
    .select('id')
    .where((eb) => isVisibleTo(eb, viewer))
    .execute();
  const seenIds = new Set(seen.map(({ id }) => id));
  return ids.filter((id) => !seenIds.has(id));
}

interface Removal {
  readonly viewer_id: string;
  readonly task_id: string;
}

/** Both databases limit the number of values per statement. */
const ROWS_PER_STATEMENT = 1_000;

/** Records that the viewers no longer see the tasks. */
export async function recordRemovals(trx: Db, removals: readonly Removal[]): Promise<void> {
  const changed_at = sql<Date>`crescendo_now()`;
  for (let start = 0; start < removals.length; start += ROWS_PER_STATEMENT) {
    await trx
      .insertInto('task_removals')
      .values(removals.slice(start, start + ROWS_PER_STATEMENT).map((removal) => ({ ...removal, changed_at })))
      .onConflict((conflict) => conflict.columns(['viewer_id', 'task_id']).doUpdateSet({ changed_at }))
      .execute();
  }
}

/** Records the tasks that the leaver saw only as a member of the space. */
export async function recordRemovalsForLeaver(trx: Db, spaceId: string, leaverId: string): Promise<void> {
  const rows = await trx
    .selectFrom('tasks')
    .select('id')
    .where('space_id', '=', spaceId)
    .where('accepted_by_owner', '=', true)
    .where('owner_id', '!=', leaverId)
    .where((eb) => eb.or([eb('assigner_id', 'is', null), eb('assigner_id', '!=', leaverId)]))
    .execute();
  await recordRemovals(
    trx,
    rows.map(({ id }) => ({ viewer_id: leaverId, task_id: id })),
  );
}

type Shared = Pick<Task, 'id' | 'owner_id' | 'assigner_id' | 'space_id' | 'accepted_by_owner'>;

/** Records a removal for each member who saw the task in its space and no longer does after the change. */
export async function recordRemovalsAfterChange(trx: Db, before: Shared, after: Shared): Promise<void> {
  const sharedIn = ({ space_id, accepted_by_owner }: Shared) => (accepted_by_owner ? space_id : null);
  const [from, to] = [sharedIn(before), sharedIn(after)];
  if (from === null || from === to) return;
  // The lock serialises with users who are joining: each is either listed as a member, or never sees the task.
  await trx.selectFrom('spaces').select('id').where('id', '=', from).forShare().execute();
  const [members, staying] = [await listMemberIds(trx, from), to === null ? [] : await listMemberIds(trx, to)];
  const stillSee = new Set([after.owner_id, after.assigner_id, ...staying]);
  const losing = members.filter((viewer_id) => !stillSee.has(viewer_id));
  await recordRemovals(
    trx,
    losing.map((viewer_id) => ({ viewer_id, task_id: before.id })),
  );
}

async function listMemberIds(trx: Db, spaceId: string): Promise<string[]> {
  const rows = await trx.selectFrom('space_members').select('user_id').where('space_id', '=', spaceId).execute();
  return rows.map(({ user_id }) => user_id);
}

/** Lists the other users who see the owner's tasks: all of them, or only those with the given ids. */
export async function listOtherViewers(trx: Db, ownerId: string, taskIds?: readonly string[]): Promise<Removal[]> {
  const tasks = trx.selectFrom('tasks');
  // Not both conditions: with the owner's id given as well, SQLite reads all tasks of the owner.
  const owned = taskIds ? tasks.where('tasks.id', 'in', taskIds) : tasks.where('tasks.owner_id', '=', ownerId);
  const assigners = owned
    .select(['tasks.assigner_id as viewer_id', 'tasks.id as task_id'])
    .where('tasks.assigner_id', 'is not', null);
  const members = owned
    .innerJoin('space_members', 'space_members.space_id', 'tasks.space_id')
    .select(['space_members.user_id as viewer_id', 'tasks.id as task_id'])
    .where('tasks.accepted_by_owner', '=', true)
    .where('space_members.user_id', '!=', ownerId);
  const rows = await assigners.union(members).execute();
  return rows.flatMap(({ viewer_id, task_id }) => (viewer_id === null ? [] : [{ viewer_id, task_id }]));
}

/** The owners keep the tasks, without an assigner. */
export async function clearAssigner(trx: Db, assignerId: string): Promise<void> {
  await trx
    .updateTable('tasks')
    .set({ assigner_id: null, changed_at: sql<Date>`crescendo_now()` })
    .where('assigner_id', '=', assignerId)
    .execute();
}
