/** Which invitations a person has signed up with. In `throttles`, whose rows are deleted at the moment each names. */
import type { Db } from '../db/schema.ts';

const keyOf = (tokenHash: string) => `sign-up with invite: ${tokenHash}`;

export async function hasSignedUpWith(db: Db, tokenHash: string, now: Date): Promise<boolean> {
  const row = await db
    .selectFrom('throttles')
    .select('key')
    .where('key', '=', keyOf(tokenHash))
    .where('resets_at', '>', now)
    .executeTakeFirst();
  return row !== undefined;
}

/** True for exactly one of several concurrent callers. */
export async function spendInviteForSignUp(trx: Db, tokenHash: string, expiresAt: Date): Promise<boolean> {
  const spent = await trx
    .insertInto('throttles')
    .values({ key: keyOf(tokenHash), count: 1, resets_at: expiresAt })
    .onConflict((conflict) => conflict.column('key').doNothing())
    .returning('key')
    .executeTakeFirst();
  return spent !== undefined;
}
