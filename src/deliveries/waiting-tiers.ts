/** Deliveries of higher tiers wait for an answer to the lower ones. Devices, channels and the engine use this file. */

import { prepared } from '../db/prepared.ts';
import type { Db } from '../db/schema.ts';
import { DUE_NOW } from '../lib/clock.ts';

/** The delivery that somebody answered. */
export interface AnsweredDelivery {
  readonly task_id: string;
  readonly tier: number;
  readonly run: number;
  /** The person who answered. */
  readonly recipient_id: string;
}

/**
 * Somebody answered, so this nudge and later ones of the same run fall no further. An answer to a nudge of an earlier
 * run, such as a late report about yesterday's message, says nothing about the present run. A delivery that is in
 * flight is still sent, and then retracted where that is possible.
 */
export async function cancelWaitingTiers(
  trx: Db,
  { task_id: taskId, tier: aboveTier, run, recipient_id: recipientId }: AnsweredDelivery,
): Promise<void> {
  const presentRun = trx.selectFrom('tasks').select('id').where('id', '=', taskId).where('run', '=', run);
  await trx
    .updateTable('deliveries')
    .set({ status: 'cancelled', waits_for: null })
    .where('task_id', 'in', presentRun)
    .where('recipient_id', '=', recipientId)
    .where('status', '=', 'pending')
    .where('kind', '=', 'nudge')
    .where('tier', '>', aboveTier)
    .execute();
}

/** The deliveries of a nudge, and whether each waits, was accepted, or has failed for good. */
export async function listTierDeliveries(trx: Db, entryId: string) {
  return (await tiersOf(trx, entryId)).map(({ tier, status }) => ({ tier, state: STATES[status] }));
}

const tiersOf = prepared((trx, entryId: string) =>
  trx.selectFrom('deliveries').select(['tier', 'status']).where('entry_id', '=', entryId).where('kind', '=', 'nudge'),
);

const STATES = {
  pending: 'waiting',
  sent: 'accepted',
  failed_transient: 'failed',
  failed_permanent: 'failed',
  // Somebody dealt with the task, or a newer nudge superseded this one: nothing can fall to the next tier.
  cancelled: 'accepted',
  superseded: 'accepted',
} as const;

/** Returns whether anything became due. */
export async function hastenTier(trx: Db, entryId: string, tier: number): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('deliveries')
    .set({ next_attempt_at: DUE_NOW, waits_for: 'capacity', fell_because: 'failed', reason: 'failed_before' })
    .where('entry_id', '=', entryId)
    .where('kind', '=', 'nudge')
    .where('tier', '=', tier)
    .where('status', '=', 'pending')
    .where('waits_for', '=', 'tier')
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
