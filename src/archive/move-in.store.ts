import { type Selectable, sql, type Updateable } from 'kysely';
import type { Database, Db } from '../db/schema.ts';
import type { MoveInState } from '../db/tables/move-ins.ts';

export type StoredMoveIn = Selectable<Database['move_ins']>;

/** A person moves in once or twice. */
const MOST_LISTED = 10;

export async function insertMoveIn(
  db: Db,
  row: Pick<StoredMoveIn, 'id' | 'user_id' | 'created_at' | 'expires_at'>,
): Promise<void> {
  await db
    .insertInto('move_ins')
    .values({ ...row, state: 'reading', contents: null, choices: null, problem: null, started_at: null })
    .execute();
}

export async function insertPages(
  trx: Db,
  moveInId: string,
  first: number,
  pages: readonly { readonly tasks: string }[],
): Promise<void> {
  if (pages.length === 0) return;
  const rows = pages.map(({ tasks }, index) => ({ move_in_id: moveInId, page: first + index, tasks }));
  await trx.insertInto('move_in_pages').values(rows).execute();
}

export async function updateMoveIn(db: Db, id: string, changes: Updateable<Database['move_ins']>): Promise<void> {
  await db.updateTable('move_ins').set(changes).where('id', '=', id).execute();
}

/** Undefined if the account has no such move, or it has expired. */
export async function findMoveIn(db: Db, userId: string, id: string, now: Date): Promise<StoredMoveIn | undefined> {
  const found = db.selectFrom('move_ins').selectAll().where('id', '=', id).where('user_id', '=', userId);
  return found.where('expires_at', '>', now).executeTakeFirst();
}

export async function lockMoveIn(trx: Db, userId: string, id: string, now: Date): Promise<StoredMoveIn | undefined> {
  const found = trx.selectFrom('move_ins').selectAll().where('id', '=', id).where('user_id', '=', userId);
  return found.where('expires_at', '>', now).forUpdate().executeTakeFirst();
}

/** An account has at most one that is being imported or taken back. */
export async function lockInState(trx: Db, userId: string, state: MoveInState): Promise<StoredMoveIn | undefined> {
  return trx
    .selectFrom('move_ins')
    .selectAll()
    .where('user_id', '=', userId)
    .where('state', '=', state)
    .limit(1)
    .forUpdate()
    .executeTakeFirst();
}

export async function isUnderWay(trx: Db, userId: string): Promise<boolean> {
  const found = trx.selectFrom('move_ins').select('id').where('user_id', '=', userId);
  return (await found.where('state', 'in', ['importing', 'undoing']).limit(1).executeTakeFirst()) !== undefined;
}

/** The newest first. */
export async function listMoveIns(db: Db, userId: string, now: Date): Promise<StoredMoveIn[]> {
  return db
    .selectFrom('move_ins')
    .selectAll()
    .where('user_id', '=', userId)
    .where('expires_at', '>', now)
    .where('state', '!=', 'reading')
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(MOST_LISTED)
    .execute();
}

export async function findPage(trx: Db, moveInId: string, page: number): Promise<string | undefined> {
  const found = trx.selectFrom('move_in_pages').select('tasks').where('move_in_id', '=', moveInId);
  return (await found.where('page', '=', page).executeTakeFirst())?.tasks;
}

export async function deletePage(trx: Db, moveInId: string, page: number): Promise<void> {
  await trx.deleteFrom('move_in_pages').where('move_in_id', '=', moveInId).where('page', '=', page).execute();
}

/** What nobody will import: files that are only previewed, and whose reading was cut off. */
export async function listDiscardable(db: Db, userId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('move_ins')
    .select('id')
    .where('user_id', '=', userId)
    .where('state', 'in', ['reading', 'preview'])
    .execute();
  return rows.map(({ id }) => id);
}

/** Returns how many pages it deleted. */
export async function deleteSomePages(trx: Db, moveInId: string, limit: number): Promise<number> {
  const some = trx.selectFrom('move_in_pages').select('page').where('move_in_id', '=', moveInId).limit(limit);
  const { numDeletedRows } = await trx
    .deleteFrom('move_in_pages')
    .where('move_in_id', '=', moveInId)
    .where('page', 'in', some)
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

/** Before the account's own row, which would delete all of them in one statement. */
export async function deleteSomePagesOf(trx: Db, userId: string, limit: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from move_in_pages where (move_in_id, page) in (
      select move_in_id, page from move_in_pages
      where move_in_id in (select id from move_ins where user_id = ${userId}) limit ${limit})`.execute(trx);
  return Number(numAffectedRows);
}

export async function deleteMoveIn(db: Db, id: string): Promise<void> {
  await db.deleteFrom('move_ins').where('id', '=', id).execute();
}
