/**
 * Every column with sealed values. Pages are read by primary key, so a page costs the same in a
 * large table. A value is replaced only if it is still the one that was read.
 */
import { sql } from 'kysely';
import { changesAny, returnsAny } from '../db/results.ts';
import type { Database, Db } from '../db/schema.ts';
import { answerContext, channelContext, refreshTokenContext, totpContext } from './sealed-contexts.ts';

export interface SealedValue {
  /** The primary key of the row. */
  readonly key: readonly [string, ...string[]];
  readonly context: string;
  /** Null if the row has no sealed value. */
  readonly sealed: string | null;
}

export interface SealedColumn {
  readonly name: string;
  list(db: Db, after: SealedValue['key'] | undefined, limit: number): Promise<SealedValue[]>;
  /** False if the value was changed in between. */
  replace(db: Db, value: SealedValue, sealed: string): Promise<boolean>;
}

const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/** A column of a table with the primary key `id`. `boundTo` is the id that its values are sealed with. */
const columnOf = (
  name: string,
  table: keyof Database,
  column: string,
  contextOf: (id: string) => string,
  boundTo = 'id',
): SealedColumn => ({
  name,
  list: async (db, [after] = [FIRST_ID], limit) => {
    const { rows } = await sql<{ id: string; bound_to: string; sealed: string | null }>`
      select id, ${sql.ref(boundTo)} as bound_to, ${sql.ref(column)} as sealed from ${sql.table(table)} where id > ${after}
      order by id limit ${limit}`.execute(db);
    return rows.map(({ id, bound_to, sealed }) => ({ key: [id], context: contextOf(bound_to), sealed }));
  },
  replace: async (db, { key, sealed: before }, sealed) => {
    const { numAffectedRows = 0n } = await sql`
      update ${sql.table(table)} set ${sql.ref(column)} = ${sealed}
      where id = ${key[0]} and ${sql.ref(column)} = ${before}`.execute(db);
    return numAffectedRows > 0n;
  },
});

const answers: SealedColumn = {
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
    return changesAny(same);
  },
};

export const sealedColumns: readonly SealedColumn[] = [
  columnOf('second_factors', 'users', 'totp_secret', totpContext),
  columnOf('refresh_tokens', 'identities', 'refresh_token', refreshTokenContext),
  // Of deleted accounts, until they are revoked.
  columnOf('revocations', 'provider_revocations', 'refresh_token', refreshTokenContext),
  answers,
  columnOf('channels', 'channels', 'address', channelContext),
  // The address of a channel that may be gone when its message is taken back.
  columnOf('understudies', 'understudies', 'address', channelContext, 'channel_id'),
];

/** How many accounts have recovery codes hashed under each key; null for codes of a release that stored no key id. */
export async function countRecoveryCodeKeys(
  db: Db,
): Promise<readonly { readonly key_id: string | null; readonly accounts: number }[]> {
  return db
    .selectFrom('recovery_codes')
    .select((eb) => ['key_id', eb.fn.count<number>('user_id').distinct().as('accounts')])
    .groupBy('key_id')
    .execute();
}

/** Whether an emailed code is still valid. No key may be removed while there is one. */
export async function hasLiveEmailCode(db: Db, now: Date): Promise<boolean> {
  const codes = db.selectFrom('email_codes').select('email').where('expires_at', '>', now);
  return returnsAny(codes.limit(1));
}

/** The key ids of a sample of recovery codes. */
export async function listRecoveryCodeKeys(db: Db, limit: number): Promise<string[]> {
  const codes = db.selectFrom('recovery_codes').select('key_id').limit(limit);
  return (await codes.execute()).flatMap(({ key_id }) => key_id ?? []);
}
