import type { Insertable, Selectable } from 'kysely';
import { pointRead } from '../db/prepared.ts';
import { changesAny } from '../db/results.ts';
import type { Database, Db } from '../db/schema.ts';
import { announce } from '../db/transact.ts';

export type Session = Selectable<Database['sessions']>;

export async function insertSession(db: Db, session: Insertable<Database['sessions']>): Promise<void> {
  await db.insertInto('sessions').values(session).execute();
}

/** Leaves out sessions of suspended accounts. The rows stay, and count again once the suspension is lifted. */
export const findSession = pointRead((db, tokenHash: string) =>
  db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .select([
      'sessions.id',
      'sessions.user_id',
      'sessions.created_at',
      'sessions.expires_at',
      'sessions.identity_id',
      'sessions.proven_at',
    ])
    .where('sessions.token_hash', '=', tokenHash)
    .where('users.suspended_at', 'is', null),
);

/** The same within a transaction, and of suspended accounts too. */
export async function findSessionByToken(trx: Db, tokenHash: string): Promise<Session | undefined> {
  return trx.selectFrom('sessions').selectAll().where('token_hash', '=', tokenHash).executeTakeFirst();
}

/** Undefined if the session has ended. */
export async function findSessionById(db: Db, id: string): Promise<Session | undefined> {
  return db.selectFrom('sessions').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Gives the session the token and the moment of another sign-in, whose own row is deleted by now. False if it has ended. */
export async function proveSession(
  db: Db,
  id: string,
  { token_hash, proven_at }: Pick<Session, 'token_hash' | 'proven_at'>,
): Promise<boolean> {
  return changesAny(db.updateTable('sessions').set({ token_hash, proven_at }).where('id', '=', id));
}

export async function extendSession(db: Db, id: string, expiresAt: Date): Promise<void> {
  await db.updateTable('sessions').set({ expires_at: expiresAt }).where('id', '=', id).execute();
}

export async function renameSession(db: Db, userId: string, id: string, name: string): Promise<boolean> {
  return changesAny(
    db.updateTable('sessions').set({ client_name: name }).where('id', '=', id).where('user_id', '=', userId),
  );
}

export async function listSessions(db: Db, userId: string, now: Date): Promise<Session[]> {
  return db
    .selectFrom('sessions')
    .selectAll()
    .where('user_id', '=', userId)
    .where('expires_at', '>', now)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute();
}

export async function deleteSession(db: Db, userId: string, id: string): Promise<boolean> {
  const isDeleted = await changesAny(db.deleteFrom('sessions').where('id', '=', id).where('user_id', '=', userId));
  announce(db, [userId]);
  return isDeleted;
}

/** Returns how many ended. */
export async function deleteOtherSessions(db: Db, userId: string, keptId: string): Promise<number> {
  const others = db.deleteFrom('sessions').where('user_id', '=', userId).where('id', '!=', keptId);
  const { numDeletedRows } = await others.executeTakeFirst();
  announce(db, [userId]);
  return Number(numDeletedRows);
}

/** Deletes all but the most recently used sessions of the account, and always spares the named one. */
export async function deleteLeastUsedSessions(db: Db, userId: string, sparedId: string, kept: number): Promise<void> {
  const others = db.selectFrom('sessions').select('id').where('user_id', '=', userId).where('id', '!=', sparedId);
  // The expiry moves with the last use.
  const leastUsed = others
    .orderBy('expires_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1_000)
    .offset(kept - 1);
  await db.deleteFrom('sessions').where('id', 'in', leastUsed).execute();
}

export async function deleteSessions(db: Db, userId: string): Promise<number> {
  const { numDeletedRows } = await db.deleteFrom('sessions').where('user_id', '=', userId).executeTakeFirst();
  announce(db, [userId]);
  return Number(numDeletedRows);
}
