import { type Expression, sql } from 'kysely';
import { sendTogether } from '../../db/batch.ts';
import { preparedQuery } from '../../db/prepared.ts';
import { preparedIds, splitIds } from '../../db/rows.ts';
import { type Db, isPostgres } from '../../db/schema.ts';
import { announce } from '../../db/transact.ts';
import type { Caller } from '../../lib/caller.ts';
import type { Task } from '../task-state.ts';
import { isVisibleTo } from '../visibility.sql.ts';
import type { Viewer } from '../visibility.ts';

/** The database's time, and the horizon: no transaction will still commit a change stamped before it. */
export interface Horizon {
  readonly now: Date;
  readonly horizon: Date;
}

export async function readHorizon(db: Db): Promise<Horizon> {
  return toHorizon((await db.executeQuery(horizonRow(db))).rows);
}

type Moment = Date | number;
type HorizonRow = Readonly<Record<keyof Horizon, Moment>>;

const horizonRow = preparedQuery((db) => ({
  compile: () => sql<HorizonRow>`select crescendo_now() as now, crescendo_horizon() as horizon`.compile(db),
}));

function toHorizon([row]: readonly HorizonRow[]): Horizon {
  if (!row) throw new Error('The database returned no time.');
  return { now: new Date(row.now), horizon: new Date(row.horizon) };
}

/**
 * Reads the horizon first. Then lists, in no order, the ids of visible tasks that changed since then or are in a space
 * that the viewer joined since then. Also lists the ids of tasks that the viewer stopped seeing since then, even if the
 * viewer sees some of them again.
 */
export async function readChangedIds(
  db: Db,
  { kind, userId }: Caller,
  since: Date,
): Promise<{ readonly horizon: Horizon; readonly changed: string[]; readonly removed: string[] }> {
  const queries = [horizonRow(db), changedIds[kind](db, userId, since)] as const;
  const [horizon, changed, removed] = await sendTogether(db, ...queries, removedIds(db, userId, since));
  return { horizon: toHorizon(horizon), changed: splitIds(changed), removed: splitIds(removed) };
}

/** Lists the ids of tasks of others that the viewer sees, in no order. */
export const listIdsOfOthers = async (db: Db, viewerId: string): Promise<string[]> =>
  splitIds((await db.executeQuery(idsOfOthers(db, viewerId))).rows);

/** In parts: with an `or` of the conditions, SQLite reads all tasks of the viewer, 20 ms with 50,000. */
const idsOfOthers = preparedIds((db, viewerId: string) =>
  db
    .selectFrom('tasks')
    .select('tasks.id')
    .where('tasks.assigner_id', '=', viewerId)
    .where('tasks.owner_id', '!=', viewerId)
    .union(shared(db, viewerId).where('tasks.owner_id', '!=', viewerId)),
);

const changedIds = {
  session: preparedIds((db, userId: string, since: Date) => visibleIdsSince(db, { kind: 'session', userId }, since)),
  token: preparedIds((db, userId: string, since: Date) => visibleIdsSince(db, { kind: 'token', userId }, since)),
};

/**
 * In parts, each answered by an index with `changed_at`: an `or` of the conditions would read all tasks of the viewer.
 */
function visibleIdsSince(db: Db, viewer: Viewer, since: Date) {
  const from = momentOf(db, since);
  const changed = db.selectFrom('tasks').select('tasks.id').where('tasks.changed_at', '>=', from);
  const owned = changed.where('tasks.owner_id', '=', viewer.userId);
  if (viewer.kind === 'token') return owned;
  const assigned = changed.where('tasks.assigner_id', '=', viewer.userId);
  return owned.union(assigned).union(sharedSince(db, viewer.userId, from));
}

/**
 * For a recent moment, PostgreSQL estimates a new plan to be so much cheaper that it would plan every call again, which
 * costs more than the call. It does not know the result of a subquery beforehand, so it keeps the first plans.
 */
const momentOf = (db: Db, moment: Date): Expression<Date> =>
  isPostgres(db) ? sql<Date>`(select ${moment}::timestamptz)` : sql<Date>`${moment}`;

/** The tasks in the spaces of the viewer, while their owners are members too. */
const shared = (db: Db, viewerId: string) =>
  db
    .selectFrom('space_members as viewers')
    .innerJoin('tasks', 'tasks.space_id', 'viewers.space_id')
    .innerJoin('space_members as owners', (join) =>
      join.onRef('owners.space_id', '=', 'tasks.space_id').onRef('owners.user_id', '=', 'tasks.owner_id'),
    )
    .select('tasks.id')
    .where('viewers.user_id', '=', viewerId)
    .where('tasks.accepted_by_owner', '=', true);

/** Shared tasks that changed since then, and all tasks of spaces that the viewer or the owner joined since then. */
const sharedSince = (db: Db, viewerId: string, since: Expression<Date>) =>
  shared(db, viewerId).where((eb) =>
    eb.or([
      eb('tasks.changed_at', '>=', since),
      eb('viewers.changed_at', '>=', since),
      // An owner who left and came back before all their tasks were taken out of the space.
      eb('owners.changed_at', '>=', since),
    ]),
  );

const removedIds = preparedIds((db, viewerId: string, since: Date) =>
  db
    .selectFrom('task_removals')
    .select('task_id as id')
    .where('viewer_id', '=', viewerId)
    .where('changed_at', '>=', since),
);

/** Returns the ids of tasks that the viewer does not see now. The limit has the same reason as in `listTasksById`. */
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

/**
 * Records tasks that the leaver saw only as a member of the space, a slice at a time in the order of their owners.
 * Returns the cursor for the next slice, or null after the last. A task that leaves the space in between is recorded
 * by that change, because the leaver counts as a viewer until the follow-up is done.
 */
