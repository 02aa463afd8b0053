import type { Insertable, Selectable } from 'kysely';
import { prepared } from '../db/prepared.ts';
import type { Database, Db } from '../db/schema.ts';
import { announce } from '../db/transact.ts';

export type Session = Selectable<Database['sessions']>;

export async function insertSession(db: Db, session: Insertable<Database['sessions']>): Promise<void> {
  await db.insertInto('sessions').values(session).execute();
}

const sessionsByHash = prepared((db, tokenHash: string) =>
  db.selectFrom('sessions').select(['id', 'user_id', 'expires_at']).where('token_hash', '=', tokenHash),
);

export async function findSession(
  db: Db,
  tokenHash: string,
): Promise<Pick<Session, 'id' | 'user_id' | 'expires_at'> | undefined> {
  const [session] = await sessionsByHash(db, tokenHash);
  return session;
}

/** When the session was opened, which is when its user last proved who they are; undefined if it has ended. */
export async function findSignInTime(db: Db, id: string): Promise<Date | undefined> {
  const session = await db.selectFrom('sessions').select('created_at').where('id', '=', id).executeTakeFirst();
  return session?.created_at;
}

export async function extendSession(db: Db, id: string, expiresAt: Date): Promise<void> {
  await db.updateTable('sessions').set({ expires_at: expiresAt }).where('id', '=', id).execute();
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
  const { numDeletedRows } = await db
    .deleteFrom('sessions')
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  announce(db, [userId]);
  return numDeletedRows > 0n;
}

export async function deleteOtherSessions(db: Db, userId: string, keptId: string): Promise<void> {
  await db.deleteFrom('sessions').where('user_id', '=', userId).where('id', '!=', keptId).execute();
  announce(db, [userId]);
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

/** Returns the number of deleted sessions. */
export async function deleteSessions(db: Db, userId: string): Promise<number> {
  const { numDeletedRows } = await db.deleteFrom('sessions').where('user_id', '=', userId).executeTakeFirst();
  announce(db, [userId]);
  return Number(numDeletedRows);
}
