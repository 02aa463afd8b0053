import type { Selectable } from 'kysely';
import type { Database, Db } from '../db/schema.ts';

export type Identity = Selectable<Database['identities']>;

export async function findIdentity(db: Db, issuer: string, subject: string): Promise<Identity | undefined> {
  return db
    .selectFrom('identities')
    .selectAll()
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .executeTakeFirst();
}

/** False if another request has linked the subject already. */
export async function insertIdentity(db: Db, identity: Identity): Promise<boolean> {
  const inserted = await db
    .insertInto('identities')
    .values(identity)
    .onConflict((conflict) => conflict.columns(['issuer', 'subject']).doNothing())
    .returning('id')
    .executeTakeFirst();
  return inserted !== undefined;
}

export async function setRefreshToken(db: Db, id: string, clientId: string, sealed: string): Promise<void> {
  await db.updateTable('identities').set({ client_id: clientId, refresh_token: sealed }).where('id', '=', id).execute();
}

/**
 * True for the first use of a token, for exactly one of several concurrent callers. The uses are in `throttles`,
 * whose rows are deleted at the moment that each names.
 */
export async function spendIdentityToken(db: Db, tokenHash: string, rememberUntil: Date): Promise<boolean> {
  const spent = await db
    .insertInto('throttles')
    .values({ key: `identity token: ${tokenHash}`, count: 1, resets_at: rememberUntil })
    .onConflict((conflict) => conflict.column('key').doNothing())
    .returning('key')
    .executeTakeFirst();
  return spent !== undefined;
}

export async function listIdentities(db: Db, userId: string): Promise<Identity[]> {
  return db.selectFrom('identities').selectAll().where('user_id', '=', userId).execute();
}
