/**
 * Bulk changes: closes several tasks under one id, and takes all of it back by that id. Each task is its own
 * transaction, with the same checks as if it were closed alone, so that one refusal does not stop the others.
 */
import type { Db } from '../db/schema.ts';
import type { Caller } from '../lib/caller.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { newId } from '../lib/ids.ts';
import { nextTurn } from '../lib/next-turn.ts';
import { type ListedBatch, listBatches, listBatchTasks, listReopenable } from './batches.store.ts';
import type { Task } from './task-state.ts';
import type { ActionRequest, TasksService } from './tasks.service.ts';

/** Few enough for one request: each is a transaction. */
export const MOST_IN_BATCH = 500;

/** Few enough to name each of their tasks in one answer. */
const MOST_LISTED = 20;
/** For as long as a task can be reopened. */
const LISTED_MS = 86_400_000;

const ACTIONS = { done: 'complete', skipped: 'skip', dropped: 'drop' } as const;

export type Closing = keyof typeof ACTIONS;

export interface TaskToClose {
  readonly id: string;
  readonly occurrence_due_at?: string | null | undefined;
}

export interface BatchResult {
  readonly task_id: string;
  /** Null if it was refused. */
  readonly task: Pick<Task, 'status' | 'due_at' | 'has_time'> | null;
  /** Why it was refused: `code: sentence`. */
  readonly error: string | null;
}

export interface Batch {
  readonly batch_id: string;
  readonly results: BatchResult[];
}

export class BatchesService {
  readonly #db: Db;
  readonly #tasks: Pick<TasksService, 'act'>;
  readonly #clock: Clock;

  constructor(db: Db, tasks: Pick<TasksService, 'act'>, clock: Clock) {
    this.#db = db;
    this.#tasks = tasks;
    this.#clock = clock;
  }

  /** The latest bulk changes of the account's tasks that can be taken back, with the tasks that would be open again. */
  async list({ userId }: Caller): Promise<(ListedBatch & { readonly task_ids: string[] })[]> {
    const since = new Date(this.#clock.now().getTime() - LISTED_MS);
    const batches = await listBatches(this.#db, userId, since, MOST_LISTED);
    const ids = Map.groupBy(
      await listReopenable(
        this.#db,
        userId,
        batches.map(({ batch_id }) => batch_id),
      ),
      ({ batch_id }) => batch_id,
    );
    return batches
      .map((batch) => ({ ...batch, task_ids: ids.get(batch.batch_id)?.map(({ task_id }) => task_id) ?? [] }))
      .filter(({ task_ids }) => task_ids.length > 0);
  }

  async close(caller: Caller, as: Closing, tasks: readonly TaskToClose[]): Promise<Batch> {
    const batchId = newId();
    const name = ACTIONS[as];
    const results: BatchResult[] = [];
    for (const { id, occurrence_due_at: occurrenceDueAt } of tasks)
      results.push(await this.#tryAct(caller, id, { name, occurrenceDueAt, batchId }));
    return { batch_id: batchId, results };
  }

  /** Leaves out tasks that the caller cannot see. What somebody did to a task since then stays. */
  async undo(caller: Caller, batchId: string): Promise<Batch> {
    const results: BatchResult[] = [];
    for (const id of await listBatchTasks(this.#db, batchId, MOST_IN_BATCH)) {
      const result = await this.#tryAct(caller, id, { name: 'reopen', batchId });
      if (!result.error?.startsWith('not_found')) results.push(result);
    }
    if (results.length === 0) throw new AppError('not_found', { sentence: 'There is no such bulk change.' });
    return { batch_id: batchId, results };
  }

  async #tryAct(caller: Caller, id: string, request: ActionRequest): Promise<BatchResult> {
    await nextTurn();
    try {
      return { task_id: id, task: await this.#tasks.act(caller, id, request), error: null };
    } catch (error) {
      if (!(error instanceof AppError) || error.status >= 500) throw error;
      return { task_id: id, task: null, error: `${error.code}: ${error.message}` };
    }
  }
}
