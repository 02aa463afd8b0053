import { updateUser } from '../accounts/users.store.ts';
import type { Db } from '../db/schema.ts';
import { deleteChallenges, deleteTotpSteps, replaceRecoveryCodes } from './second-factor.store.ts';
import { deleteReset } from './second-factor-resets.store.ts';

/** With all that belongs to it. Sessions stay: each caller decides which of them end. */
export async function turnOffSecondFactor(trx: Db, userId: string, now: Date): Promise<void> {
  await updateUser(trx, userId, { mfa_enabled_at: null, totp_secret: null }, now);
  await deleteTotpSteps(trx, userId);
  await replaceRecoveryCodes(trx, userId, []);
  await deleteChallenges(trx, userId);
  await deleteReset(trx, userId);
}
