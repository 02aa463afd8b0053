/**
 * Due tasks become nudges. In one transaction a batch of tasks is claimed and moved on, and a
 * pending delivery is stored for each device: the outbox. A crash before the commit has sent
 * nothing; after it, whoever finds the lease run out sends what is left.
 *
 * One bad task never stops the rest: where a batch fails, its tasks are taken one by one, and the
 * one that fails alone is put off and reported.
 */
import type { Kysely } from 'kysely';
import type { Database } from '../db/schema.ts';
import { transact } from '../db/transact.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import type { Logger } from '../lib/logger.ts';
import { Batch } from './batch.ts';
import type { Pace } from './pace.ts';
import type { Dock } from './shipment.ts';
import {
  claimDueTasks,
  claimTask,
  type DueTask,
  listOwners,
  listRunningActivities,
  listValidDevices,
  postponeTask,
} from './sweep.store.ts';

interface SweepParts {
  readonly db: Kysely<Database>;
  readonly clock: Clock;
  /** Leases are counted in real time. */
  readonly wallClock: Clock;
  readonly leaseMs: number;
  readonly dock: Dock;
  readonly pace: Pace;
  readonly logger: Logger;
  readonly around?: AroundSweep | undefined;
}

/** Does one batch, and may look at how long it takes and what comes of it. */
export type AroundSweep = (sweep: () => Promise<Swept>) => Promise<Swept>;

export interface Swept {
  readonly taken: number;
  readonly nudges: number;
  /** How many of those nudges came late. */
  readonly late: number;
  /** How late the most overdue task of the batch was. */
  readonly lateMs: number;
}

const NOTHING: Swept = { taken: 0, nudges: 0, late: 0, lateMs: 0 };
const PUT_OFF_MS = 900_000;
/** iOS ends a card by itself after this long. */
const ACTIVITY_LIFE_MS = 8 * 3_600_000;

export class Sweep {
  readonly #parts: SweepParts;

  constructor(parts: SweepParts) {
    this.#parts = parts;
  }

  /** Takes batch after batch until none is left, and tells of each; resolves with how many tasks there were. */
  async runAll(signal: AbortSignal, swept: (batch: Swept) => void): Promise<number> {
    const { around = (sweep) => sweep() } = this.#parts;
    let sum = 0;
    const runUntilEmpty = async () => {
      while (!signal.aborted) {
        const batch = await around(() => this.runOnce());
        if (batch.taken === 0) return;
        sum += batch.taken;
        swept(batch);
      }
    };
    // Where one fails, the other is waited for: it must not go on sending after the engine has stopped.
    const ends = await Promise.allSettled(Array.from({ length: this.#parts.pace.abreast }, runUntilEmpty));
    const failed = ends.find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
    return sum;
  }

  /** Takes one batch of due tasks. */
  async runOnce(): Promise<Swept> {
    const { clock, pace } = this.#parts;
    const now = clock.now();
    const claimed: string[] = [];
    try {
      return await this.#run(now, async (trx) => {
        const tasks = await claimDueTasks(trx, now, pace.size);
        claimed.splice(0, claimed.length, ...tasks.map(({ id }) => id));
        return tasks;
      });
    } catch (error) {
      if (claimed.length === 0 || (error instanceof AppError && error.code === 'database_unavailable')) throw error;
      return this.#runOneByOne(claimed, now);
    }
  }

  async #run(now: Date, claim: (trx: Kysely<Database>) => Promise<DueTask[]>): Promise<Swept> {
    const { db, dock, wallClock, leaseMs, pace } = this.#parts;
    let batch = new Batch(dock, now, wallClock.now(), leaseMs);
    try {
      const { taken, lateMs } = await transact(db, async (trx) => {
        // It may be the second attempt.
        batch.giveUp();
        batch = new Batch(dock, now, wallClock.now(), leaseMs);
        return pace.measure(
          (swept) => swept.taken,
          () => this.#fill(trx, batch, claim, now),
        );
      });
      dock.ship(batch.shipments);
      for (const provider of batch.crowded) dock.look(provider);
      return { taken, nudges: batch.entries.length, late: batch.late, lateMs };
    } catch (error) {
      batch.giveUp();
      throw error;
    }
  }

  async #fill(
    trx: Kysely<Database>,
    batch: Batch,
    claim: (trx: Kysely<Database>) => Promise<DueTask[]>,
    now: Date,
  ): Promise<Pick<Swept, 'taken' | 'lateMs'>> {
    const tasks = await claim(trx);
    if (tasks.length === 0) return NOTHING;
    await this.#plan(trx, tasks, batch);
    await batch.store(trx);
    const firstDueAt = tasks[0]?.next_fire_at?.getTime() ?? now.getTime();
    return { taken: tasks.length, lateMs: now.getTime() - firstDueAt };
  }

  async #plan(trx: Kysely<Database>, tasks: readonly DueTask[], batch: Batch): Promise<void> {
    const ownerIds = [...new Set(tasks.map(({ owner_id }) => owner_id))];
    const owners = new Map((await listOwners(trx, ownerIds)).map((owner) => [owner.id, owner]));
    const devices = Map.groupBy(await listValidDevices(trx, ownerIds), ({ user_id }) => user_id);
    const activities = await this.#listActivities(trx, tasks);
    for (const task of tasks) {
      const owner = owners.get(task.owner_id);
      if (owner) batch.add(task, owner, devices.get(task.owner_id) ?? [], activities.get(task.id) ?? []);
    }
  }

  async #listActivities(trx: Kysely<Database>, tasks: readonly DueTask[]) {
    const since = new Date(this.#parts.wallClock.now().getTime() - ACTIVITY_LIFE_MS);
    const ids = tasks.map(({ id }) => id);
    return Map.groupBy(await listRunningActivities(trx, ids, since), ({ task_id }) => task_id);
  }

  async #runOneByOne(ids: readonly string[], now: Date): Promise<Swept> {
    const sum = { ...NOTHING };
    for (const id of ids) {
      const one = await this.#runAlone(id, now);
      sum.taken += one.taken;
      sum.nudges += one.nudges;
      sum.late += one.late;
      sum.lateMs = Math.max(sum.lateMs, one.lateMs);
    }
    return sum;
  }

  async #runAlone(id: string, now: Date): Promise<Swept> {
    const { db, logger } = this.#parts;
    try {
      return await this.#run(now, async (trx) => {
        const task = await claimTask(trx, id, now);
        return task ? [task] : [];
      });
    } catch (error) {
      if (error instanceof AppError && error.code === 'database_unavailable') throw error;
      logger.error(
        { err: error, task_id: id },
        'a task could not be nudged and is tried again in a quarter of an hour',
      );
      await postponeTask(db, id, now, new Date(now.getTime() + PUT_OFF_MS));
      return { ...NOTHING, taken: 1 };
    }
  }
}
