/**
 * Reads a list of any length in pages. The ids are read first, in one statement, so every task of the list
 * appears exactly once even if it moves within the list while the pages are read. Each task is shown as it is
 * when its page is read; a task that the viewer can no longer see by then is left out.
 */
import type { Db } from '../db/schema.ts';
import type { Caller } from '../lib/caller.ts';
import { nextTurn } from '../lib/next-turn.ts';
import { groupsOfText, type Pages, ROWS_PER_PAGE, readInPages } from '../lib/pages.ts';
import { showCurrentPlans } from './current-plans.ts';
import {
  isCut,
  isOwnList,
  type ListQuery,
  listOutlines,
  listOutlinesById,
  listReplannedOwners,
  listShownTasksById,
  listTaskIds,
  listTaskPositions,
  type ShownTask,
  type TaskOutline,
  type TaskPosition,
  type TaskQuery,
} from './shown-tasks.store.ts';

export interface TaskList {
  readonly tasks: Pages<ShownTask>;
  /** The last task, if the limit was reached and more may follow. */
  readonly next: TaskPosition | undefined;
  readonly lastId?: string | undefined;
}

export async function readTaskList(db: Db, viewer: Caller, asked: TaskQuery): Promise<TaskList> {
  const { of, status, now, limit } = asked;
  const needsSettings = status === 'overdue' && !('spaceId' in of);
  const query = { ...asked, replanned: needsSettings ? await listReplannedOwners(db, of, now) : [] };
  const next = (list: readonly TaskPosition[]) => (list.length === limit ? list.at(-1) : undefined);
  // Most lists fit on one page, which one statement reads.
  if (limit === undefined || limit <= ROWS_PER_PAGE) {
    const first = await listOutlines(db, { ...query, limit: limit ?? ROWS_PER_PAGE + 1 });
    if (first.length <= ROWS_PER_PAGE)
      return { tasks: await withLongTexts(db, viewer, first, now), next: next(first), lastId: first.at(-1)?.id };
    await nextTurn();
  }
  const readPage = pageReader(db, viewer, query);
  if (limit === undefined) {
    const ids = await listTaskIds(db, query);
    return { tasks: await readInPages(ids, readPage), next: undefined, lastId: ids.at(-1) };
  }
  const positions = await listTaskPositions(db, query);
  const ids = positions.map(({ id }) => id);
  return { tasks: await readInPages(ids, readPage), next: next(positions), lastId: ids.at(-1) };
}

/**
 * Reads the pages of a list. In a list of one's own, a page is read by its position first, which costs half as much,
 * and by the ids only if a task has moved since they were read.
 */
function pageReader(db: Db, viewer: Caller, query: ListQuery): (ids: readonly string[]) => Promise<Pages<ShownTask>> {
  const { now } = query;
  if (!isOwnList(query)) return (ids) => readTasks(db, viewer, ids, now);
  let { after } = query;
  return async (ids) => {
    const outlines = await listOutlines(db, { ...query, after, limit: ids.length });
    const last = outlines.at(-1);
    if (last) after = { rank: last.list_rank, key: last.list_key, id: last.id };
    const areTheSame = outlines.length === ids.length && outlines.every(({ id }, index) => id === ids[index]);
    return areTheSame ? withLongTexts(db, viewer, outlines, now) : readTasks(db, viewer, ids, now);
  };
}

/** Reads the tasks that the viewer still sees, in the order of the ids. */
export const readTasks = async (db: Db, viewer: Caller, ids: readonly string[], now: Date): Promise<Pages<ShownTask>> =>
  withLongTexts(db, viewer, await listOutlinesById(db, viewer, ids), now);

/** Outlines leave long texts out. Tasks with such texts are read again, in pages by the size of the texts. */
async function withLongTexts(db: Db, viewer: Caller, outlines: TaskOutline[], now: Date): Promise<Pages<ShownTask>> {
  if (!outlines.some(isCut)) return { first: await showCurrentPlans(db, viewer, outlines, now) };
  const read = async (group: readonly TaskOutline[]) => {
    const ids = group.map(({ id }) => id);
    return showCurrentPlans(db, viewer, await listShownTasksById(db, viewer, ids), now);
  };
  const [group = [], ...others] = groupsOfText(outlines);
  const first = await read(group);
  return others.length === 0 ? { first } : { first, rest: inTurns(others, read) };
}

async function* inTurns<T, U>(groups: readonly T[], read: (group: T) => Promise<U>): AsyncGenerator<U> {
  for (const group of groups) {
    await nextTurn();
    yield await read(group);
  }
}
