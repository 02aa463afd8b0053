/**
 * Deletes the tasks of an account in batches. On SQLite, deleting a large account in one transaction
 * would hold the only write lock for longer than a running service waits for it.
 */
import type { Db } from '../db/schema.ts';
import { listOtherViewers, recordRemovals } from './sync/sync.store.ts';
import { deleteTimelines } from './timeline/timeline.store.ts';

const TASKS_PER_BATCH = 200;

/** Returns whether there may be more tasks. Records the removals that other viewers learn of when they sync. */
export async function deleteTaskBatch(trx: Db, ownerId: string): Promise<boolean> {
  const ids = await lockTaskBatch(trx, ownerId);
  if (ids.length === 0) return false;
  await recordRemovals(trx, await listOtherViewers(trx, ownerId, ids));
  await deleteTimelines(trx, ids);
  // Outcomes and Live Activities are deleted by their foreign keys.
  await trx.deleteFrom('tasks').where('id', 'in', ids).execute();
  return ids.length === TASKS_PER_BATCH;
}

/** The lock waits for an engine that is sending nudges of these tasks, so that its entries are deleted too. */
async function lockTaskBatch(trx: Db, ownerId: string): Promise<string[]> {
  const rows = await trx
    .selectFrom('tasks')
    .select('id')
    .where('owner_id', '=', ownerId)
    .limit(TASKS_PER_BATCH)
    .forUpdate()
    .execute();
  return rows.map(({ id }) => id);
}
