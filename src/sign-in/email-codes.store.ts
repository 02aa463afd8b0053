import type { Insertable, Selectable } from 'kysely';
import { changesAny } from '../db/results.ts';
import type { Database, Db } from '../db/schema.ts';

export type EmailCode = Selectable<Database['email_codes']>;
type NewEmailCode = Insertable<Database['email_codes']> & { readonly network_hash: string };

/** Which counter a try belongs to. */
export type TriedBy = 'tries_by_request' | 'tries_by_network' | 'tries_by_others';

/** For its network, this code replaces the one that the network asked for before. */
export async function insertEmailCode(trx: Db, code: NewEmailCode): Promise<void> {
  await trx
    .updateTable('email_codes')
    .set({ network_hash: null })
    .where('email', '=', code.email)
    .where('network_hash', '=', code.network_hash)
    .execute();
  await trx.insertInto('email_codes').values(code).execute();
}

/** The code belongs to its address, not to a network. */
export async function insertLongCode(
  trx: Db,
  code: Insertable<Database['email_codes']> & { readonly reusable_until: Date },
): Promise<void> {
  await trx.insertInto('email_codes').values(code).execute();
}

export async function findReusableCode(trx: Db, email: string, now: Date): Promise<EmailCode | undefined> {
  return trx
    .selectFrom('email_codes')
    .selectAll()
    .where('email', '=', email)
    .where('reusable_until', '>', now)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
}

interface Tried {
  readonly email: string;
  readonly requestHash: string | undefined;
  readonly networkHash: string;
}

/** Only long codes can be reused. At most two are valid at a time. */
export async function listLongCodes(trx: Db, email: string, now: Date): Promise<string[]> {
  const codes = await trx
    .selectFrom('email_codes')
    .select('code_hash')
    .where('email', '=', email)
    .where('reusable_until', 'is not', null)
    .where('expires_at', '>', now)
    .execute();
  return codes.map(({ code_hash }) => code_hash);
}

/** The six-digit code that a try is compared with: the code of the request, else of the network, else the newest. */
export async function findTriedCode(
  trx: Db,
  { email, requestHash, networkHash }: Tried,
  now: Date,
): Promise<{ readonly code: EmailCode; readonly triedBy: TriedBy } | undefined> {
  const live = trx
    .selectFrom('email_codes')
    .selectAll()
    .where('email', '=', email)
    .where('reusable_until', 'is', null)
    .where('expires_at', '>', now);
  const newest = live.orderBy('id', 'desc').limit(1);
  const ofRequest =
    requestHash === undefined ? undefined : await live.where('request_hash', '=', requestHash).executeTakeFirst();
  if (ofRequest) return { code: ofRequest, triedBy: 'tries_by_request' };
  const ofNetwork = await newest.where('network_hash', '=', networkHash).executeTakeFirst();
  if (ofNetwork) return { code: ofNetwork, triedBy: 'tries_by_network' };
  const code = await newest.executeTakeFirst();
  return code && { code, triedBy: 'tries_by_others' };
}

/** False if no try is left. Concurrent tries cannot share one. */
export async function countEmailCodeTry(trx: Db, id: string, triedBy: TriedBy, maxTries: number): Promise<boolean> {
  return changesAny(
    trx
      .updateTable('email_codes')
      .set((eb) => ({ [triedBy]: eb(triedBy, '+', 1) }))
      .where('id', '=', id)
      .where(triedBy, '<', maxTries),
  );
}

/** True for exactly one of several concurrent callers. */
export async function deleteEmailCode(db: Db, email: string, codeHash: string): Promise<boolean> {
  return changesAny(db.deleteFrom('email_codes').where('email', '=', email).where('code_hash', '=', codeHash));
}

/** Deletes no long code, which serves other requests too. */
export async function deleteCodeOfRequest(trx: Db, requestHash: string): Promise<void> {
  await trx
    .deleteFrom('email_codes')
    .where('request_hash', '=', requestHash)
    .where('reusable_until', 'is', null)
    .execute();
}

export async function deleteEmailCodesTo(trx: Db, email: string): Promise<void> {
  await trx.deleteFrom('email_codes').where('email', '=', email).execute();
}

/** Of the account's address, and of addresses that the account asked for. */
export async function deleteEmailCodesOf(db: Db, userId: string): Promise<void> {
  const address = db.selectFrom('users').select('email').where('id', '=', userId);
  await db
    .deleteFrom('email_codes')
    .where(({ eb, or }) => or([eb('email', '=', address), eb('email', 'like', `${addressSubject(userId, '')}%`)]))
    .execute();
}

/** What a code proves that was sent to the new address of an account. No address has a space. */
export const addressSubject = (userId: string, email: string): string => `address of ${userId} ${email}`;
