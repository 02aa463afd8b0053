import type { Selectable } from 'kysely';
import { changesAny } from '../db/results.ts';
import type { Database, Db } from '../db/schema.ts';
import { announce } from '../db/transact.ts';

export type SecondFactorReset = Selectable<Database['second_factor_resets']>;

/** Leaves a reset that is under way as it is. */
export async function insertReset(trx: Db, reset: SecondFactorReset): Promise<void> {
  await trx
    .insertInto('second_factor_resets')
    .values(reset)
    .onConflict((conflict) => conflict.column('user_id').doNothing())
    .execute();
  announce(trx, [reset.user_id]);
}

export async function findReset(db: Db, userId: string): Promise<SecondFactorReset | undefined> {
  return db.selectFrom('second_factor_resets').selectAll().where('user_id', '=', userId).executeTakeFirst();
}

export async function findResetById(db: Db, id: string): Promise<SecondFactorReset | undefined> {
  return db.selectFrom('second_factor_resets').selectAll().where('id', '=', id).executeTakeFirst();
}

/** True if there was one. */
export async function deleteReset(db: Db, userId: string): Promise<boolean> {
  const isDeleted = await changesAny(db.deleteFrom('second_factor_resets').where('user_id', '=', userId));
  if (isDeleted) announce(db, [userId]);
  return isDeleted;
}

export async function deleteResetsBy(db: Db, adminId: string): Promise<void> {
  const ended = db.deleteFrom('second_factor_resets').where('requested_by', '=', adminId).returning('user_id');
  const userIds = (await ended.execute()).map(({ user_id }) => user_id);
  announce(db, userIds);
}

/** Ends resets of which no mail has told the owner. Returns the accounts. */
export async function deleteUntoldResets(db: Db, before: Date): Promise<string[]> {
  const untold = db.deleteFrom('second_factor_resets').where('told_at', 'is', null).where('requested_at', '<=', before);
  const userIds = (await untold.returning('user_id').execute()).map(({ user_id }) => user_id);
  announce(db, userIds);
  return userIds;
}

/** True for exactly one of several processes. Never for an owner whom no mail has told. */
export async function takeDueReset(trx: Db, id: string, now: Date): Promise<boolean> {
  const due = trx.deleteFrom('second_factor_resets').where('id', '=', id).where('due_at', '<=', now);
  const taken = await due.where('told_at', 'is not', null).returning('user_id').executeTakeFirst();
  if (taken) announce(trx, [taken.user_id]);
  return taken !== undefined;
}

export async function listDueResets(db: Db, now: Date, limit: number): Promise<SecondFactorReset[]> {
  return told(db).where('due_at', '<=', now).orderBy('due_at').limit(limit).execute();
}

/** Resets with a mail to send. */
export async function listResetsToMail(db: Db, now: Date, limit: number): Promise<SecondFactorReset[]> {
  return mailed(db).where('mail_due_at', '<=', now).orderBy('mail_due_at').limit(limit).execute();
}

/** When the next mail or the end of a delay is due; null if nothing is. */
export async function findNextResetAt(db: Db): Promise<Date | null> {
  const end = await told(db).orderBy('due_at').limit(1).executeTakeFirst();
  const mail = await mailed(db).orderBy('mail_due_at').limit(1).executeTakeFirst();
  const moments = [end?.due_at, mail?.mail_due_at].flatMap((at) => at ?? []);
  return moments.length === 0 ? null : new Date(Math.min(...moments.map((at) => at.getTime())));
}

/** False if another process has claimed the mail, or the reset was stopped. */
export async function claimResetMail(db: Db, id: string, now: Date, retryAt: Date): Promise<boolean> {
  const claim = db.updateTable('second_factor_resets').set({ mail_due_at: retryAt });
  return changesAny(claim.where('id', '=', id).where('mail_due_at', '<=', now));
}

type MailTimes = Pick<SecondFactorReset, 'told_at' | 'due_at' | 'mail_due_at'>;

export async function setResetMailed(db: Db, id: string, times: MailTimes): Promise<void> {
  await db.updateTable('second_factor_resets').set(times).where('id', '=', id).execute();
}

const told = (db: Db) => db.selectFrom('second_factor_resets').selectAll().where('told_at', 'is not', null);
const mailed = (db: Db) => db.selectFrom('second_factor_resets').selectAll().where('mail_due_at', 'is not', null);
