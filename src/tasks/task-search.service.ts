/**
 * Finds tasks of an owner, with fields that other answers leave out: who wrote the texts, the ceiling, and the name of
 * the space. They are in the order of the list; a search for words has the best matches first. The tasks are read and
 * compared page by page, with a turn in between, and each call reads a limited number, among which it ranks: the cursor
 * continues where the search stopped.
 */
import type { Db } from '../db/schema.ts';
import type { Caller } from '../lib/caller.ts';
import type { Clock } from '../lib/clock.ts';
import { isEndOfId, isUuid } from '../lib/ids.ts';
import { Lowest } from '../lib/lowest.ts';
import { nextTurn } from '../lib/next-turn.ts';
import { mapPages, type Pages, pagesIn } from '../lib/pages.ts';
import type { ShownTask, TaskCursor, TaskPosition } from './shown-tasks.store.ts';
import { hasAllWords, type Rank, rankOf, type TaskFilter } from './task-filter.ts';
import { readTaskList, readTasks } from './task-list.ts';
import { listIdsEndingIn, listSources, listSpacesOf, type TaskSource } from './task-sources.store.ts';
import { findOwner } from './tasks.store.ts';
import { listWriters, type TextField, type TextWriter } from './text-writers.store.ts';

export interface SearchQuery extends TaskFilter {
  readonly status?: string | undefined;
  readonly limit: number;
  readonly after: SearchCursor | undefined;
}

export interface SearchCursor {
  /** The tasks of a search for words are ranked among those after this one. */
  readonly start: TaskCursor | undefined;
  /** The last task of the page before, and its rank. */
  readonly last: { readonly rank: number; readonly position: TaskCursor } | undefined;
}

export interface FoundTask extends ShownTask {
  readonly max_stage: number | null;
  readonly space_name: string | null;
  readonly space_written_by: Writer | null;
  /** The name of the person who assigned it. */
  readonly asked_by: string | null;
  readonly written_by: Writer;
  readonly notes_written_by: Writer | null;
  readonly kind_written_by: Writer;
}

/** `you` is the owner, or the access token of the call. */
interface Writer {
  readonly kind: 'you' | 'person' | 'agent' | 'import' | 'unknown';
  readonly name: string | null;
}

export interface Found {
  readonly tasks: readonly FoundTask[];
  /** How many of them, the first ones, have all words. */
  readonly complete: number;
  /** Where to go on, if there may be more. */
  readonly next: SearchCursor | undefined;
}

interface Hit {
  readonly rank: number;
  readonly task: ShownTask;
}

const TASKS_PER_PAGE = 100;
const MOST_COMPARED = 5_000;
/** An answer ends at this much text, because it is written, and read by the tools of assistants, in one go. */
const MOST_CHARACTERS = 100_000;

export class TaskSearchService {
  readonly #db: Db;
  readonly #clock: Clock;

