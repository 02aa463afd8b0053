/**
 * Follow-ups: work that grows with an account. The request decides and does the first slice. A row here stands for the
 * rest, and the engine does it slice by slice, each in its own transaction. After a crash the work continues where it
 * stopped, because a slice finds the rows that still need the change, or starts at the stored cursor.
 *
 * Locks: the space and the account first, then the follow-up, then tasks. Requests that add or cancel a
 * follow-up have locked the space or the account already, so they never wait for a slice that waits for them.
 */
import type { Selectable } from 'kysely';
import { prepared } from '../db/prepared.ts';
import type { Database, Db } from '../db/schema.ts';
import { newId } from '../lib/ids.ts';

export type FollowUp = Selectable<Database['follow_ups']>;
type NewFollowUp = Omit<FollowUp, 'id'>;

/** What a slice has done. */
export interface Slice {
  /** How many rows it changed, to learn how many fit into the next one. */
  readonly rows: number;
  readonly isDone: boolean;
  /** Where the next slice continues, if it does not find that by itself. */
  readonly cursor?: string | null;
}

export type RunSlice = (trx: Db, followUp: NewFollowUp, limit: number) => Promise<Slice>;
export type Slices = Readonly<Record<FollowUp['kind'], RunSlice>>;

/** How many rows a request changes by itself: 3 to 5 ms on SQLite, where every other request waits meanwhile. */
export const ROWS_AT_ONCE = 25;

/** Runs the first slice in the request's transaction, and stores a follow-up if more is left. */
export async function startFollowUp(trx: Db, added: NewFollowUp, run: RunSlice, limit: number): Promise<Slice> {
  const slice = await run(trx, added, limit);
  if (!slice.isDone && !(await findSame(trx, added))) {
    await trx
      .insertInto('follow_ups')
      .values({ ...added, id: newId(), cursor: slice.cursor ?? null })
      .execute();
  }
  return slice;
}

const sameKind = (db: Db, { kind, user_id, space_id }: Omit<NewFollowUp, 'cursor'>) =>
  db
    .selectFrom('follow_ups')
    .select('id')
    .where('user_id', '=', user_id)
    .where('kind', '=', kind)
    .where('space_id', space_id === null ? 'is' : '=', space_id);

/** One follow-up of a kind is enough: its slices find new rows too. More would give the account more turns. */
const findSame = (db: Db, followUp: Omit<NewFollowUp, 'cursor'>) => sameKind(db, followUp).executeTakeFirst();

export async function cancelFollowUp(trx: Db, cancelled: Omit<NewFollowUp, 'cursor'>): Promise<void> {
  await trx.deleteFrom('follow_ups').where('id', 'in', sameKind(trx, cancelled)).execute();
}

/** Returns the follow-up after `last`, or the first one again, so that each has its turn. */
export async function findFollowUpAfter(db: Db, last: string | undefined): Promise<FollowUp | undefined> {
  const [next] = last === undefined ? [] : await firstAfter(db, last);
  return next ?? (await first(db))[0];
}

const ordered = (db: Db) => db.selectFrom('follow_ups').selectAll().orderBy('id').limit(1);
const first = prepared(ordered);
const firstAfter = prepared((db, last: string) => ordered(db).where('id', '>', last));

/** Undefined if another process works on it, or it is done or cancelled. */
export async function lockFollowUp(trx: Db, { id, space_id, user_id }: FollowUp): Promise<FollowUp | undefined> {
  if (space_id !== null) await trx.selectFrom('spaces').select('id').where('id', '=', space_id).forShare().execute();
  await trx.selectFrom('users').select('id').where('id', '=', user_id).forShare().execute();
  return trx.selectFrom('follow_ups').selectAll().where('id', '=', id).forUpdate().skipLocked().executeTakeFirst();
}

export async function recordSlice(trx: Db, { id }: FollowUp, { isDone, cursor }: Slice): Promise<void> {
  if (isDone) await trx.deleteFrom('follow_ups').where('id', '=', id).execute();
  else if (cursor !== undefined) await trx.updateTable('follow_ups').set({ cursor }).where('id', '=', id).execute();
}
