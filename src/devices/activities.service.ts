/**
 * The cards on lock screens. An app reports the token of a card that runs; only the task's owner may,
 * since whoever holds the token is shown the task's title. A card that outlived what it was for, a
 * task that is closed or an occurrence that was dealt with, is taken away at once.
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
  type Activity,
  deleteActivities,
  endActivity,
  findByTokenHash,
  findUnnamed,
  insertActivity,
  listPhones,
  listRunning,
  lockTaskStatus,
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
}

/** After so long iOS has ended a card by itself. */
const LONGEST_LIFE_MS = 8 * 3_600_000;
/** More phones than anybody has a card on; an app that reports more has lost count. */
const MOST_CARDS = 5;

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
      // Whoever is just dealing with the task finishes first, or waits until the card is known.
      const status = await lockTaskStatus(trx, taskId);
      const activity = await this.#keep(trx, seen.task, token);
      const over = activity.ended_at !== null || status !== 'open';
      if (over) await endActivity(trx, activity, newId(), this.#clock.now());
      return { task: seen.task, isOver: over };
    });
    if (isOver) this.#wakeUp();
    return task;
  }

  /** A token that is known stays what it is; a new one belongs to the card that was asked for, or to one the app began. */
  async #keep(trx: Kysely<Database>, { id: task_id, owner_id }: ShownTask, token: string): Promise<Activity> {
    const now = this.#clock.now();
    const named = { token, token_hash: hashToken(`activity ${spell(token)}`) };
    const known = await findByTokenHash(trx, named.token_hash);
    if (known?.task_id === task_id) return known;
    if (known) await deleteActivities(trx, [known.id]);
    const unnamed = await findUnnamed(trx, task_id, new Date(now.getTime() - LONGEST_LIFE_MS));
    if (unnamed) return nameActivity(trx, unnamed.id, named);
    const running = await listRunning(trx, task_id);
    await deleteActivities(
      trx,
      running.slice(MOST_CARDS - 1).map(({ id }) => id),
    );
    // The token does not say which phone it is on; with one phone there is no question.
    const phones = await listPhones(trx, owner_id);
    const place = {
      device_id: phones.length === 1 ? (phones[0]?.id ?? null) : null,
      push_env: phones[0]?.push_env ?? 'sandbox',
    };
    return insertActivity(trx, { id: newId(), task_id, ...named, ...place, started_at: now, ended_at: null });
  }
}
