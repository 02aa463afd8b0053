import type { Insertable, Selectable, Updateable } from 'kysely';
import type { Database, Db } from '../db/schema.ts';
import { AppError } from '../lib/errors.ts';
import { newId } from '../lib/ids.ts';

export type User = Selectable<Database['users']>;
type UserChanges = Omit<Updateable<Database['users']>, 'id' | 'created_at' | 'updated_at'>;

interface NewUser {
  readonly email: string | null;
  readonly displayName: string | null;
}

/** Returns undefined if another account has the email address. */
export async function insertUser(db: Db, { email, displayName }: NewUser, now: Date): Promise<User | undefined> {
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

export async function findUserByEmail(db: Db, email: string): Promise<User | undefined> {
  return db.selectFrom('users').selectAll().where('email', '=', email).executeTakeFirst();
}

export async function findUser(db: Db, id: string): Promise<User | undefined> {
  return db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Every other change of the account waits until the transaction ends. */
export async function lockUser(trx: Db, id: string): Promise<User | undefined> {
  return trx.selectFrom('users').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
}

/** Returns the changed account, or undefined if it no longer exists. */
export async function updateUser(db: Db, id: string, changes: UserChanges, now: Date): Promise<User | undefined> {
  return db
    .updateTable('users')
    .set({ ...changes, updated_at: now })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

/** Foreign keys delete the rows that belong to the account. */
export async function deleteUser(db: Db, id: string): Promise<void> {
  await db.deleteFrom('users').where('id', '=', id).execute();
}

/** Throws if the account was deleted after the caller was authenticated. */
export function requireUser(user: User | undefined): User {
  if (!user) throw new AppError('unauthenticated');
  return user;
}
