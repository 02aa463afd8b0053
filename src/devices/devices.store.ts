import type { Insertable, Kysely, Selectable, Updateable } from 'kysely';
import type { Database } from '../db/schema.ts';

export type Device = Selectable<Database['devices']>;

/** Null where this user has no such device. */
export async function touchDevice(
  db: Kysely<Database>,
  userId: string,
  tokenHash: string,
  seenAt: Date,
): Promise<Device | null> {
  const seen = await db
    .updateTable('devices')
    .set({ last_seen_at: seenAt })
    .where('token_hash', '=', tokenHash)
    .where('user_id', '=', userId)
    .returningAll()
    .executeTakeFirst();
  return seen ?? null;
}

export async function lockByTokenHash(trx: Kysely<Database>, tokenHash: string): Promise<Device | undefined> {
  return trx.selectFrom('devices').selectAll().where('token_hash', '=', tokenHash).forUpdate().executeTakeFirst();
}

/** Undefined where somebody else has registered the same token in the meantime. */
export async function insertDevice(
  trx: Kysely<Database>,
  device: Insertable<Database['devices']>,
): Promise<Device | undefined> {
  return trx
    .insertInto('devices')
    .values(device)
    .onConflict((conflict) => conflict.column('token_hash').doNothing())
    .returningAll()
    .executeTakeFirst();
}

export async function updateDevice(
  db: Kysely<Database>,
  id: string,
  changes: Updateable<Database['devices']>,
): Promise<Device> {
  return db.updateTable('devices').set(changes).where('id', '=', id).returningAll().executeTakeFirstOrThrow();
}

/** What it was sent is remembered; what is still on its way finds it gone. */
export async function deleteDevice(trx: Kysely<Database>, id: string): Promise<void> {
  await trx.deleteFrom('devices').where('id', '=', id).execute();
}

export async function findDevice(db: Kysely<Database>, userId: string, id: string): Promise<Device | undefined> {
  return db.selectFrom('devices').selectAll().where('id', '=', id).where('user_id', '=', userId).executeTakeFirst();
}

/** Newest first. */
export async function listDevices(db: Kysely<Database>, userId: string): Promise<Device[]> {
  return db
    .selectFrom('devices')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute();
}

export async function countValidDevices(db: Kysely<Database>, userId: string): Promise<number> {
  const { count } = await db
    .selectFrom('devices')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('user_id', '=', userId)
    .where('valid', '=', true)
    .executeTakeFirstOrThrow();
  return count;
}

/** Unless the token was reported again since the provider lost it. */
export async function invalidateDevice(db: Kysely<Database>, id: string, reason: string, since: Date): Promise<void> {
  await db
    .updateTable('devices')
    .set({ valid: false, invalid_reason: reason })
    .where('id', '=', id)
    .where('registered_at', '<=', since)
    .execute();
}
