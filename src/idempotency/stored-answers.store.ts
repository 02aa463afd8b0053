import type { Selectable } from 'kysely';
import { expectWritten, sendLater } from '../db/batch.ts';
import { prepared, preparedQuery } from '../db/prepared.ts';
import { type Database, type Db, isPostgres } from '../db/schema.ts';
import { AppError } from '../lib/errors.ts';
import type { KeptAnswer } from './answer-limits.ts';

export type StoredKey = Selectable<Database['idempotency_keys']>;
type Identity = Pick<StoredKey, 'user_id' | 'key_hash'>;
type Claimed = Identity & { readonly claim: string };

export const RETRY = { retryAfterSeconds: 1 };

/** True for exactly one caller, until the key expires or is released. */
export async function claimKey(db: Db, key: StoredKey, now: Date): Promise<boolean> {
  const { user_id: _user, key_hash: _key, ...row } = key;
  const claimed = await db
    .insertInto('idempotency_keys')
    .values(key)
    .onConflict((conflict) =>
      conflict.columns(['user_id', 'key_hash']).doUpdateSet(row).where('idempotency_keys.expires_at', '<=', now),
    )
    .returning('user_id')
    .executeTakeFirst();
  return claimed !== undefined;
}

export async function findKey(db: Db, { user_id, key_hash }: Identity): Promise<StoredKey | undefined> {
  return db
    .selectFrom('idempotency_keys')
    .selectAll()
    .where('user_id', '=', user_id)
    .where('key_hash', '=', key_hash)
    .executeTakeFirst();
}

/** Only while the key is this claim's. */
export async function storeAnswer(
  db: Db,
  { user_id, key_hash, claim }: Claimed,
  answer: Pick<StoredKey, 'status' | 'answer' | 'expires_at'>,
): Promise<void> {
  const { status, answer: text, expires_at } = answer;
  await answerStored(db, user_id, key_hash, claim, status, text, expires_at);
}

const ofClaim = (db: Db, user_id: string, key_hash: string, claim: string) =>
  db
    .updateTable('idempotency_keys')
    .where('user_id', '=', user_id)
    .where('key_hash', '=', key_hash)
    .where('claim', '=', claim);

const answerStored = prepared(
  (
    db,
    user_id: string,
    key_hash: string,
    claim: string,
    status: number | null,
    answer: string | null,
    expires_at: Date,
  ) => ofClaim(db, user_id, key_hash, claim).set({ status, answer, expires_at }),
);

/**
 * Within the transaction that does the work. If the key is another claim's by now, the transaction fails: on PostgreSQL
 * with its next round trip, and then it runs again.
 */
export async function markUsed(
  trx: Db,
  { user_id, key_hash, claim }: Claimed,
  status: number,
  expiresAt: Date,
): Promise<void> {
  const marked = keyMarked(trx, user_id, key_hash, claim, status, expiresAt);
  if (isPostgres(trx)) await sendLater(trx, marked);
  else if ((await trx.executeQuery(marked)).rows.length === 0) throw new AppError('request_in_progress', RETRY);
}

const keyMarked = preparedQuery(
  (db, user_id: string, key_hash: string, claim: string, status: number, expires_at: Date) => {
    const marked = ofClaim(db, user_id, key_hash, claim)
      .set({ status, answer: null, expires_at })
      .returning('key_hash');
    return isPostgres(db) ? expectWritten(db, marked) : marked;
  },
);

export async function isClaimed(trx: Db, { user_id, key_hash, claim }: Claimed): Promise<boolean> {
  return (await findKey(trx, { user_id, key_hash }))?.claim === claim;
}

/** False if the key is not this claim's any more. */
export async function renewClaim(db: Db, { user_id, key_hash, claim }: Claimed, until: Date): Promise<boolean> {
  const renewed = ofClaim(db, user_id, key_hash, claim).set((eb) => ({
    claimed_until: until,
    expires_at: eb.case().when('status', 'is', null).then(until).else(eb.ref('expires_at')).end(),
  }));
  return (await renewed.returning('key_hash').execute()).length > 0;
}

/** Only if nothing was committed under it. */
export async function releaseKey(db: Db, { user_id, key_hash, claim }: Claimed): Promise<void> {
  await db
    .deleteFrom('idempotency_keys')
    .where('user_id', '=', user_id)
    .where('key_hash', '=', key_hash)
    .where('claim', '=', claim)
    .where('status', 'is', null)
    .execute();
}

/** The keys stay, so that their requests are not carried out again. */
export async function dropAnswers(db: Db, userId: string, answers: readonly KeptAnswer[]): Promise<void> {
  for (const { keyHash, expiresAt } of answers) {
    await db
      .updateTable('idempotency_keys')
      .set({ answer: null })
      .where('user_id', '=', userId)
      .where('key_hash', '=', keyHash)
      // The same key may have been used again since.
      .where('expires_at', '=', expiresAt)
      .execute();
  }
}

export async function deleteKeys(db: Db, userId: string, keys: readonly KeptAnswer[]): Promise<void> {
  for (const { keyHash, expiresAt } of keys) {
    await db
      .deleteFrom('idempotency_keys')
      .where('user_id', '=', userId)
      .where('key_hash', '=', keyHash)
      .where('expires_at', '=', expiresAt)
      .execute();
  }
}
