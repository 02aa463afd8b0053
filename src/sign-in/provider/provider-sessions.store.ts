/** The sessions, and sign-ins that wait for a second factor, which began at an identity provider. */
import type { Db } from '../../db/schema.ts';
import { announce } from '../../db/transact.ts';

/** The identity, the provider's session, or both. */
export interface ProviderSession {
  readonly identityId?: string | undefined;
  /** Names of different issuers may be equal, so the issuer is part of the name. */
  readonly sid?: { readonly issuer: string; readonly name: string } | undefined;
}

export async function deleteProviderSessions(db: Db, session: ProviderSession): Promise<number> {
  await matching(db, 'mfa_challenges', session).execute();
  const ended = await matching(db, 'sessions', session).returning('user_id').execute();
  const people = ended.map(({ user_id }) => user_id);
  announce(db, people);
  return ended.length;
}

/** Ends the sessions of the account that began elsewhere. */
export async function deleteOwnSessions(db: Db, userId: string): Promise<void> {
  await db.deleteFrom('sessions').where('user_id', '=', userId).where('identity_id', 'is', null).execute();
  announce(db, [userId]);
}

function matching(db: Db, table: 'sessions' | 'mfa_challenges', { identityId, sid }: ProviderSession) {
  let query = db.deleteFrom(table);
  if (identityId !== undefined) query = query.where('identity_id', '=', identityId);
  if (sid !== undefined) {
    const ofIssuer = db.selectFrom('identities').select('id').where('issuer', '=', sid.issuer);
    query = query.where('provider_sid', '=', sid.name).where('identity_id', 'in', ofIssuer);
  }
  if (identityId === undefined && sid === undefined) throw new Error('Every session would end.');
  return query;
}

/** The identity that opened the session; undefined if none did, or the session has ended. */
export async function findSessionIdentity(
  db: Db,
  sessionId: string,
): Promise<{ readonly issuer: string; readonly subject: string } | undefined> {
  return db
    .selectFrom('sessions')
    .innerJoin('identities', 'identities.id', 'sessions.identity_id')
    .select(['identities.issuer', 'identities.subject'])
    .where('sessions.id', '=', sessionId)
    .executeTakeFirst();
}
