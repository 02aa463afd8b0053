import type { Kysely, Selectable } from 'kysely';
import type { Database } from '../db/schema.ts';

export type MfaChallenge = Selectable<Database['mfa_challenges']>;
export type KeptCode = Omit<Selectable<Database['recovery_codes']>, 'user_id'>;

export async function insertChallenge(db: Kysely<Database>, challenge: MfaChallenge): Promise<void> {
  await db.insertInto('mfa_challenges').values(challenge).execute();
}

export async function findChallenge(db: Kysely<Database>, tokenHash: string): Promise<MfaChallenge | undefined> {
  return db.selectFrom('mfa_challenges').selectAll().where('token_hash', '=', tokenHash).executeTakeFirst();
}

/** Uses up one try; undefined where the challenge is spent, expired or out of tries. */
export async function takeChallengeTry(
  db: Kysely<Database>,
  tokenHash: string,
  now: Date,
  mostTries: number,
): Promise<MfaChallenge | undefined> {
  return db
    .updateTable('mfa_challenges')
    .set((eb) => ({ tries: eb('tries', '+', 1) }))
    .where('token_hash', '=', tokenHash)
    .where('expires_at', '>', now)
    .where('tries', '<', mostTries)
    .returningAll()
    .executeTakeFirst();
}

/** True for exactly one of any number of callers. */
export async function spendChallenge(db: Kysely<Database>, tokenHash: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('mfa_challenges')
    .where('token_hash', '=', tokenHash)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

export async function deleteChallenges(db: Kysely<Database>, userId: string): Promise<void> {
  await db.deleteFrom('mfa_challenges').where('user_id', '=', userId).execute();
}

/** True when this step, and so this code, is newer than every one already spent for the purpose. */
export async function spendTotpStep(
  db: Kysely<Database>,
  userId: string,
  purpose: string,
  step: number,
): Promise<boolean> {
  const spent = await db
    .insertInto('totp_steps')
    .values({ user_id: userId, purpose, last_step: step })
    .onConflict((conflict) =>
      conflict
        .columns(['user_id', 'purpose'])
        .doUpdateSet({ last_step: step })
        .where('totp_steps.last_step', '<', step),
    )
    .returning('last_step')
    .executeTakeFirst();
  return spent !== undefined;
}

export async function replaceRecoveryCodes(
  db: Kysely<Database>,
  userId: string,
  codes: readonly KeptCode[],
): Promise<void> {
  await db.deleteFrom('recovery_codes').where('user_id', '=', userId).execute();
  if (codes.length === 0) return;
  await db
    .insertInto('recovery_codes')
    .values(codes.map((code) => ({ user_id: userId, ...code })))
    .execute();
}

/** True for exactly one of any number of callers. The hashes are those of one code, under each key there is. */
export async function spendRecoveryCode(
  db: Kysely<Database>,
  userId: string,
  hashes: readonly string[],
): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('recovery_codes')
    .where('user_id', '=', userId)
    .where('code_hash', 'in', hashes)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

export async function countRecoveryCodes(db: Kysely<Database>, userId: string): Promise<number> {
  const { count } = await db
    .selectFrom('recovery_codes')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow();
  return count;
}
