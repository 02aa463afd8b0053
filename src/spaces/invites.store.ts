import type { Selectable } from 'kysely';
import { countRows, returnsAny } from '../db/results.ts';
import { type Database, type Db, isPostgres } from '../db/schema.ts';

export type Invite = Selectable<Database['invites']>;

/**
 * Returns whether it was stored: not if the inviter is no member any more. Whoever removes them at the same time waits
 * until it is stored, and revokes it.
 */
export async function insertInvite(db: Db, invite: Invite): Promise<boolean> {
  const columns = Object.keys(invite) as (keyof Invite)[];
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('invites')
    .columns(columns)
    .expression((eb) =>
      eb
        .selectFrom('space_members')
        .select(columns.map((column) => eb.val(invite[column]).as(column)))
        .where('space_id', '=', invite.space_id)
        .where('user_id', '=', invite.inviter_id)
        .$if(isPostgres(db), (member) => member.forShare()),
    )
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

export async function findInvite(db: Db, spaceId: string, id: string): Promise<Invite | undefined> {
  return db.selectFrom('invites').selectAll().where('id', '=', id).where('space_id', '=', spaceId).executeTakeFirst();
}

export async function findSpaceId(db: Db, tokenHash: string): Promise<string | undefined> {
  const invite = db.selectFrom('invites').select('space_id').where('token_hash', '=', tokenHash);
  return (await invite.executeTakeFirst())?.space_id;
}

export async function findInviteByToken(db: Db, tokenHash: string): Promise<Invite | undefined> {
  return db.selectFrom('invites').selectAll().where('token_hash', '=', tokenHash).executeTakeFirst();
}

/** Refuses invitations of a suspended account: its owner could use one to come back with another account. */
export async function isInviterSuspended(db: Db, { inviter_id }: Pick<Invite, 'inviter_id'>): Promise<boolean> {
  const inviter = db.selectFrom('users').select('id').where('id', '=', inviter_id);
  return returnsAny(inviter.where('suspended_at', 'is not', null));
}

/** If two people use one token at once, the second waits here and then sees it as accepted. */
export async function lockInviteByToken(trx: Db, tokenHash: string): Promise<Invite | undefined> {
  return trx.selectFrom('invites').selectAll().where('token_hash', '=', tokenHash).forUpdate().executeTakeFirst();
}

export async function setInviteStatus(
  trx: Db,
  id: string,
  status: 'accepted' | 'revoked',
  acceptedBy: string | null,
): Promise<void> {
  await trx.updateTable('invites').set({ status, accepted_by: acceptedBy }).where('id', '=', id).execute();
}

/** Invitations that can still be accepted, newest first. */
export async function listOpenInvites(db: Db, spaceId: string, now: Date, limit: number): Promise<Invite[]> {
  return db
    .selectFrom('invites')
    .selectAll()
    .where('space_id', '=', spaceId)
    .where('status', '=', 'pending')
    .where('expires_at', '>', now)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

/** The invitations of an account that can still be accepted, newest first. */
export async function listOpenInvitesOf(
  db: Db,
  inviterId: string,
  now: Date,
  limit: number,
): Promise<(Pick<Invite, 'id' | 'contact' | 'created_at'> & { readonly space_name: string })[]> {
  return db
    .selectFrom('invites')
    .innerJoin('spaces', 'spaces.id', 'invites.space_id')
    .select(['invites.id', 'invites.contact', 'invites.created_at', 'spaces.name as space_name'])
    .where('invites.inviter_id', '=', inviterId)
    .where('invites.status', '=', 'pending')
    .where('invites.expires_at', '>', now)
    .orderBy('invites.created_at', 'desc')
    .orderBy('invites.id', 'desc')
    .limit(limit)
    .execute();
}

export async function countOpenInvites(db: Db, spaceId: string, now: Date): Promise<number> {
  return countRows(
    db
      .selectFrom('invites')
      .where('space_id', '=', spaceId)
      .where('status', '=', 'pending')
      .where('expires_at', '>', now),
  );
}

export async function revokeInvitesOf(trx: Db, spaceId: string, inviterId: string): Promise<void> {
  await trx
    .updateTable('invites')
    .set({ status: 'revoked' })
    .where('space_id', '=', spaceId)
    .where('inviter_id', '=', inviterId)
    .where('status', '=', 'pending')
    .execute();
}

/** Returns how many it revoked. */
export async function revokeOpenInvites(
  trx: Db,
  inviterId: string,
  ids: readonly string[],
  now: Date,
): Promise<number> {
  const revoked = trx
    .updateTable('invites')
    .set({ status: 'revoked' })
    .where('inviter_id', '=', inviterId)
    .where('id', 'in', ids)
    .where('status', '=', 'pending')
    .where('expires_at', '>', now)
    .returning('id');
  return (await revoked.execute()).length;
}

export async function hasSession(db: Db, sessionId: string): Promise<boolean> {
  return returnsAny(db.selectFrom('sessions').select('id').where('id', '=', sessionId));
}

export async function deleteInvite(db: Db, id: string): Promise<void> {
  await db.deleteFrom('invites').where('id', '=', id).execute();
}
