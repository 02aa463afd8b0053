/**
 * Live Activities on lock screens. An app reports the push token of a running activity. Only the task's owner may,
 * because the activity shows the task's title. If the task is closed, or the occurrence was dealt with, the activity
 * ends at once.
 */
import type { Db } from '../db/schema.ts';
import { transact } from '../db/transact.ts';
import type { SessionCaller } from '../lib/caller.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { newId } from '../lib/ids.ts';
import { hashToken } from '../lib/secrets.ts';
import {
  type Activity,
  deleteActivities,
  endActivity,
  findByTokenHash,
  findWithoutToken,
  insertActivity,
  listPhones,
  listRunning,
  lockTaskStatus,
  setActivityToken,
} from './activities.store.ts';
import { normalizeToken } from './device-input.ts';

/** The part of the tasks service that this service uses: who sees a task, and in which relation to it. */
export interface TaskViewer<T> {
  getVisible(caller: SessionCaller, id: string, db?: Db): Promise<{ task: T; relation: string }>;
}

interface ShownTask {
  readonly id: string;
  readonly owner_id: string;
}

/** iOS ends an activity after this time. */
const MAX_LIFETIME_MS = 8 * 3_600_000;
/** More phones than anyone uses for one task. An app that reports more activities has a bug. */
const MAX_RUNNING = 5;

export class ActivitiesService<T extends ShownTask> {
  readonly #db: Db;
  readonly #clock: Clock;
  readonly #tasks: TaskViewer<T>;
  readonly #wakeUp: () => void;

  /** `clock` is the wall clock, because iOS ends an activity in real time. */
  constructor(db: Db, clock: Clock, tasks: TaskViewer<T>, wakeUp: () => void) {
    this.#db = db;
    this.#clock = clock;
    this.#tasks = tasks;
    this.#wakeUp = wakeUp;
  }

  async report(caller: SessionCaller, taskId: string, token: string): Promise<T> {
    const { task, isOver } = await transact(this.#db, async (trx) => {
      const seen = await this.#tasks.getVisible(caller, taskId, trx);
      if (seen.relation !== 'owner') throw new AppError('not_allowed');
      // The lock makes a concurrent change of the task finish first, or wait until the activity is stored.
      const status = await lockTaskStatus(trx, taskId);
      const activity = await this.#save(trx, seen.task, token);
      const isOver = activity.ended_at !== null || status !== 'open';
      if (isOver) await endActivity(trx, activity, newId(), this.#clock.now());
      return { task: seen.task, isOver };
    });
    if (isOver) this.#wakeUp();
    return task;
  }

  /**
   * A known token keeps its activity. A new one belongs to the activity that a push started and that has
   * no token yet, or else to one that the app started.
   */
  async #save(trx: Db, { id: task_id, owner_id }: ShownTask, token: string): Promise<Activity> {
    const now = this.#clock.now();
    const tokenFields = { token, token_hash: hashToken(`activity ${normalizeToken(token)}`) };
    const known = await findByTokenHash(trx, tokenFields.token_hash);
    if (known?.task_id === task_id) return known;
    if (known) await deleteActivities(trx, [known.id]);
    const withoutToken = await findWithoutToken(trx, task_id, new Date(now.getTime() - MAX_LIFETIME_MS));
    if (withoutToken) return setActivityToken(trx, withoutToken.id, tokenFields);
    const running = await listRunning(trx, task_id);
    const surplus = running.slice(MAX_RUNNING - 1).map(({ id }) => id);
    await deleteActivities(trx, surplus);
    // The token does not say which phone the activity runs on. With a single phone it is known.
    const phones = await listPhones(trx, owner_id);
    return insertActivity(trx, {
      id: newId(),
      task_id,
      ...tokenFields,
      device_id: phones.length === 1 ? (phones[0]?.id ?? null) : null,
      push_env: phones[0]?.push_env ?? 'sandbox',
      started_at: now,
      ended_at: null,
    });
  }
}
