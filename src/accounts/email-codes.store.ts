import type { Kysely } from 'kysely';
import type { Database } from '../db/schema.ts';

/** Replaces whatever code the address had: only the newest counts. */
export async function putEmailCode(
  db: Kysely<Database>,
  email: string,
  codeHash: string,
  expiresAt: Date,
): Promise<void> {
  const row = { code_hash: codeHash, tries: 0, expires_at: expiresAt };
  await db
    .insertInto('email_codes')
    .values({ email, ...row })
    .onConflict((conflict) => conflict.column('email').doUpdateSet(row))
    .execute();
}

/** Uses up one try, and returns what the code must hash to; undefined where there is no live code. */
export async function takeEmailCodeTry(
  db: Kysely<Database>,
  email: string,
  now: Date,
  mostTries: number,
): Promise<string | undefined> {
  const row = await db
    .updateTable('email_codes')
    .set((eb) => ({ tries: eb('tries', '+', 1) }))
    .where('email', '=', email)
    .where('expires_at', '>', now)
    .where('tries', '<', mostTries)
    .returning('code_hash')
    .executeTakeFirst();
  return row?.code_hash;
}

/** True for exactly one of any number of callers. */
export async function spendEmailCode(db: Kysely<Database>, email: string, codeHash: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('email_codes')
    .where('email', '=', email)
    .where('code_hash', '=', codeHash)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

export async function deleteEmailCode(db: Kysely<Database>, email: string): Promise<void> {
  await db.deleteFrom('email_codes').where('email', '=', email).execute();
}
