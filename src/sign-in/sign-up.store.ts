import type { Selectable } from 'kysely';
import { returnsAny } from '../db/results.ts';
import type { Database, Db } from '../db/schema.ts';

export type AdmittedAddress = Selectable<Database['admitted_addresses']>;

/** Admits the address anew if it was admitted before. Also deletes expired rows. */
export async function admitAddress(trx: Db, address: AdmittedAddress): Promise<AdmittedAddress> {
  const { admitted_by, created_at, expires_at } = address;
  await trx.deleteFrom('admitted_addresses').where('expires_at', '<=', created_at).execute();
  return trx
    .insertInto('admitted_addresses')
    .values(address)
    .onConflict((conflict) => conflict.column('email').doUpdateSet({ admitted_by, created_at, expires_at }))
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function isAdmitted(db: Db, email: string, now: Date): Promise<boolean> {
  return returnsAny(
    db.selectFrom('admitted_addresses').select('id').where('email', '=', email).where('expires_at', '>', now),
  );
}

/** The account exists now. True if the address was admitted. */
export async function takeAdmitted(trx: Db, email: string, now: Date): Promise<boolean> {
  const taken = await trx
    .deleteFrom('admitted_addresses')
    .where('email', '=', email)
    .returning('expires_at')
    .executeTakeFirst();
  return taken !== undefined && taken.expires_at > now;
}

/** Newest first. */
export async function listAdmitted(db: Db, now: Date): Promise<AdmittedAddress[]> {
  return db
    .selectFrom('admitted_addresses')
    .selectAll()
    .where('expires_at', '>', now)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .execute();
}

export async function countAdmitted(db: Db, now: Date): Promise<number> {
  return (await db.selectFrom('admitted_addresses').select('id').where('expires_at', '>', now).execute()).length;
}

/** Returns the address, or undefined if there is no such row. */
export async function deleteAdmitted(db: Db, id: string): Promise<string | undefined> {
  const deleted = db.deleteFrom('admitted_addresses').where('id', '=', id).returning('email');
  return (await deleted.executeTakeFirst())?.email;
}
