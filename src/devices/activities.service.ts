/**
 * The cards on lock screens. An app reports the token of a card that runs; only the task's owner may,
 * since whoever holds the token is shown the task's title. A card for a task that is closed by then is
 * taken away at once.
 */
import type { Kysely } from 'kysely';
import type { Database } from '../db/schema.ts';
import { transact } from '../db/transact.ts';
import type { SessionCaller } from '../lib/caller.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { newId } from '../lib/ids.ts';
import { hashToken } from '../lib/secrets.ts';
import {
  deleteActivity,
  findByTokenHash,
  findPushEnv,
  findUnnamed,
  insertActivity,
  insertEnd,
  nameActivity,
} from './activities.store.ts';
import { spell } from './device-input.ts';

/** What is asked of the tasks: who may see this one, and as what. */
export interface TaskViewer<T> {
  see(caller: SessionCaller, id: string, db?: Kysely<Database>): Promise<{ task: T; relation: string }>;
}

interface ShownTask {
  readonly id: string;
  readonly owner_id: string;
  readonly status: string;
}

export class ActivitiesService<T extends ShownTask> {
  readonly #db: Kysely<Database>;
  readonly #clock: Clock;
  readonly #tasks: TaskViewer<T>;
  readonly #wakeUp: () => void;

  /** The clock is the wall's: iOS ends a card in real time. */
  constructor(db: Kysely<Database>, clock: Clock, tasks: TaskViewer<T>, wakeUp: () => void) {
    this.#db = db;
    this.#clock = clock;
    this.#tasks = tasks;
    this.#wakeUp = wakeUp;
  }

  async report(caller: SessionCaller, taskId: string, token: string): Promise<T> {
    const { task, isOver } = await transact(this.#db, async (trx) => {
      const seen = await this.#tasks.see(caller, taskId, trx);
      if (seen.relation !== 'owner') throw new AppError('not_allowed');
      const activityId = await this.#keep(trx, seen.task, token);
      const over = seen.task.status !== 'open';
      if (over) await insertEnd(trx, { entryId: newId(), activityId, taskId }, this.#clock.now());
      return { task: seen.task, isOver: over };
    });
    if (isOver) this.#wakeUp();
    return task;
  }

  /** A token that is known stays what it is; a new one belongs to the card that was asked for, or to one the app began. */
  async #keep(trx: Kysely<Database>, { id: task_id, owner_id }: ShownTask, token: string): Promise<string> {
    const named = { token, token_hash: hashToken(`activity ${spell(token)}`) };
    const known = await findByTokenHash(trx, named.token_hash);
    if (known?.task_id === task_id && known.ended_at === null) return known.id;
    if (known) await deleteActivity(trx, known.id);
    const unnamed = await findUnnamed(trx, task_id);
    if (unnamed) return (await nameActivity(trx, unnamed.id, named)).id;
    const push_env = (await findPushEnv(trx, owner_id)) ?? 'sandbox';
    const activity = { id: newId(), task_id, device_id: null, ...named, push_env, started_at: this.#clock.now() };
    return (await insertActivity(trx, { ...activity, ended_at: null })).id;
  }
}
