/**
 * Reads rows that belong to tasks (outcomes, timeline entries) page by page and returns them task by
 * task. Memory use does not depend on how long the history of a task is.
 */
import { nextTurn } from '../lib/next-turn.ts';

const ROWS_PER_PAGE = 1_000;

interface TaskRow {
  readonly task_id: string;
}

type ReadPage<T> = (last: T | undefined, limit: number) => Promise<T[]>;

export class HistoryReader<T extends TaskRow> {
  readonly #readPage: ReadPage<T>;
  #page: readonly T[] = [];
  #next = 0;
  #isLastPage = false;

  /** `readPage` returns the rows that follow `last`, ordered by task id. */
  constructor(readPage: ReadPage<T>) {
    this.#readPage = readPage;
  }

  /** Must be called in the order of the task ids, and each result read to its end. */
  async *rowsOf(taskId: string): AsyncGenerator<readonly T[]> {
    for (;;) {
      if (this.#next === this.#page.length && !(await this.#readNextPage())) return;
      const rows = this.#page.slice(this.#next, this.#endOf(taskId));
      this.#next += rows.length;
      if (rows.length > 0) yield rows;
      if (this.#next < this.#page.length) return;
    }
  }

  #endOf(taskId: string): number {
    const end = this.#page.findIndex(({ task_id }, index) => index >= this.#next && task_id !== taskId);
    return end === -1 ? this.#page.length : end;
  }

  /** Returns false if there is no further page. */
  async #readNextPage(): Promise<boolean> {
    if (this.#isLastPage) return false;
    // A task can have thousands of entries, and reading them on SQLite never yields.
    await nextTurn();
    this.#page = await this.#readPage(this.#page.at(-1), ROWS_PER_PAGE);
    this.#next = 0;
    this.#isLastPage = this.#page.length < ROWS_PER_PAGE;
    return this.#page.length > 0;
  }
}
