import type { Db } from '../db/schema.ts';

/** Only the newest code of an address is valid. */
export async function replaceEmailCode(db: Db, email: string, codeHash: string, expiresAt: Date): Promise<void> {
  const row = { code_hash: codeHash, tries: 0, expires_at: expiresAt };
  await db
    .insertInto('email_codes')
    .values({ email, ...row })
    .onConflict((conflict) => conflict.column('email').doUpdateSet(row))
    .execute();
}

/** Counts one try and returns the hash of the code; undefined if there is no valid code or no try is left. */
export async function countEmailCodeTry(
  db: Db,
  email: string,
  now: Date,
  maxTries: number,
): Promise<string | undefined> {
  const row = await db
    .updateTable('email_codes')
    .set((eb) => ({ tries: eb('tries', '+', 1) }))
    .where('email', '=', email)
    .where('expires_at', '>', now)
    .where('tries', '<', maxTries)
    .returning('code_hash')
    .executeTakeFirst();
  return row?.code_hash;
}

/** True for exactly one of several concurrent callers. */
export async function spendEmailCode(db: Db, email: string, codeHash: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('email_codes')
    .where('email', '=', email)
    .where('code_hash', '=', codeHash)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

export async function deleteEmailCodeOf(db: Db, userId: string): Promise<void> {
  const address = db.selectFrom('users').select('email').where('id', '=', userId);
  await db.deleteFrom('email_codes').where('email', '=', address).execute();
}
