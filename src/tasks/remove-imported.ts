/**
 * Takes back what a move from another app brought, a slice at a time. A task that somebody has changed since stays, with
 * everything that was done to it; the others are deleted as if they had never been there, and the next sync of every
 * viewer reports them as removed. Nudges are no change by a person.
 */
import { sql } from 'kysely';
import type { Db } from '../db/schema.ts';
import { announce } from '../db/transact.ts';
import type { Slice } from '../follow-ups/follow-ups.ts';
import { deleteHistory, HISTORY_PER_TASK } from './delete-tasks.ts';
import { addToCounts } from './outcomes.store.ts';
import { listOtherViewers, recordRemovals } from './sync/sync.store.ts';

export interface RemovedSlice extends Slice {
  readonly removed: number;
  readonly kept: number;
}

export async function removeImportedSlice(
  trx: Db,
  ownerId: string,
  moveInId: string,
  limit: number,
): Promise<RemovedSlice> {
  const tasks = await lockImported(trx, moveInId, limit);
  if (tasks.length === 0) return { rows: 0, isDone: true, removed: 0, kept: 0 };
  const changed = await listChanged(
    trx,
    tasks.map(({ id }) => id),
  );
  const kept = tasks.filter(({ id }) => changed.has(id));
  await keep(
    trx,
    ownerId,
    kept.map(({ id }) => id),
  );
  const taken = tasks.filter(({ id }) => !changed.has(id));
  const isRemoved = taken.length === 0 || (await removeTasks(trx, ownerId, taken, limit));
  announce(trx, [ownerId]);
  return { rows: tasks.length, isDone: false, removed: isRemoved ? taken.length : 0, kept: kept.length };
}

interface ImportedTask {
  readonly id: string;
  readonly status: string;
  readonly nudge_count: number;
}

/** The lock waits for a request that is just changing one of them, so that its change is seen. */
async function lockImported(trx: Db, moveInId: string, limit: number): Promise<ImportedTask[]> {
  const origins = trx.selectFrom('task_origins').select('task_id').where('move_in_id', '=', moveInId).limit(limit);
  const ids = (await origins.execute()).map(({ task_id }) => task_id);
  if (ids.length === 0) return [];
  return trx.selectFrom('tasks').select(['id', 'status', 'nudge_count']).where('id', 'in', ids).forUpdate().execute();
}

/** Tasks to which people have done more than to bring and see them. */
const UNCHANGING = ['created', 'acknowledged'];

export async function listChanged(db: Db, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const rows = await db
    .selectFrom('timeline')
    .select('task_id')
    .distinct()
    .where('task_id', 'in', ids)
    .where('by', 'is not', null)
    .where('kind', 'not in', UNCHANGING)
    .execute();
  return new Set(rows.map(({ task_id }) => task_id));
}

/** The task stays known, so that the same file does not bring it a second time. */
async function keep(trx: Db, ownerId: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await trx
    .updateTable('task_origins')
    .set({ move_in_id: null, undecided_mode: null })
    .where('task_id', 'in', ids)
    .where('owner_id', '=', ownerId)
    .execute();
}

/** Returns false if only a part of their history is deleted so far. */
async function removeTasks(trx: Db, ownerId: string, tasks: readonly ImportedTask[], limit: number): Promise<boolean> {
  const ids = tasks.map(({ id }) => id);
  const most = limit * HISTORY_PER_TASK;
  const outcomes = await deleteOutcomes(trx, ownerId, ids, most);
  if (outcomes === most) return false;
  if (!(await deleteHistory(trx, ids, most)).isDone) return false;
  const removals = [
    ...(await listOtherViewers(trx, ownerId, ids)),
    ...ids.map((task_id) => ({ viewer_id: ownerId, task_id })),
  ];
  await recordRemovals(trx, removals);
  announce(
    trx,
    removals.map(({ viewer_id }) => viewer_id),
  );
  // Origins, writers and Live Activities are deleted by their foreign keys.
  await trx.deleteFrom('tasks').where('id', 'in', ids).execute();
  await addToCounts(trx, ownerId, {
    open: -tasks.filter(({ status }) => status === 'open').length,
    stored: -tasks.length,
    nudges_sent: -tasks.reduce((sum, { nudge_count }) => sum + nudge_count, 0),
  });
  return true;
}

/** In the sums of the account they count no more. */
async function deleteOutcomes(trx: Db, ownerId: string, taskIds: readonly string[], limit: number): Promise<number> {
  const some = trx.selectFrom('outcomes').select('id').where('task_id', 'in', taskIds).limit(limit);
  const deleted = await trx
    .deleteFrom('outcomes')
    .where('id', 'in', some)
    .returning(['outcome', 'seconds_taken'])
    .execute();
  const done = deleted.filter(({ outcome }) => outcome === 'done');
  if (deleted.length > 0)
    await addToCounts(trx, ownerId, {
      done: -done.length,
      skipped: done.length - deleted.length,
      seconds_to_done: -done.reduce((sum, { seconds_taken }) => sum + Number(seconds_taken), 0),
    });
  return deleted.length;
}

/** Tasks that came overdue, are open, and that nobody has decided about or changed. In the order in which they were due. */
export async function listUndecided(db: Db, moveInId: string, limit: number) {
  const rows = await db
    .selectFrom('task_origins')
    .innerJoin('tasks', 'tasks.id', 'task_origins.task_id')
    .select(['tasks.id', 'tasks.title', 'tasks.kind', 'tasks.due_at', 'tasks.has_time', 'tasks.recurrence'])
    .select('task_origins.undecided_mode')
    .where('task_origins.move_in_id', '=', moveInId)
    .where('task_origins.undecided_mode', 'is not', null)
    .where('tasks.status', '=', 'open')
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('timeline')
            .select(sql.lit(1).as('one'))
            .whereRef('timeline.task_id', '=', 'tasks.id')
            .where('timeline.by', 'is not', null)
            .where('timeline.kind', 'not in', UNCHANGING),
        ),
      ),
    )
    .orderBy('task_origins.task_id')
    .limit(limit)
    .execute();
  return rows;
}

/** Returns the mode that each of these tasks had, for those that still wait for a decision. */
export async function takeUndecided(trx: Db, ownerId: string, moveInId: string, taskIds: readonly string[]) {
  return trx
    .selectFrom('task_origins')
    .select(['task_id', 'undecided_mode'])
    .where('owner_id', '=', ownerId)
    .where('move_in_id', '=', moveInId)
    .where('task_id', 'in', taskIds)
    .where('undecided_mode', 'is not', null)
    .execute();
}

export async function settleUndecided(db: Db, ownerId: string, taskId: string): Promise<void> {
  await db
    .updateTable('task_origins')
    .set({ undecided_mode: null })
    .where('owner_id', '=', ownerId)
    .where('task_id', '=', taskId)
    .execute();
}
