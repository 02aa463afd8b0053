import type { Selectable } from 'kysely';
import { changesAny, countRows, returnsAny } from '../db/results.ts';
import type { Database, Db } from '../db/schema.ts';

export type MfaChallenge = Selectable<Database['mfa_challenges']>;
export type StoredRecoveryCode = Omit<Selectable<Database['recovery_codes']>, 'user_id'>;

export async function insertChallenge(db: Db, challenge: MfaChallenge): Promise<void> {
  await db.insertInto('mfa_challenges').values(challenge).execute();
}

export async function findChallenge(db: Db, tokenHash: string): Promise<MfaChallenge | undefined> {
  return db.selectFrom('mfa_challenges').selectAll().where('token_hash', '=', tokenHash).executeTakeFirst();
}

/** Counts one try; undefined if the challenge is spent or expired, or no try is left. */
export async function countChallengeTry(
  db: Db,
  tokenHash: string,
  now: Date,
  maxTries: number,
): Promise<MfaChallenge | undefined> {
  return db
    .updateTable('mfa_challenges')
    .set((eb) => ({ tries: eb('tries', '+', 1) }))
    .where('token_hash', '=', tokenHash)
    .where('expires_at', '>', now)
    .where('tries', '<', maxTries)
    .returningAll()
    .executeTakeFirst();
}

/** True for exactly one of several concurrent callers. */
export async function spendChallenge(db: Db, tokenHash: string): Promise<boolean> {
  return changesAny(db.deleteFrom('mfa_challenges').where('token_hash', '=', tokenHash));
}

export async function deleteChallenges(db: Db, userId: string): Promise<void> {
  await db.deleteFrom('mfa_challenges').where('user_id', '=', userId).execute();
}

/** True if this step, and so its code, is newer than every step already spent for the purpose. */
export async function spendTotpStep(db: Db, userId: string, purpose: string, step: number): Promise<boolean> {
  return returnsAny(
    db
      .insertInto('totp_steps')
      .values({ user_id: userId, purpose, last_step: step })
      .onConflict((conflict) =>
        conflict
          .columns(['user_id', 'purpose'])
          .doUpdateSet({ last_step: step })
          .where('totp_steps.last_step', '<', step),
      )
      .returning('last_step'),
  );
}

/** The spent steps belong to a secret and go with it: the codes of the next secret are unused. */
export async function deleteTotpSteps(db: Db, userId: string): Promise<void> {
  await db.deleteFrom('totp_steps').where('user_id', '=', userId).execute();
}

export async function replaceRecoveryCodes(
  db: Db,
  userId: string,
  codes: readonly StoredRecoveryCode[],
): Promise<void> {
  await db.deleteFrom('recovery_codes').where('user_id', '=', userId).execute();
  if (codes.length === 0) return;
  await db
    .insertInto('recovery_codes')
    .values(codes.map((code) => ({ user_id: userId, ...code })))
    .execute();
}

/**
 * True for exactly one of several concurrent callers. `hashes` are the hashes of one code under every available key.
 */
export async function spendRecoveryCode(db: Db, userId: string, hashes: readonly string[]): Promise<boolean> {
  return changesAny(db.deleteFrom('recovery_codes').where('user_id', '=', userId).where('code_hash', 'in', hashes));
}

export async function countRecoveryCodes(db: Db, userId: string): Promise<number> {
  return countRows(db.selectFrom('recovery_codes').where('user_id', '=', userId));
}
