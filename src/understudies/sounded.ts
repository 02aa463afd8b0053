/** What a provider has sounded while the service was silent, or could not reach it. */
import type { Db } from '../db/schema.ts';
import type { Understudy } from '../db/tables/understudies.ts';
import { newId } from '../lib/ids.ts';
import type { UnderstudyContent } from './plan-understudies.ts';
import { insertAnnounced } from './understudies.store.ts';
import type { UnderstudyCounts } from './understudy-sender.ts';
import { wishRelease } from './wishes.store.ts';

export const isSounded = ({ held_until, sounds_at }: Understudy, now: Date): boolean =>
  sounds_at !== null && held_until !== null && held_until <= now;

/**
 * Writes into the timelines of its tasks what was probably announced, and lets the message be taken back, since the
 * service is there again.
 */
export async function recordSounded(
  trx: Db,
  sounded: readonly Understudy[],
  now: Date,
  wallNow: Date,
  counts: Pick<UnderstudyCounts, 'sounded'>,
): Promise<void> {
  for (const one of sounded) {
    const { named } = JSON.parse(one.content) as Partial<UnderstudyContent>;
    await insertAnnounced(
      trx,
      (named ?? []).map(({ id }) => ({ id: newId(), task_id: id, at: one.held_until ?? now, via: one.provider })),
    );
    // Its slot is free for what comes next.
    await wishRelease(trx, one, wallNow, one.id);
    counts.sounded += 1;
  }
}
