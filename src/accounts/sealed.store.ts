/**
 * Every place where sealed texts are kept, read page by page by its primary key, so that a page costs
 * the same however many rows there are. A text is replaced only while it is still the one that was read.
 */
import { type Kysely, sql } from 'kysely';
import type { Database } from '../db/schema.ts';
import { answerContext, refreshTokenContext, totpContext } from './sealed-contexts.ts';

export interface SealedText {
  /** The primary key of its row. */
  readonly key: readonly [string, ...string[]];
  readonly context: string;
  /** Null where the row holds none. */
  readonly sealed: string | null;
}

export interface SealedPlace {
  readonly name: string;
  list(db: Kysely<Database>, after: SealedText['key'] | undefined, limit: number): Promise<SealedText[]>;
  /** False where somebody else changed it meanwhile. */
  replace(db: Kysely<Database>, text: SealedText, sealed: string): Promise<boolean>;
}

const FIRST_ID = '00000000-0000-0000-0000-000000000000';

const secondFactors: SealedPlace = {
  name: 'second_factors',
  list: async (db, [after] = [FIRST_ID], limit) => {
    const users = db.selectFrom('users').select(['id', 'totp_secret']).where('id', '>', after);
    const rows = await users.orderBy('id').limit(limit).execute();
    return rows.map(({ id, totp_secret }) => ({ key: [id], context: totpContext(id), sealed: totp_secret }));
  },
  replace: async (db, { key, sealed: before }, sealed) => {
    const users = db.updateTable('users').set({ totp_secret: sealed }).where('id', '=', key[0]);
    return (await users.where('totp_secret', '=', before).executeTakeFirst()).numUpdatedRows > 0n;
  },
};

/** Live ones, and those of deleted accounts that wait to be revoked. */
const refreshTokensIn = (name: string, table: 'identities' | 'provider_revocations'): SealedPlace => ({
  name,
  list: async (db, [after] = [FIRST_ID], limit) => {
    const tokens = db.selectFrom(table).select(['id', 'refresh_token']).where('id', '>', after);
    const rows = await tokens.orderBy('id').limit(limit).execute();
    return rows.map(({ id, refresh_token }) => ({
      key: [id],
      context: refreshTokenContext(id),
      sealed: refresh_token,
    }));
  },
  replace: async (db, { key, sealed: before }, sealed) => {
    const tokens = db.updateTable(table).set({ refresh_token: sealed }).where('id', '=', key[0]);
    return (await tokens.where('refresh_token', '=', before).executeTakeFirst()).numUpdatedRows > 0n;
  },
});

const answers: SealedPlace = {
  name: 'kept_answers',
  list: async (db, [user, hash = ''] = [FIRST_ID], limit) => {
    const kept = db.selectFrom('idempotency_keys').select(['user_id', 'key_hash', 'answer']);
    const rows = await kept
      .where(sql<boolean>`(user_id, key_hash) > (${user}, ${hash})`)
      .orderBy('user_id')
      .orderBy('key_hash')
      .limit(limit)
      .execute();
    return rows.map(({ user_id, key_hash, answer }) => ({
      key: [user_id, key_hash],
      context: answerContext(user_id, key_hash),
      sealed: answer,
    }));
  },
  replace: async (db, { key: [user, hash = ''], sealed: before }, sealed) => {
    const kept = db.updateTable('idempotency_keys').set({ answer: sealed }).where('user_id', '=', user);
    const same = kept.where('key_hash', '=', hash).where('answer', '=', before);
    return (await same.executeTakeFirst()).numUpdatedRows > 0n;
  },
};

export const sealedPlaces: readonly SealedPlace[] = [
  secondFactors,
  refreshTokensIn('refresh_tokens', 'identities'),
  refreshTokensIn('revocations', 'provider_revocations'),
  answers,
];

/** How many accounts have recovery codes hashed under each key; null for codes of before that was written down. */
export async function countRecoveryCodeKeys(
  db: Kysely<Database>,
): Promise<readonly { readonly key_id: string | null; readonly accounts: number }[]> {
  return db
    .selectFrom('recovery_codes')
    .select((eb) => ['key_id', eb.fn.count<number>('user_id').distinct().as('accounts')])
    .groupBy('key_id')
    .execute();
}

/** Whether an emailed code is on its way that no key may be given up for. */
export async function hasLiveEmailCode(db: Kysely<Database>, now: Date): Promise<boolean> {
  const codes = db.selectFrom('email_codes').select('email').where('expires_at', '>', now);
  return (await codes.limit(1).executeTakeFirst()) !== undefined;
}

/** The keys of the first so many recovery codes. */
export async function listRecoveryCodeKeys(db: Kysely<Database>, limit: number): Promise<string[]> {
  const codes = db.selectFrom('recovery_codes').select('key_id').limit(limit);
  return (await codes.execute()).flatMap(({ key_id }) => key_id ?? []);
}
