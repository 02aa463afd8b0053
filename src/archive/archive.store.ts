/** Reads an account for its export, page by page and each page by its keys: nothing is held open in between. */
import type { Kysely, Selectable } from 'kysely';
import type { Database } from '../db/schema.ts';

export type StoredTask = Selectable<Database['tasks']>;
export type StoredOutcome = Selectable<Database['outcomes']>;
export type StoredEntry = Selectable<Database['timeline']>;

/** Those of the account, or those it asked of others. */
export type Side = 'owner_id' | 'assigner_id';

/** In the order of a list, which an index has ready. A task is never deleted while its owner exists. */
export async function listTaskIds(db: Kysely<Database>, side: Side, userId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('tasks')
    .select('id')
    .where(side, '=', userId)
    .orderBy('list_rank')
    .orderBy('list_key')
    .orderBy('id')
    .execute();
  return rows.map(({ id }) => id);
}

/**
 * Whose they are is looked at afterwards, since an assigner may have lost sight of one in the meantime:
 * asked for as well, SQLite reads all that its owner has, for every page.
 */
export async function listTasksById(
  db: Kysely<Database>,
  side: Side,
  userId: string,
  ids: readonly string[],
): Promise<StoredTask[]> {
  const tasks = await db.selectFrom('tasks').selectAll().where('id', 'in', ids).orderBy('id').execute();
  return tasks.filter((task) => task[side] === userId);
}

export async function countTasks(db: Kysely<Database>, ids: readonly string[]): Promise<number> {
  const { count } = await db
    .selectFrom('tasks')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('id', 'in', ids)
    .executeTakeFirstOrThrow();
  return count;
}

export async function listOutcomesAfter(
  db: Kysely<Database>,
  taskIds: readonly string[],
  last: StoredOutcome | undefined,
  limit: number,
): Promise<StoredOutcome[]> {
  let query = db.selectFrom('outcomes').selectAll().where('task_id', 'in', taskIds);
  if (last) {
    query = query.where(({ eb, refTuple, tuple }) => eb(refTuple('task_id', 'id'), '>', tuple(last.task_id, last.id)));
  }
  return query.orderBy('task_id').orderBy('id').limit(limit).execute();
}

export async function listEntriesAfter(
  db: Kysely<Database>,
  taskIds: readonly string[],
  last: StoredEntry | undefined,
  limit: number,
): Promise<StoredEntry[]> {
  let query = db.selectFrom('timeline').selectAll().where('task_id', 'in', taskIds);
  if (last) {
    query = query.where(({ eb, refTuple, tuple }) =>
      eb(refTuple('task_id', 'at', 'id'), '>', tuple(last.task_id, last.at, last.id)),
    );
  }
  return query.orderBy('task_id').orderBy('at').orderBy('id').limit(limit).execute();
}

/** Without the others in it. */
export async function listSpaces(db: Kysely<Database>, userId: string) {
  return db
    .selectFrom('space_members')
    .innerJoin('spaces', 'spaces.id', 'space_members.space_id')
    .select(['spaces.id', 'spaces.name', 'space_members.role', 'space_members.joined_at', 'spaces.created_at'])
    .where('space_members.user_id', '=', userId)
    .orderBy('space_members.joined_at')
    .execute();
}

/** Without what a token, or a copy of it, could be made from. */
export async function listTokens(db: Kysely<Database>, userId: string) {
  return db
    .selectFrom('access_tokens')
    .select(['id', 'name', 'prefix', 'scopes', 'created_at', 'last_used_at', 'expires_at'])
    .select(['max_stage', 'max_open_tasks'])
    .where('user_id', '=', userId)
    .orderBy('id')
    .execute();
}

/** Without the address that a provider knows it by. */
export async function listDevices(db: Kysely<Database>, userId: string) {
  return db
    .selectFrom('devices')
    .select(['id', 'platform', 'push_env', 'valid', 'invalid_reason', 'last_seen_at', 'registered_at', 'created_at'])
    .where('user_id', '=', userId)
    .orderBy('id')
    .execute();
}

export async function listIdentities(db: Kysely<Database>, userId: string) {
  return db
    .selectFrom('identities')
    .select(['issuer', 'created_at'])
    .where('user_id', '=', userId)
    .orderBy('created_at')
    .execute();
}
