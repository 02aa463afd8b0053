import type { Selectable } from 'kysely';
import type { Database, Db } from '../../db/schema.ts';

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

export async function listIdentities(db: Db, userId: string): Promise<Identity[]> {
  return db.selectFrom('identities').selectAll().where('user_id', '=', userId).execute();
}

/** Sessions that began with one of them end too. */
export async function deleteIdentitiesSince(trx: Db, userId: string, since: Date): Promise<void> {
  await trx.deleteFrom('identities').where('user_id', '=', userId).where('created_at', '>=', since).execute();
}
