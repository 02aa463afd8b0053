import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import type { Database, Db } from '../db/schema.ts';

export type Device = Selectable<Database['devices']>;

/** Null if this user has no such device. */
export async function touchDevice(db: Db, userId: string, tokenHash: string, seenAt: Date): Promise<Device | null> {
  const seen = await db
    .updateTable('devices')
    .set({ last_seen_at: seenAt })
    .where('token_hash', '=', tokenHash)
    .where('user_id', '=', userId)
    .returningAll()
    .executeTakeFirst();
  return seen ?? null;
}

export async function lockByTokenHash(trx: Db, tokenHash: string): Promise<Device | undefined> {
  return trx.selectFrom('devices').selectAll().where('token_hash', '=', tokenHash).forUpdate().executeTakeFirst();
}

/** Undefined if a concurrent transaction has registered the same token. */
export async function insertDevice(trx: Db, device: Insertable<Database['devices']>): Promise<Device | undefined> {
  return trx
    .insertInto('devices')
    .values(device)
    .onConflict((conflict) => conflict.column('token_hash').doNothing())
    .returningAll()
    .executeTakeFirst();
}

export async function updateDevice(db: Db, id: string, changes: Updateable<Database['devices']>): Promise<Device> {
  return db.updateTable('devices').set(changes).where('id', '=', id).returningAll().executeTakeFirstOrThrow();
}

/** Keeps the device's past deliveries. A pending delivery will find the device missing. */
export async function deleteDevice(trx: Db, id: string): Promise<void> {
  await trx.deleteFrom('devices').where('id', '=', id).execute();
}

export async function findDevice(db: Db, userId: string, id: string): Promise<Device | undefined> {
  return db.selectFrom('devices').selectAll().where('id', '=', id).where('user_id', '=', userId).executeTakeFirst();
}

/** Newest first. */
export async function listDevices(db: Db, userId: string): Promise<Device[]> {
  return db
    .selectFrom('devices')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute();
}

/** The user's valid devices beyond the `kept` that were seen or registered most recently. */
export async function listLongestUnseen(trx: Db, userId: string, kept: number): Promise<Pick<Device, 'id'>[]> {
  const seenAt = sql`case when last_seen_at > registered_at then last_seen_at else registered_at end`;
  const valid = await trx
    .selectFrom('devices')
    .select('id')
    .where('user_id', '=', userId)
    .where('valid', '=', true)
    .orderBy(seenAt, 'desc')
    .orderBy('id', 'desc')
    .execute();
  return valid.slice(kept);
}

/** Does nothing if the token was registered again after the provider rejected it at `since`. */
export async function invalidateDevice(db: Db, id: string, reason: string, since: Date): Promise<void> {
  await db
    .updateTable('devices')
    .set({ valid: false, invalid_reason: reason })
    .where('id', '=', id)
    .where('registered_at', '<=', since)
    .execute();
}
