/**
 * Reads a list of any length in pages. The ids are read first, in one statement, so every task of the list
 * appears exactly once even if it moves within the list while the pages are read. Each task is shown as it is
 * when its page is read; a task that the viewer can no longer see by then is left out.
 */
import type { Db } from '../db/schema.ts';
import type { Caller } from '../lib/caller.ts';
import { nextTurn } from '../lib/next-turn.ts';
import { type Pages, ROWS_PER_PAGE, readInPages } from '../lib/pages.ts';
import { currentPlans } from './current-plans.ts';
import type { Task } from './task-state.ts';
import {
  listReplannedOwners,
  listTaskIds,
  listTaskPositions,
  listTasks,
  listTasksById,
  type TaskPosition,
  type TaskQuery,
} from './tasks.store.ts';

export interface TaskList {
  readonly tasks: Pages<Task>;
  /** The last task, if the limit was reached and more may follow. */
  readonly next: TaskPosition | undefined;
}

export async function readTaskList(db: Db, viewer: Caller, asked: TaskQuery): Promise<TaskList> {
  const { of, status, now, limit } = asked;
  const needsSettings = status === 'overdue' && !('spaceId' in of);
  const query = { ...asked, replanned: needsSettings ? await listReplannedOwners(db, of, now) : [] };
  const next = (list: readonly TaskPosition[]) => (list.length === limit ? list.at(-1) : undefined);
  // Most lists fit on one page, which one statement reads.
  if (limit === undefined || limit <= ROWS_PER_PAGE) {
    const first = await listTasks(db, { ...query, limit: limit ?? ROWS_PER_PAGE + 1 });
    if (first.length <= ROWS_PER_PAGE)
      return { tasks: { first: await currentPlans(db, first, now) }, next: next(first) };
    await nextTurn();
  }
  const readPage = async (ids: readonly string[]) => currentPlans(db, await listTasksById(db, viewer, ids), now);
  if (limit === undefined) return { tasks: await readInPages(await listTaskIds(db, query), readPage), next: undefined };
  const positions = await listTaskPositions(db, query);
  const ids = positions.map(({ id }) => id);
  return { tasks: await readInPages(ids, readPage), next: next(positions) };
}
