import type { Selectable } from 'kysely';
import type { Database, Db } from '../../db/schema.ts';
import { AppError } from '../../lib/errors.ts';

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

/** `issuer` is the setting. It may be the address of the discovery document, which begins with the issuer. */
export async function hasIdentityAt(db: Db, userId: string, issuer: string | undefined): Promise<boolean> {
  return (await listIdentities(db, userId)).some((identity) => issuer?.startsWith(identity.issuer));
}

/**
 * If the groups of a provider decide who gets in, people whom it knows sign in there alone: no other way in checks
 * whether they are still in a group. `issuer` is undefined if no groups decide.
 */
export async function refusePeopleOf(issuer: string | undefined, db: Db, userId: string): Promise<void> {
  if (issuer !== undefined && (await hasIdentityAt(db, userId, issuer))) throw new AppError('provider_required');
}
