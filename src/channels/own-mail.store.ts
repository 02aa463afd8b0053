/** The mail channel that the service makes by itself, for an account that nothing else reaches. */
import { among } from '../db/rows.ts';
import type { Db } from '../db/schema.ts';
import { SWITCHED_OFF } from '../deliveries/reach.ts';
import { STAGES, toStageBits } from '../escalation/ladder.ts';
import { newId } from '../lib/ids.ts';
import { MAIL } from './channel-columns.ts';
import { workingChannel } from './working-channel.ts';

/** Instead of an address: the one that the person signs in with. */
const OWN_ADDRESS = 'own';

/**
 * Mails the sign-in address of accounts that have no channel for mail. One that is switched off counts: its owner has
 * decided. Returns whether it made any.
 */
export async function addOwnMail(trx: Db, userIds: readonly string[], now: Date): Promise<boolean> {
  if (userIds.length === 0) return false;
  const users = await trx
    .selectFrom('users')
    .select(['id', 'email'])
    .where('id', ...among(trx, userIds))
    .where('email', 'is not', null)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('channels')
            .select('channels.id')
            .whereRef('channels.user_id', '=', 'users.id')
            .where('channels.provider', '=', MAIL),
        ),
      ),
    )
    .execute();
  if (users.length === 0) return false;
  const channels = users.map(({ id: user_id, email }) => ({
    id: newId(),
    user_id,
    provider: MAIL,
    name: null,
    address: null,
    address_hash: OWN_ADDRESS,
    label: email ?? '',
    // Nothing else reaches the person, so what it left out would reach nobody.
    stages: toStageBits(STAGES),
    tier: 0,
    private_title: false,
    automatic: true,
    verified_at: now,
    proven_by: 'sign_in' as const,
    ...workingChannel(now),
    created_at: now,
  }));
  const inserted = trx.insertInto('channels').values(channels);
  await inserted.onConflict((conflict) => conflict.columns(['user_id', 'address_hash']).doNothing()).execute();
  return true;
}

/**
 * Follows the sign-in address. Links in mails to the former address end with it, also those that do not name theirs
 * (`verified_at`), and a channel that failed at that address is tried again. One that is switched off stays off: its
 * owner has decided.
 */
export async function moveOwnMail(trx: Db, userId: string, email: string, now: Date): Promise<void> {
  const own = trx.updateTable('channels').where('user_id', '=', userId).where('provider', '=', MAIL);
  const moved = own.set({ label: email, verified_at: now }).where('address', 'is', null);
  await moved.execute();
  await moved
    .set(workingChannel(now))
    .where('valid', '=', false)
    .where('invalid_reason', 'is distinct from', SWITCHED_OFF)
    .execute();
}
