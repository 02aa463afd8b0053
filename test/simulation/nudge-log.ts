/** The nudges that the service has stored and that the model has not followed yet, as the database logged them. */
import type { StatementSync } from 'node:sqlite';
import type { Nudge } from './invariant.ts';
import type { SharedDatabase } from './shared-database.ts';

export class NudgeLog {
  readonly #database: SharedDatabase;
  readonly #newNudges: StatementSync;
  #last = 0;
  #waiting: Nudge[] = [];

  constructor(database: SharedDatabase) {
    this.#database = database;
    this.#newNudges = database.prepare('select * from sim_nudges where number > ? and number <= ? order by number');
  }

  read(): void {
    const { committedNudge } = this.#database;
    if (this.#last === committedNudge) return;
    for (const { number, entry_id, task_id, at, stage, run } of this.#newNudges.all(this.#last, committedNudge)) {
      this.#last = Number(number);
      this.#waiting.push({
        entryId: String(entry_id),
        taskId: String(task_id),
        at: Number(at),
        stage: Number(stage),
        run: Number(run),
      });
    }
  }

  /** Offers the nudges in order. Nudges that `take` refuses stay in the log. */
  takeEach(take: (nudge: Nudge) => boolean): void {
    if (this.#waiting.length > 0) this.#waiting = this.#waiting.filter((nudge) => !take(nudge));
  }

  of(taskId: string): Nudge[] {
    this.read();
    return this.#waiting.filter((nudge) => nudge.taskId === taskId);
  }

  drop(taskId: string): void {
    this.#waiting = this.#waiting.filter((nudge) => nudge.taskId !== taskId);
  }
}
