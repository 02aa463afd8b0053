/**
 * Acknowledgements: the user saw a nudge. The answer is the same for a missing task and for another
 * user's task, which can therefore be neither acknowledged nor probed. An acknowledgement never slows
 * the ladder: seen is not done.
 */
import type { Db } from '../db/schema.ts';
import { announce, transact } from '../db/transact.ts';
import type { SessionCaller } from '../lib/caller.ts';
import type { Clock } from '../lib/clock.ts';
import { newId } from '../lib/ids.ts';
import {
  findNewestDelivery,
  insertTimelineEntry,
  isAcknowledged,
  lockOwnTask,
  setAnswered,
} from './acknowledgements.store.ts';
import { cancelWaitingTiers } from './waiting-tiers.ts';

export class AcknowledgementsService {
  readonly #db: Db;
  readonly #clock: Clock;

  constructor(db: Db, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  /**
   * Acknowledges the newest delivery of the task at this stage, unless one is acknowledged already. Returns whether it
   * did.
   */
  async acknowledge({ userId: ownerId }: SessionCaller, taskId: string, stage: number): Promise<boolean> {
    return transact(this.#db, async (trx) => {
      if (!(await lockOwnTask(trx, ownerId, taskId))) return false;
      const newest = await findNewestDelivery(trx, ownerId, taskId, stage);
      if (!newest) return false;
      const at = this.#clock.now();
      const isRepeated = await isAcknowledged(trx, ownerId, taskId, stage);
      // Who taps the nudge of another day, or a later one of this stage, has seen it too: it falls no further.
      await setAnswered(trx, newest, isRepeated ? 'confirmed_at' : 'acked_at', at);
      await cancelWaitingTiers(trx, newest);
      if (isRepeated) return false;
      await insertTimelineEntry(trx, {
        id: newId(),
        task_id: taskId,
        owner_id: ownerId,
        stage,
        run: newest.run,
        nudge: newest.nudge,
        occurrence_due_at: newest.occurrence_due_at,
        at,
        kind: 'acknowledged',
        by: 'owner',
      });
      announce(trx, [ownerId]);
      return true;
    });
  }
}
