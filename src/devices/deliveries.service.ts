/**
 * The user saw a nudge. Always answered alike, whatever the task: what is not the caller's own can
 * be neither acknowledged nor probed. It never slows the ladder: seen is not done.
 */
import type { Kysely } from 'kysely';
import type { Database } from '../db/schema.ts';
import { transact } from '../db/transact.ts';
import type { SessionCaller } from '../lib/caller.ts';
import type { Clock } from '../lib/clock.ts';
import { newId } from '../lib/ids.ts';
import {
  acknowledge,
  findNewestDelivery,
  insertAcknowledgement,
  isAcknowledged,
  lockOwnTask,
} from './deliveries.store.ts';

export class DeliveriesService {
  readonly #db: Kysely<Database>;
  readonly #clock: Clock;

  constructor(db: Kysely<Database>, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  /** True only where this call marked a delivery: the newest of the pair, and only if none of it was marked before. */
  async acknowledge({ userId: ownerId }: SessionCaller, taskId: string, stage: number): Promise<boolean> {
    return transact(this.#db, async (trx) => {
      if (!(await lockOwnTask(trx, ownerId, taskId)) || (await isAcknowledged(trx, taskId, stage))) return false;
      const newest = await findNewestDelivery(trx, taskId, stage);
      if (!newest) return false;
      const at = this.#clock.now();
      await acknowledge(trx, newest, at);
      const about = { task_id: taskId, owner_id: ownerId, stage, occurrence_due_at: newest.occurrence_due_at };
      await insertAcknowledgement(trx, { id: newId(), ...about, at, kind: 'acknowledged', by: 'owner' });
      return true;
    });
  }
}
