/**
 * Deletes everything that an account has in tasks, a slice at a time: its tasks with their history, its name on the
 * tasks it assigned, and the removals recorded for it.
 */
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../db/schema.ts';
import { announce } from '../db/transact.ts';
import type { Slice } from '../follow-ups/follow-ups.ts';
import { clearAssigner, hideFromAssigners, listOtherViewers, recordRemovals } from './sync/sync.store.ts';

/** Rows of a history are deleted faster than tasks, which are in many indexes. */
export const HISTORY_PER_TASK = 10;

export async function deleteTaskSlice(trx: Db, ownerId: string, limit: number): Promise<Slice> {
  const ids = await lockTasks(trx, ownerId, limit);
  if (ids.length > 0) {
    const history = await deleteHistory(trx, ids, limit * HISTORY_PER_TASK);
    if (history.isDone) {
      // The next sync of the other viewers reports the tasks as removed.
      const removals = await listOtherViewers(trx, ownerId, ids);
      await recordRemovals(trx, removals);
      const viewers = removals.map(({ viewer_id }) => viewer_id);
      announce(trx, viewers);
      // Live Activities, origins and writers are deleted by their foreign keys.
      await trx.deleteFrom('tasks').where('id', 'in', ids).execute();
    }
    const rows = ids.length + Math.ceil(history.rows / HISTORY_PER_TASK);
    if (!history.isDone || rows >= limit) return { rows, isDone: false };
  }
  const cleared = await clearAssigner(trx, ownerId, limit);
  const forgotten = await deleteRemovals(trx, ownerId, limit);
  return { rows: ids.length + cleared + forgotten, isDone: cleared < limit && forgotten < limit };
}

/**
 * What others still see of an account that has left its spaces: the tasks that they assigned to it outside of spaces, and
 * its id on the tasks that it assigned to them.
 */
export async function hideTaskSlice(trx: Db, userId: string, limit: number): Promise<Slice> {
  const hidden = await hideFromAssigners(trx, userId, limit);
  const cleared = await clearAssigner(trx, userId, limit);
  return { rows: hidden + cleared, isDone: hidden < limit && cleared < limit };
}

/** The lock waits for an engine that is sending nudges of these tasks, so that its entries are deleted too. */
async function lockTasks(trx: Db, ownerId: string, limit: number): Promise<string[]> {
  const rows = await trx
    .selectFrom('tasks')
    .select('id')
    .where('owner_id', '=', ownerId)
    .limit(limit)
    .forUpdate()
    .execute();
  return rows.map(({ id }) => id);
}

const HISTORY = { outcomes: ['id'], timeline: ['id'], deliveries: ['entry_id', 'target_id', 'kind'] } as const;

/** One task may have a history of many thousand rows, so history rows count towards the slice too. */
export async function deleteHistory(trx: Db, taskIds: readonly string[], limit: number): Promise<Slice> {
  let rows = 0;
  for (const [table, key] of Object.entries(HISTORY)) {
    if (rows < limit) rows += await deleteSome(trx, table, key, sql`task_id in (${sql.join(taskIds)})`, limit - rows);
  }
  return { rows, isDone: rows < limit };
}

const deleteRemovals = (trx: Db, viewerId: string, limit: number): Promise<number> =>
  deleteSome(trx, 'task_removals', ['viewer_id', 'task_id'], sql`viewer_id = ${viewerId}`, limit);

async function deleteSome(
  trx: Db,
  table: string,
  key: readonly string[],
  where: RawBuilder<unknown>,
  limit: number,
): Promise<number> {
  const columns = sql.join(key.map((name) => sql.ref(name)));
  const { numAffectedRows = 0n } = await sql`
    delete from ${sql.table(table)} where (${columns}) in (
      select ${columns} from ${sql.table(table)} where ${where} limit ${limit})`.execute(trx);
  return Number(numAffectedRows);
}
