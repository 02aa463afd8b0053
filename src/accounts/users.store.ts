import type { Insertable, Selectable, Updateable } from 'kysely';
import { isDuplicate } from '../db/faults.ts';
import { pointRead } from '../db/prepared.ts';
import type { Database, Db } from '../db/schema.ts';
import { announce, RunAgain } from '../db/transact.ts';
import { AppError } from '../lib/errors.ts';
import { newId } from '../lib/ids.ts';

export type User = Selectable<Database['users']>;
/** `setEmail` alone changes the address. */
type UserChanges = Omit<Updateable<Database['users']>, 'id' | 'email' | 'created_at' | 'updated_at'>;

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

/** An account that is being deleted is hidden from every caller. */
const users = (db: Db) => db.selectFrom('users').selectAll().where('deleted_at', 'is', null);

export async function findUserByEmail(db: Db, email: string): Promise<User | undefined> {
  return users(db).where('email', '=', email).executeTakeFirst();
}

export const findUser = pointRead((db, id: string) => users(db).where('id', '=', id));

/** Every other change of the account waits until the transaction ends. */
export async function lockUser(trx: Db, id: string): Promise<User | undefined> {
  return users(trx).where('id', '=', id).forUpdate().executeTakeFirst();
}

/** Returns the changed account, or undefined if it no longer exists. */
export async function updateUser(db: Db, id: string, changes: UserChanges, now: Date): Promise<User | undefined> {
  return setColumns(db, id, { ...changes, updated_at: now });
}

/** If another account has taken the address since it was looked for, the transaction runs again. */
export async function setEmail(trx: Db, id: string, email: string, now: Date): Promise<User | undefined> {
  return setColumns(trx, id, { email, updated_at: now }).catch((error: unknown) => {
    throw isDuplicate(error) ? new RunAgain('Another account has taken the address.') : error;
  });
}

async function setColumns(db: Db, id: string, columns: Updateable<Database['users']>): Promise<User | undefined> {
  const query = db.updateTable('users').set(columns).where('id', '=', id);
  const changed = await query.returningAll().executeTakeFirst();
  if (changed) announce(db, [id]);
  return changed;
}

/** Tables with rows that give access to an account, show it to others, or receive its nudges. */
const ACCESS = [
  'sessions',
  'access_tokens',
  'connection_codes',
  'identities',
  'mfa_challenges',
  'recovery_codes',
  'totp_steps',
  'passkeys',
  'address_changes',
  'second_factor_resets',
  'devices',
  'calendar_feeds',
  'space_members',
] as const;

/** An account that is being deleted is paused until this moment and suspended, so none of its tasks is nudged. */
const FOR_EVER = new Date('9999-12-31T00:00:00Z');

/** Ends all access for good. Another account can have the address from now on. */
export async function closeUser(trx: Db, id: string, now: Date): Promise<void> {
  for (const table of ACCESS) await trx.deleteFrom(table).where('user_id', '=', id).execute();
  await trx.deleteFrom('invites').where('inviter_id', '=', id).execute();
  await trx
    .updateTable('users')
    .set({
      email: null,
      display_name: null,
      totp_secret: null,
      quiet_hours_start: null,
      quiet_hours_end: null,
      pause_from: new Date(0),
      pause_until: FOR_EVER,
      keep_must_not_miss: false,
      ladders: null,
      planned_pause_from: null,
      planned_pause_until: null,
      // A nudge at a moment that its owner named passes a pause.
      suspended_at: now,
      deleted_at: now,
    })
    .where('id', '=', id)
    .execute();
}

/** Deletes answers stored for `Idempotency-Key`, of which there may be many; returns how many. */
export async function deleteStoredAnswers(trx: Db, id: string, limit: number): Promise<number> {
  const some = trx.selectFrom('idempotency_keys').select('key_hash').where('user_id', '=', id).limit(limit);
  const { numDeletedRows } = await trx
    .deleteFrom('idempotency_keys')
    .where('user_id', '=', id)
    .where('key_hash', 'in', some)
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
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
