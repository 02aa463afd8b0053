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
  setAcknowledgedAt,
} from './acknowledgements.store.ts';
import { cancelWaitingTiers } from './waiting-tiers.ts';

export class AcknowledgementsService {
  readonly #db: Db;
  readonly #clock: Clock;

  constructor(db: Db, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  /** Marks the newest delivery of the task at this stage, unless one is marked already. Returns whether it marked one. */
  async acknowledge({ userId: ownerId }: SessionCaller, taskId: string, stage: number): Promise<boolean> {
    return transact(this.#db, async (trx) => {
      if (!(await lockOwnTask(trx, ownerId, taskId)) || (await isAcknowledged(trx, ownerId, taskId, stage)))
        return false;
      const newest = await findNewestDelivery(trx, ownerId, taskId, stage);
      if (!newest) return false;
      const at = this.#clock.now();
      await setAcknowledgedAt(trx, newest, at);
      await cancelWaitingTiers(trx, newest);
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
