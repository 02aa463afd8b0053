import type { Kysely, Selectable } from 'kysely';
import type { Database } from '../db/schema.ts';

export type Invite = Selectable<Database['invites']>;

export async function insertInvite(trx: Kysely<Database>, invite: Invite): Promise<void> {
  await trx.insertInto('invites').values(invite).execute();
}

export async function findInvite(db: Kysely<Database>, spaceId: string, id: string): Promise<Invite | undefined> {
  return db.selectFrom('invites').selectAll().where('id', '=', id).where('space_id', '=', spaceId).executeTakeFirst();
}

export async function findSpaceOfInvite(db: Kysely<Database>, tokenHash: string): Promise<string | undefined> {
  const invite = await db
    .selectFrom('invites')
    .select('space_id')
    .where('token_hash', '=', tokenHash)
    .executeTakeFirst();
  return invite?.space_id;
}

/** Of two people with one token, the second waits here and then finds it spent. */
export async function lockInviteByToken(trx: Kysely<Database>, tokenHash: string): Promise<Invite | undefined> {
  return trx.selectFrom('invites').selectAll().where('token_hash', '=', tokenHash).forUpdate().executeTakeFirst();
}

export async function setInviteStatus(
  trx: Kysely<Database>,
  id: string,
  status: 'accepted' | 'revoked',
  acceptedBy: string | null,
): Promise<void> {
  await trx.updateTable('invites').set({ status, accepted_by: acceptedBy }).where('id', '=', id).execute();
}

export async function deleteInvite(db: Kysely<Database>, id: string): Promise<void> {
  await db.deleteFrom('invites').where('id', '=', id).execute();
}