  constructor(db: Db, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  /** `onRead` gets the tasks that are compared, page by page. The search ends if the caller has left. */
  async search(
    caller: Caller,
    { status, limit, after, ...filter }: SearchQuery,
    onRead: (tasks: readonly ShownTask[]) => void,
    callerLeft: AbortSignal,
  ): Promise<Found> {
    const isFiltered = Object.values(filter).some((value) => value !== undefined);
    const isRanked = filter.q !== undefined;
    const hits = new Lowest<Hit>(limit + 1, isRanked ? byRank : inOrder);
    const rankIn = await this.#rank(caller, filter);
    const last = after?.last && hitAt(after.last);
    const size = isFiltered ? TASKS_PER_PAGE : limit + 1;
    let position = isRanked ? after?.start : after?.last?.position;
    for (let compared = 0; ; await nextTurn()) {
      const list = await this.#readPage(caller, status, position, size);
      for await (const tasks of pagesIn(list.tasks)) {
        callerLeft.throwIfAborted();
        onRead(tasks);
        compared += tasks.length;
        keepHits(tasks, rankIn, hits, last);
        if (isDone(hits.values, limit, isRanked)) return this.#toFound(caller, hits.values, limit, after?.start);
      }
      position = list.next && toCursor(list.next);
      if (!position || compared >= MOST_COMPARED) break;
    }
    return this.#toFound(caller, hits.values, limit, after?.start, position);
  }

  /** `end`: where the search stopped, if not at the end of the list. */
  async #toFound(
    caller: Caller,
    hits: readonly Hit[],
    limit: number,
    start: TaskCursor | undefined,
    end?: TaskCursor,
  ): Promise<Found> {
    const page = hits.slice(0, Math.min(limit, countFitting(hits)));
    const last = page.at(-1);
    const tasks = await this.#withSources(
      caller,
      page.map(({ task }) => task),
    );
    const complete = page.filter(({ rank }) => hasAllWords(rank)).length;
    if (!last || page.length === hits.length) return { tasks, complete, next: end && goOnAfter(end) };
    return { tasks, complete, next: { start, last: { rank: last.rank, position: toCursor(last.task) } } };
  }

  /** Takes ids and ends of ids. Leaves out tasks that the caller does not own. */
  async read(caller: Caller, idsOrEnds: readonly string[]): Promise<Pages<FoundTask>> {
    const ends = idsOrEnds.filter(isEndOfId).map((end) => end.toLowerCase());
    const ending = ends.length === 0 ? [] : await listIdsEndingIn(this.#db, caller.userId, ends);
    const ids = [...new Set([...idsOrEnds.filter(isUuid), ...ending])];
    const sources = await listSources(this.#db, caller.userId, ids);
    const own = ids.filter((id) => sources.has(id));
    const writers = await listWriters(this.#db, caller.userId, own);
    const pages = await readTasks(this.#db, caller, own, this.#clock.now());
    return mapPages(pages, (task) => withSource(task, sources.get(task.id), writers.get(task.id), caller));
  }

  async #rank({ userId }: Caller, filter: TaskFilter): Promise<Rank> {
    const owner = await findOwner(this.#db, userId);
    const spaces = filter.space === undefined ? new Map<string, string>() : await listSpacesOf(this.#db, userId);
    return rankOf(filter, owner?.timezone ?? 'UTC', spaces);
  }

  async #readPage(caller: Caller, status: string | undefined, after: TaskCursor | undefined, limit: number) {
    const of = { ownerId: caller.userId };
    return readTaskList(this.#db, caller, { of, status, after, limit, now: this.#clock.now() });
  }

  async #withSources(caller: Caller, tasks: readonly ShownTask[]): Promise<FoundTask[]> {
    const ids = tasks.map(({ id }) => id);
    const sources = await listSources(this.#db, caller.userId, ids);
    const writers = await listWriters(this.#db, caller.userId, ids);
    return tasks.map((task) => withSource(task, sources.get(task.id), writers.get(task.id), caller));
  }
}

const inOrder = (one: Hit, other: Hit): number => {
  const [a, b] = [one.task, other.task];
  return a.list_rank - b.list_rank || a.list_key - b.list_key || (a.id < b.id ? -1 : Number(a.id > b.id));
};
const byRank = (one: Hit, other: Hit): number => one.rank - other.rank || inOrder(one, other);

const hitAt = ({ rank, position }: NonNullable<SearchCursor['last']>): Hit => ({
  rank,
  task: { list_rank: position.rank, list_key: position.key, id: position.id } as ShownTask,
});

/** For a list, a task ends the page before; a search for words is ranked anew among the tasks after this one. */
const goOnAfter = (position: TaskCursor): SearchCursor => ({ start: position, last: { rank: -1, position } });

function keepHits(tasks: readonly ShownTask[], rankIn: Rank, hits: Lowest<Hit>, last: Hit | undefined): void {
  for (const task of tasks) {
    const rank = rankIn(task);
    if (rank === undefined || (last && byRank({ rank, task }, last) <= 0)) continue;
    hits.add({ rank, task });
  }
}

/** Whether no later task belongs on the page: it could not be better than the ones that were found. */
function isDone(hits: readonly Hit[], limit: number, isRanked: boolean): boolean {
  if (!isRanked && countFitting(hits) < hits.length) return true;
  return hits.length > limit && hits.at(-1)?.rank === 0;
}

/** How many tasks of this order make an answer that is short enough; at least one. */
function countFitting(hits: readonly Hit[]): number {
  let characters = 0;
  const end = hits.findIndex(({ task }) => {
    characters += charactersOf(task);
    return characters >= MOST_CHARACTERS;
  });
  return end < 0 ? hits.length : end + 1;
}

const charactersOf = ({ title, notes, recurrence }: ShownTask): number =>
  title.length + (notes?.length ?? 0) + (recurrence?.length ?? 0);

const toCursor = ({ list_rank, list_key, id }: TaskPosition): TaskCursor => ({ rank: list_rank, key: list_key, id });

function withSource(
  task: ShownTask,
  source: TaskSource | undefined,
  writers: ReadonlyMap<string, TextWriter> | undefined,
  caller: Caller,
): FoundTask {
  const { max_stage = null, space_name = null, is_space_own = false } = source ?? {};
  const writerOf = (field: TextField) => toWriter(writers?.get(field), source, caller);
  return {
    ...task,
    max_stage,
    space_name,
    space_written_by: space_name === null ? null : { kind: is_space_own ? 'you' : 'person', name: null },
    asked_by: source?.assigner_name ?? null,
    written_by: writerOf('title'),
    notes_written_by: task.notes === null ? null : writerOf('notes'),
    kind_written_by: writerOf('kind'),
  };
}

function toWriter(writer: TextWriter | undefined, source: TaskSource | undefined, caller: Caller): Writer {
  if (!writer) return { kind: source?.is_imported ? 'import' : 'you', name: null };
  if (writer.by === 'unknown') return { kind: 'unknown', name: null };
  if (writer.by !== 'owner') return { kind: 'person', name: source?.assigner_name ?? null };
  const isOwnToken = caller.kind === 'token' && caller.tokenId === writer.token_id;
  if (writer.token_id === null || isOwnToken) return { kind: 'you', name: null };
  return { kind: 'agent', name: writer.token_name };
}
