/**
 * An account's tasks, a few at a time: whoever deletes a large account beside a running service must
 * not keep the one writer of SQLite for longer than the service waits for its turn.
 */
import type { Kysely } from 'kysely';
import type { Database } from '../db/schema.ts';
import { deleteTasks, lockSomeTasks } from './owned-tasks.store.ts';
import { listOtherViewers, recordRemovals } from './sync.store.ts';
import { deleteTimelines } from './timeline.store.ts';

const TASKS_PER_STEP = 200;

/** Resolves with whether there may be more. Others are told what they will no longer see, as when all go at once. */
export async function forgetSomeTasks(trx: Kysely<Database>, ownerId: string): Promise<boolean> {
  const ids = await lockSomeTasks(trx, ownerId, TASKS_PER_STEP);
  if (ids.length === 0) return false;
  await recordRemovals(trx, await listOtherViewers(trx, ownerId, ids));
  await deleteTimelines(trx, ids);
  await deleteTasks(trx, ids);
  return ids.length === TASKS_PER_STEP;
}
