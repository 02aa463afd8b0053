import type { Kysely, Selectable } from 'kysely';
import type { Database } from '../db/schema.ts';

export type Identity = Selectable<Database['identities']>;

export async function findIdentity(
  db: Kysely<Database>,
  issuer: string,
  subject: string,
): Promise<Identity | undefined> {
  return db
    .selectFrom('identities')
    .selectAll()
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .executeTakeFirst();
}

/** False where the subject was linked by someone else in the meantime. */
export async function insertIdentity(db: Kysely<Database>, identity: Identity): Promise<boolean> {
  const inserted = await db
    .insertInto('identities')
    .values(identity)
    .onConflict((conflict) => conflict.columns(['issuer', 'subject']).doNothing())
    .returning('id')
    .executeTakeFirst();
  return inserted !== undefined;
}

export async function setRefreshToken(
  db: Kysely<Database>,
  id: string,
  clientId: string,
  sealed: string,
): Promise<void> {
  await db.updateTable('identities').set({ client_id: clientId, refresh_token: sealed }).where('id', '=', id).execute();
}

export async function listIdentities(db: Kysely<Database>, userId: string): Promise<Identity[]> {
  return db.selectFrom('identities').selectAll().where('user_id', '=', userId).execute();
}
