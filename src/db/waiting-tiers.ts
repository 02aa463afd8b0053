/** Cancels the deliveries of higher tiers, because somebody answered the nudge: devices and channels both report that. */
import type { Db } from './schema.ts';

/** A delivery that is in flight is sent all the same, and then taken back where that is possible. */
export async function cancelWaitingTiers(trx: Db, taskId: string, aboveTier: number): Promise<void> {
  await trx
    .updateTable('deliveries')
    .set({ status: 'cancelled' })
    .where('task_id', '=', taskId)
    .where('status', '=', 'pending')
    .where('kind', '=', 'nudge')
    .where('tier', '>', aboveTier)
    .execute();
}
