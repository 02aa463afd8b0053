import { type Insertable, type Selectable, sql } from 'kysely';
import { pointRead } from '../db/prepared.ts';
import { changesAny } from '../db/results.ts';
import type { Database, Db } from '../db/schema.ts';

export type ConnectionCode = Selectable<Database['connection_codes']> & { readonly suspended_at: Date | null };

export async function insertCode(db: Db, code: Insertable<Database['connection_codes']>): Promise<void> {
  await db.insertInto('connection_codes').values(code).execute();
}

export async function findCode(db: Db, codeHash: string): Promise<ConnectionCode | undefined> {
  return db
    .selectFrom('connection_codes')
    .innerJoin('users', 'users.id', 'connection_codes.user_id')
    .selectAll('connection_codes')
    .select('users.suspended_at')
    .where('code_hash', '=', codeHash)
    .executeTakeFirst();
}

/** What the account agreed to and no assistant has fetched yet. */
export async function deleteOpenCodes(trx: Db, userId: string): Promise<void> {
  await trx.deleteFrom('connection_codes').where('user_id', '=', userId).where('token_id', 'is', null).execute();
}

/** False if another request was faster. */
export async function spendCode(trx: Db, codeHash: string, tokenId: string): Promise<boolean> {
  return changesAny(
    trx
      .updateTable('connection_codes')
      .set({ token_id: tokenId })
      .where('code_hash', '=', codeHash)
      .where('token_id', 'is', null),
  );
}

export async function insertSecrets(
  trx: Db,
  secrets: readonly Insertable<Database['connection_secrets']>[],
): Promise<void> {
  await trx.insertInto('connection_secrets').values(secrets).execute();
}

/** The connection that the secret belongs to, expired or not. */
export const findConnection = pointRead((db, secretHash: string) =>
  db
    .selectFrom('connection_secrets as secret')
    .innerJoin('access_tokens as token', 'token.id', 'secret.token_id')
    .innerJoin('users', 'users.id', 'token.user_id')
    .selectAll('token')
    .select(['secret.kind', 'secret.used_at', 'secret.expires_at as secret_expires_at', 'users.suspended_at'])
    .where('secret.secret_hash', '=', secretHash),
);

/** Whether anybody has connected the client. Answered by a partial index, which has no longer ids. */
export const findAnyOfClient = pointRead((db, clientId: string) =>
  db
    .selectFrom('access_tokens')
    .select('id')
    .where('client_id', '=', clientId)
    .where(sql<boolean>`length(client_id) <= 500`)
    .limit(1),
);

/** The newest connection of this person and client that has not ended. */
export async function findNewest(db: Db, userId: string, clientId: string, now: Date) {
  return db
    .selectFrom('access_tokens')
    .select(['scopes', 'max_stage', 'max_open_tasks', 'shortest_wait', 'expires_at'])
    .where('user_id', '=', userId)
    .where('client_id', '=', clientId)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** Locks the connection before its secrets, as a deletion does. False if it has ended. */
export async function lockConnection(trx: Db, id: string): Promise<boolean> {
  const rows = await trx.selectFrom('access_tokens').select('id').where('id', '=', id).forUpdate().execute();
  return rows.length > 0;
}

/**
 * Counts an exchange of the refresh token. False if it was first exchanged before `graceFrom`, or too often since.
 * The condition is part of the update, so that exchanges at the same moment count one after the other.
 */
export async function spendRefreshToken(
  trx: Db,
  secretHash: string,
  { now, graceFrom, most }: { readonly now: Date; readonly graceFrom: Date; readonly most: number },
): Promise<boolean> {
  return changesAny(
    trx
      .updateTable('connection_secrets')
      .set((eb) => ({ used_at: eb.fn.coalesce('used_at', eb.val(now)), successors: eb('successors', '+', 1) }))
      .where('secret_hash', '=', secretHash)
      .where('successors', '<', most)
      .where((eb) => eb.or([eb('used_at', 'is', null), eb('used_at', '>', graceFrom)])),
  );
}

export async function deleteSecret(db: Db, secretHash: string): Promise<void> {
  await db.deleteFrom('connection_secrets').where('secret_hash', '=', secretHash).execute();
}
