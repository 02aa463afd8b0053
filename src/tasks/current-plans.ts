/**
 * Makes `next_fire_at` true in every answer. After a change of settings, the tasks of a large account are planned again
 * in slices; a task is stale until a slice has planned it. Every read of tasks that are shown passes through here, and
 * gets stale tasks as the owner's present settings plan them.
 *
 * The position in the list stays as stored, because the order of the query and its cursor depend on it.
 * `updated_at` moves when the slice stores the plan.
 */
import type { Db } from '../db/schema.ts';
import type { Caller } from '../lib/caller.ts';
import { nextTurn } from '../lib/next-turn.ts';
import { isStale, withCurrentPlan } from './plan-task.ts';
import { listTasksById, type ShownTask, type StoredShownTask, type StoredTask } from './shown-tasks.store.ts';
import { listOwners } from './tasks.store.ts';

/** Planning these takes about 2 ms. */
const PLANS_PER_TURN = 25;

export async function currentPlans<T extends StoredTask>(db: Db, tasks: readonly T[], now: Date): Promise<T[]> {
  const stale = tasks.filter((task) => isStale(task, task.owner_plan_version));
  if (stale.length === 0) return [...tasks];
  const owners = await listOwners(db, [...new Set(stale.map(({ owner_id }) => owner_id))]);
  const ownerOf = new Map(owners.map((owner) => [owner.id, owner]));
  const current: T[] = [];
  for (const [index, task] of tasks.entries()) {
    const owner = ownerOf.get(task.owner_id);
    current.push(owner ? withCurrentPlan(task, owner, now) : task);
    if (owner && index % PLANS_PER_TURN === PLANS_PER_TURN - 1) await nextTurn();
  }
  return current;
}

/**
 * The same for tasks that were read without their hidden columns. If one is stale, all are read again with all columns.
 */
export async function showCurrentPlans(
  db: Db,
  viewer: Caller,
  tasks: StoredShownTask[],
  now: Date,
): Promise<ShownTask[]> {
  if (!tasks.some((task) => isStale(task, task.owner_plan_version))) return tasks;
  const ids = tasks.map(({ id }) => id);
  return currentPlans(db, await listTasksById(db, viewer, ids), now);
}