export async function recordRemovalsForLeaver(
  trx: Db,
  spaceId: string,
  leaverId: string,
  cursor: string | null,
  limit: number,
): Promise<{ readonly rows: number; readonly cursor: string | null }> {
  let query = trx.selectFrom('tasks').select(['id', 'owner_id', 'accepted_by_owner']);
  query = query.where('space_id', '=', spaceId);
  if (cursor !== null) {
    const [ownerId = '', id = ''] = cursor.split(' ');
    query = query.where(({ eb, refTuple, tuple }) => eb(refTuple('owner_id', 'id'), '>', tuple(ownerId, id)));
  }
  const rows = await query.orderBy('owner_id').orderBy('id').limit(limit).execute();
  const seen = rows.filter((task) => task.accepted_by_owner && task.owner_id !== leaverId);
  const removals = seen.map(({ id }) => ({ viewer_id: leaverId, task_id: id }));
  await recordRemovals(trx, removals);
  const last = rows.length < limit ? undefined : rows.at(-1);
  return { rows: rows.length, cursor: last ? `${last.owner_id} ${last.id}` : null };
}

type Shared = Pick<Task, 'id' | 'owner_id' | 'assigner_id' | 'space_id' | 'accepted_by_owner'>;

/**
 * Records a removal for each member who saw the task in its space and no longer does after the change, and for an
 * assigner who is none any more: sync leaves it out if they still see the task as a member.
 */
export async function recordRemovalsAfterChange(trx: Db, before: Shared, after: Shared): Promise<void> {
  if (before.assigner_id !== null && after.assigner_id !== before.assigner_id) {
    await recordRemovals(trx, [{ viewer_id: before.assigner_id, task_id: before.id }]);
  }
  const sharedIn = ({ space_id, accepted_by_owner }: Shared) => (accepted_by_owner ? space_id : null);
  const [from, to] = [sharedIn(before), sharedIn(after)];
  if (from === null || from === to) return;
  // The lock serialises with users who are joining: each is either listed as a member, or never sees the task.
  await trx.selectFrom('spaces').select('id').where('id', '=', from).forShare().execute();
  const members = await listViewersOfSpace(trx, from);
  const staying = to === null ? [] : await listViewersOfSpace(trx, to);
  const stillSee = new Set([after.owner_id, after.assigner_id, ...staying]);
  const losing = members.filter((viewer_id) => !stillSee.has(viewer_id));
  const removals = losing.map((viewer_id) => ({ viewer_id, task_id: before.id }));
  await recordRemovals(trx, removals);
}

/** The members, and people who have left but for whom removals are still being recorded. */
const viewersOfSpaces = (db: Db) =>
  db
    .selectFrom('space_members')
    .select(['space_id', 'user_id'])
    .union(
      db
        .selectFrom('follow_ups')
        .select((eb) => [eb.ref('space_id').$notNull().as('space_id'), 'user_id'])
        .where('space_id', 'is not', null),
    );

export async function listViewersOfSpace(trx: Db, spaceId: string): Promise<string[]> {
  const rows = await trx
    .selectFrom(viewersOfSpaces(trx).as('viewers'))
    .select('user_id')
    .where('space_id', '=', spaceId)
    .execute();
  return rows.map(({ user_id }) => user_id);
}

export async function listOtherViewers(trx: Db, ownerId: string, taskIds: readonly string[]): Promise<Removal[]> {
  const tasks = await trx
    .selectFrom('tasks')
    .select(['id', 'assigner_id', 'space_id', 'accepted_by_owner'])
    .where('id', 'in', taskIds)
    .execute();
  const spaceIds = [...new Set(tasks.flatMap(({ space_id }) => space_id ?? []))];
  const viewersOf = new Map<string, string[]>();
  for (const spaceId of spaceIds) viewersOf.set(spaceId, await listViewersOfSpace(trx, spaceId));
  return tasks.flatMap(({ id, assigner_id, space_id, accepted_by_owner }) => {
    const members = accepted_by_owner ? (viewersOf.get(space_id ?? '') ?? []) : [];
    const viewers = new Set([...members, ...(assigner_id === null ? [] : [assigner_id])]);
    viewers.delete(ownerId);
    return [...viewers].map((viewer_id) => ({ viewer_id, task_id: id }));
  });
}

/** The owners keep the tasks, without an assigner. Returns how many there were. */
export async function clearAssigner(trx: Db, assignerId: string, limit: number): Promise<number> {
  const some = trx.selectFrom('tasks').select('id').where('assigner_id', '=', assignerId).limit(limit);
  const cleared = await trx
    .updateTable('tasks')
    .set({ assigner_id: null, changed_at: sql<Date>`crescendo_now()` })
    .where('id', 'in', some)
    .returning('owner_id')
    .execute();
  const owners = cleared.map(({ owner_id }) => owner_id);
  announce(trx, owners);
  return cleared.length;
}

/** The assigners of these tasks see them no longer. Returns how many there were. */
export async function hideFromAssigners(trx: Db, ownerId: string, limit: number): Promise<number> {
  const some = trx
    .selectFrom('tasks')
    .select(['id as task_id', sql<string>`assigner_id`.as('viewer_id')])
    .where('owner_id', '=', ownerId)
    .where('assigner_id', 'is not', null)
    .limit(limit)
    .forUpdate();
  const removals = await some.execute();
  if (removals.length === 0) return 0;
  await recordRemovals(trx, removals);
  const ids = removals.map(({ task_id }) => task_id);
  await trx.updateTable('tasks').set({ assigner_id: null }).where('id', 'in', ids).execute();
  announce(
    trx,
    removals.map(({ viewer_id }) => viewer_id),
  );
  return removals.length;
}
