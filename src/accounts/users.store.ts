import type { Insertable, Kysely, Selectable, Updateable } from 'kysely';
import type { Database } from '../db/schema.ts';
import { newId } from '../lib/ids.ts';

export type User = Selectable<Database['users']>;
type UserChanges = Omit<Updateable<Database['users']>, 'id' | 'created_at' | 'updated_at'>;

interface NewUser {
  readonly email: string | null;
  readonly displayName: string | null;
}

/** Returns undefined where another account has the address already. */
export async function insertUser(
  db: Kysely<Database>,
  { email, displayName }: NewUser,
  now: Date,
): Promise<User | undefined> {
  const row: Insertable<Database['users']> = {
    id: newId(),
    email,
    display_name: displayName,
    keep_must_not_miss: true,
    created_at: now,
    updated_at: now,
  };
  return db
    .insertInto('users')
    .values(row)
    .onConflict((conflict) => conflict.column('email').doNothing())
    .returningAll()
    .executeTakeFirst();
}

export async function findUserByEmail(db: Kysely<Database>, email: string): Promise<User | undefined> {
  return db.selectFrom('users').selectAll().where('email', '=', email).executeTakeFirst();
}

export async function findUser(db: Kysely<Database>, id: string): Promise<User | undefined> {
  return db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Keeps every other change of the account waiting until the transaction is over. */
export async function lockUser(trx: Kysely<Database>, id: string): Promise<User | undefined> {
  return trx.selectFrom('users').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
}

/** Returns the account as it is after the change, or undefined where it is gone. */
export async function updateUser(
  db: Kysely<Database>,
  id: string,
  changes: UserChanges,
  now: Date,
): Promise<User | undefined> {
  return db
    .updateTable('users')
    .set({ ...changes, updated_at: now })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

/** What belongs to the account goes with it, by the tables' own references. */
export async function deleteUser(db: Kysely<Database>, id: string): Promise<User | undefined> {
  return db.deleteFrom('users').where('id', '=', id).returningAll().executeTakeFirst();
}
