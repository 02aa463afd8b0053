/**
 * Hands out what belongs to tasks, task by task, while reading it page by page in the order of the
 * tasks: a task that was nudged for years takes no more memory than one that never was.
 */
const ROWS_PER_PAGE = 1_000;

interface OfTask {
  readonly task_id: string;
}

export class Story<T extends OfTask> {
  readonly #read: (last: T | undefined, limit: number) => Promise<T[]>;
  #page: readonly T[] = [];
  #next = 0;
  #isOver = false;

  /** `read` returns what follows after `last`, ordered by the task's id. */
  constructor(read: (last: T | undefined, limit: number) => Promise<T[]>) {
    this.#read = read;
  }

  /** To be asked for in the order of the ids, each to its end. Whatever a page has of it comes at once. */
  async *of(taskId: string): AsyncGenerator<readonly T[]> {
    for (;;) {
      if (this.#next === this.#page.length && !(await this.#turn())) return;
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

  /** False where there is no further page. */
  async #turn(): Promise<boolean> {
    if (this.#isOver) return false;
    this.#page = await this.#read(this.#page.at(-1), ROWS_PER_PAGE);
    this.#next = 0;
    this.#isOver = this.#page.length < ROWS_PER_PAGE;
    return this.#page.length > 0;
  }
}
