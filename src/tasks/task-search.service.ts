/**
 * Finds tasks of an owner, in the order of the list, with fields that other answers leave out: who wrote the texts, the
 * ceiling, and the name of the space. The tasks are read and compared page by page, with a turn in between, and each
 * call reads a limited number: the cursor continues where the search stopped.
 */
import type { Db } from '../db/schema.ts';
import type { Caller } from '../lib/caller.ts';
import type { Clock } from '../lib/clock.ts';
import { nextTurn } from '../lib/next-turn.ts';
import { mapPages, type Pages, pagesIn } from '../lib/pages.ts';
import type { ShownTask, TaskCursor, TaskPosition } from './shown-tasks.store.ts';
import { matcherOf, type TaskFilter } from './task-filter.ts';
import { readTaskList, readTasks } from './task-list.ts';
import { listSources, listSpacesOf, type TaskSource } from './task-sources.store.ts';
import { findOwner } from './tasks.store.ts';
import { listWriters, type TextField, type TextWriter } from './text-writers.store.ts';

export interface SearchQuery extends TaskFilter {
  readonly status?: string | undefined;
  readonly limit: number;
  readonly after: TaskCursor | undefined;
}

export interface FoundTask extends ShownTask {
  readonly max_stage: number | null;
  readonly space_name: string | null;
  readonly space_written_by: Writer | null;
  readonly written_by: Writer;
  readonly notes_written_by: Writer | null;
  readonly kind_written_by: Writer;
}

/** `you` is the owner, or the access token of the call. */
interface Writer {
  readonly kind: 'you' | 'person' | 'agent' | 'import';
  readonly name: string | null;
}

export interface Found {
  readonly tasks: readonly FoundTask[];
  /** Where to go on, if there may be more. */
  readonly next: TaskPosition | undefined;
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
    const found: ShownTask[] = [];
    const matches = await this.#matcher(caller, filter);
    const isFiltered = Object.values(filter).some((value) => value !== undefined);
    const size = isFiltered ? TASKS_PER_PAGE : limit;
    let [next, compared]: [TaskPosition | undefined, number] = [undefined, 0];
    for (let position = after; ; position = toCursor(next)) {
      const list = await this.#readPage(caller, status, position, size);
      next = list.next;
      for await (const tasks of pagesIn(list.tasks)) {
        callerLeft.throwIfAborted();
        onRead(tasks);
        compared += tasks.length;
        const last = compareUntilFull(tasks, matches, found, limit);
        if (last)
          return { tasks: await this.#withSources(caller, found), next: last.id === list.lastId ? list.next : last };
      }
      if (!next || compared >= MOST_COMPARED) break;
      await nextTurn();
    }
    return { tasks: await this.#withSources(caller, found), next };
  }

  /** Leaves out tasks that the caller does not own. */
  async read(caller: Caller, ids: readonly string[]): Promise<Pages<FoundTask>> {
    const sources = await listSources(this.#db, caller.userId, ids);
    const own = ids.filter((id) => sources.has(id));
    const writers = await listWriters(this.#db, caller.userId, own);
    const pages = await readTasks(this.#db, caller, own, this.#clock.now());
    return mapPages(pages, (task) => withSource(task, sources.get(task.id), writers.get(task.id), caller));
  }

  async #matcher({ userId }: Caller, filter: TaskFilter) {
    const owner = await findOwner(this.#db, userId);
    const spaces = filter.space === undefined ? new Map<string, string>() : await listSpacesOf(this.#db, userId);
    return matcherOf(filter, owner?.timezone ?? 'UTC', spaces);
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

/** Adds the tasks that match until the answer is full. Returns the task that filled it. */
function compareUntilFull(
  tasks: readonly ShownTask[],
  matches: (task: ShownTask) => boolean,
  found: ShownTask[],
  limit: number,
): ShownTask | undefined {
  let characters = found.reduce((sum, task) => sum + charactersOf(task), 0);
  for (const task of tasks) {
    if (!matches(task)) continue;
    found.push(task);
    characters += charactersOf(task);
    if (found.length === limit || characters >= MOST_CHARACTERS) return task;
  }
  return undefined;
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
    written_by: writerOf('title'),
    notes_written_by: task.notes === null ? null : writerOf('notes'),
    kind_written_by: writerOf('kind'),
  };
}

function toWriter(writer: TextWriter | undefined, source: TaskSource | undefined, caller: Caller): Writer {
  if (!writer) return { kind: source?.is_imported ? 'import' : 'you', name: null };
  if (writer.by !== 'owner') return { kind: 'person', name: source?.assigner_name ?? null };
  const isOwnToken = caller.kind === 'token' && caller.tokenId === writer.token_id;
  if (writer.token_id === null || isOwnToken) return { kind: 'you', name: null };
  return { kind: 'agent', name: writer.token_name };
}
