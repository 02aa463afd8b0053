import type { Insertable, Selectable } from 'kysely';
import { pointRead } from '../db/prepared.ts';
import { changesAny, countRows, returnsAny } from '../db/results.ts';
import type { Database, Db } from '../db/schema.ts';

export type AccessToken = Selectable<Database['access_tokens']>;

export async function insertToken(db: Db, token: Insertable<Database['access_tokens']>): Promise<AccessToken> {
  return db.insertInto('access_tokens').values(token).returningAll().executeTakeFirstOrThrow();
}

/** Leaves out tokens of suspended accounts. The rows stay, and count again once the suspension is lifted. */
export const findToken = pointRead((db, tokenHash: string) =>
  db
    .selectFrom('access_tokens')
    .innerJoin('users', 'users.id', 'access_tokens.user_id')
    .selectAll('access_tokens')
    .where('access_tokens.token_hash', '=', tokenHash)
    .where('users.suspended_at', 'is', null),
);

export async function listTokens(db: Db, userId: string): Promise<AccessToken[]> {
  return db
    .selectFrom('access_tokens')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute();
}

/** Whether any account lets an assistant in, with a token or by a connection. */
export async function isAnyToken(db: Db): Promise<boolean> {
  return returnsAny(db.selectFrom('access_tokens').select('id').limit(1));
}

export async function countTokens(db: Db, userId: string): Promise<number> {
  return countRows(db.selectFrom('access_tokens').where('user_id', '=', userId));
}

/** Ends a connection; its secrets go with it. False if it had ended already. */
export async function deleteConnection(db: Db, id: string): Promise<boolean> {
  return changesAny(db.deleteFrom('access_tokens').where('id', '=', id).where('client_id', 'is not', null));
}

export async function touchToken(db: Db, id: string, now: Date): Promise<void> {
  await db.updateTable('access_tokens').set({ last_used_at: now }).where('id', '=', id).execute();
}

export async function updateShortestWait(
  db: Db,
  userId: string,
  id: string,
  shortestWait: number | null,
): Promise<boolean> {
  const token = db.updateTable('access_tokens').set({ shortest_wait: shortestWait });
  return changesAny(token.where('id', '=', id).where('user_id', '=', userId));
}

export async function findShortestWait(
  db: Db,
  userId: string,
  id: string,
): Promise<Pick<AccessToken, 'shortest_wait'> | undefined> {
  const token = db.selectFrom('access_tokens').select('shortest_wait').where('id', '=', id);
  return token.where('user_id', '=', userId).executeTakeFirst();
}

export async function deleteToken(db: Db, userId: string, id: string): Promise<boolean> {
  return changesAny(db.deleteFrom('access_tokens').where('id', '=', id).where('user_id', '=', userId));
}

export async function deleteTokens(db: Db, userId: string, ids: readonly string[]): Promise<number> {
  const tokens = db.deleteFrom('access_tokens').where('user_id', '=', userId).where('id', 'in', ids);
  return Number((await tokens.executeTakeFirst()).numDeletedRows);
}
