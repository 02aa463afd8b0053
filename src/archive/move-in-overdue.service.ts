/**
 * Imported tasks that were overdue ring only after their owner has decided about them: today, on their date, or not at
 * all. Until then they are stored as notified once, so they have no next nudge; the mode that they had is kept aside.
 */
import type { Db } from '../db/schema.ts';
import type { Caller, SessionCaller } from '../lib/caller.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { nextTurn } from '../lib/next-turn.ts';
import { localDate } from '../lib/time-zone.ts';
import { listUndecided, settleUndecided, takeUndecided } from '../tasks/remove-imported.ts';
import type { TasksService } from '../tasks/tasks.service.ts';

export const DECISIONS = ['today', 'keep_date', 'drop'] as const;
export type Decision = (typeof DECISIONS)[number];

/** Each is a transaction of its own. */
export const MOST_DECIDED = 100;
export const MOST_UNDECIDED = 50;

type Tasks = Pick<TasksService, 'edit' | 'act'>;

export class MoveInOverdueService {
  readonly #db: Db;
  readonly #clock: Clock;
  readonly #tasks: Tasks;
  readonly #zoneOf: (userId: string) => Promise<string>;

  constructor(db: Db, clock: Clock, tasks: Tasks, zoneOf: (userId: string) => Promise<string>) {
    this.#db = db;
    this.#clock = clock;
    this.#tasks = tasks;
    this.#zoneOf = zoneOf;
  }

  /** The first ones, and whether there are more. */
  async list(moveInId: string) {
    const found = await listUndecided(this.#db, moveInId, MOST_UNDECIDED + 1);
    return { tasks: found.slice(0, MOST_UNDECIDED), has_more: found.length > MOST_UNDECIDED };
  }

  /** Leaves out tasks that wait for no decision any more. Returns how many it decided. */
  async decide(
    caller: SessionCaller,
    moveInId: string,
    decision: Decision,
    taskIds: readonly string[],
  ): Promise<number> {
    const today = localDate(this.#clock.now(), await this.#zoneOf(caller.userId));
    const waiting = await takeUndecided(this.#db, caller.userId, moveInId, [...new Set(taskIds)]);
    for (const { task_id, undecided_mode } of waiting) {
      await nextTurn();
      await this.#decideOne(caller, task_id, undecided_mode ?? 'escalate', decision, today);
      await settleUndecided(this.#db, caller.userId, task_id);
    }
    return waiting.length;
  }

  async #decideOne(caller: Caller, id: string, mode: string, decision: Decision, today: string): Promise<void> {
    try {
      if (decision === 'drop') await this.#tasks.act(caller, id, { name: 'drop' });
      else if (decision === 'keep_date') await this.#tasks.edit(caller, id, { mode, restarts: true });
      else {
        const move = { due_at: `${today}T00:00:00`, date_only: true };
        await this.#tasks.edit(caller, id, { mode, restarts: true, move });
      }
    } catch (error) {
      // It was closed in the meantime, so there is nothing left to decide.
      if (!(error instanceof AppError) || (error.code !== 'task_closed' && error.code !== 'not_found')) throw error;
    }
  }
}
