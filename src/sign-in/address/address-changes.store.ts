/** Changes of addresses that the former address can still undo. */
import type { Selectable } from 'kysely';
import { changesAny, returnsAny } from '../../db/results.ts';
import type { Database, Db } from '../../db/schema.ts';

export type AddressChange = Selectable<Database['address_changes']>;

export async function insertAddressChange(trx: Db, change: AddressChange): Promise<void> {
  await trx.insertInto('address_changes').values(change).execute();
}

/** The oldest open change away from this address. Until it expires, nobody else gets the address. */
export async function findKept(db: Db, email: string, now: Date): Promise<AddressChange | undefined> {
  return db
    .selectFrom('address_changes')
    .selectAll()
    .where('old_email', '=', email)
    .where('expires_at', '>', now)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
}

export async function findAddressChange(db: Db, id: string, now: Date): Promise<AddressChange | undefined> {
  return db
    .selectFrom('address_changes')
    .selectAll()
    .where('id', '=', id)
    .where('expires_at', '>', now)
    .executeTakeFirst();
}

export async function hasOpenChange(db: Db, userId: string, now: Date): Promise<boolean> {
  return returnsAny(
    db.selectFrom('address_changes').select('id').where('user_id', '=', userId).where('expires_at', '>', now),
  );
}

export async function listOpenChanges(db: Db, userId: string, now: Date): Promise<AddressChange[]> {
  return db
    .selectFrom('address_changes')
    .selectAll()
    .where('user_id', '=', userId)
    .where('expires_at', '>', now)
    .execute();
}

/** Ends the links of all changes of the account that came after this one. */
export async function deleteChangesAfter(trx: Db, { user_id, id }: AddressChange): Promise<void> {
  await trx.deleteFrom('address_changes').where('user_id', '=', user_id).where('id', '>', id).execute();
}

export async function deleteAddressChange(trx: Db, id: string): Promise<void> {
  await trx.deleteFrom('address_changes').where('id', '=', id).execute();
}

export async function deleteAddressChanges(trx: Db, userId: string): Promise<void> {
  await trx.deleteFrom('address_changes').where('user_id', '=', userId).execute();
}

export async function listUnsentChanges(db: Db, now: Date, limit: number): Promise<AddressChange[]> {
  return db
    .selectFrom('address_changes')
    .selectAll()
    .where('mail_due_at', '<=', now)
    .where('expires_at', '>', now)
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** False if another process has claimed the mail, or the change is undone. */
export async function claimChangeMail(db: Db, id: string, now: Date, retryAt: Date): Promise<boolean> {
  const claim = db.updateTable('address_changes').set({ mail_due_at: retryAt });
  return changesAny(claim.where('id', '=', id).where('mail_due_at', '<=', now));
}

export async function setChangeMailed(db: Db, id: string): Promise<void> {
  await db.updateTable('address_changes').set({ mail_due_at: null }).where('id', '=', id).execute();
}

/** When the next mail is sent or tried again; null if none is. */
export async function findNextChangeMailAt(db: Db, now: Date): Promise<Date | null> {
  const unsent = db.selectFrom('address_changes').select('mail_due_at').where('mail_due_at', 'is not', null);
  const next = await unsent.where('expires_at', '>', now).orderBy('mail_due_at').limit(1).executeTakeFirst();
  return next?.mail_due_at ?? null;
}
