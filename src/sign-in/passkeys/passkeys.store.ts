import type { Selectable } from 'kysely';
import { changesAny, returnsAny } from '../../db/results.ts';
import type { Database, Db } from '../../db/schema.ts';

export type Passkey = Selectable<Database['passkeys']>;

/** False if the authenticator's key pair belongs to an account already. */
export async function insertPasskey(db: Db, passkey: Passkey): Promise<boolean> {
  return returnsAny(
    db
      .insertInto('passkeys')
      .values(passkey)
      .onConflict((conflict) => conflict.column('credential_id').doNothing())
      .returning('id'),
  );
}

export async function findPasskey(db: Db, credentialId: string): Promise<Passkey | undefined> {
  return db.selectFrom('passkeys').selectAll().where('credential_id', '=', credentialId).executeTakeFirst();
}

export async function listPasskeys(db: Db, userId: string): Promise<Passkey[]> {
  return db
    .selectFrom('passkeys')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

/** False if the counter did not rise, unless the authenticator does not count and the counter stays 0. */
export async function recordPasskeyUse(db: Db, id: string, counter: number, now: Date): Promise<boolean> {
  return changesAny(
    db
      .updateTable('passkeys')
      .set({ counter, last_used_at: now })
      .where('id', '=', id)
      .where((eb) => eb.or([eb('counter', '<', counter), eb.and([eb('counter', '=', 0), eb.val(counter === 0)])])),
  );
}

/** Returns the removed passkey, or undefined if the account has no such passkey. */
export async function renamePasskey(db: Db, userId: string, id: string, name: string): Promise<Passkey | undefined> {
  return db
    .updateTable('passkeys')
    .set({ name })
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .returningAll()
    .executeTakeFirst();
}

export async function deletePasskeys(db: Db, ids: readonly string[]): Promise<void> {
  await db.deleteFrom('passkeys').where('id', 'in', ids).execute();
}
