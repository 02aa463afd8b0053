import type { Selectable } from 'kysely';
import { sendLater } from '../db/batch.ts';
import { preparedQuery } from '../db/prepared.ts';
import type { Database, Db } from '../db/schema.ts';
import type { KeptAnswer } from './answer-limits.ts';

type IdempotencyKey = Selectable<Database['idempotency_keys']>;
type Identity = Pick<IdempotencyKey, 'user_id' | 'key_hash'>;

/** True for exactly one caller, until the key expires or is released. */
export async function claimKey(db: Db, key: IdempotencyKey, now: Date): Promise<boolean> {
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

export async function findKey(db: Db, { user_id, key_hash }: Identity): Promise<IdempotencyKey | undefined> {
  return db
    .selectFrom('idempotency_keys')
    .selectAll()
    .where('user_id', '=', user_id)
    .where('key_hash', '=', key_hash)
    .executeTakeFirst();
}

export async function storeAnswer(
  db: Db,
  { user_id, key_hash }: Identity,
  answer: Pick<IdempotencyKey, 'status' | 'answer' | 'expires_at'>,
): Promise<void> {
  const { status, answer: text, expires_at } = answer;
  await sendLater(db, answerStored(db, user_id, key_hash, status, text, expires_at));
}

const answerStored = preparedQuery(
  (db, user_id: string, key_hash: string, status: number | null, answer: string | null, expires_at: Date) =>
    db
      .updateTable('idempotency_keys')
      .set({ status, answer, expires_at })
      .where('user_id', '=', user_id)
      .where('key_hash', '=', key_hash),
);

/** Only if nothing was committed under it. */
export async function releaseKey(db: Db, { user_id, key_hash }: Identity): Promise<void> {
  await db
    .deleteFrom('idempotency_keys')
    .where('user_id', '=', user_id)
    .where('key_hash', '=', key_hash)
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
