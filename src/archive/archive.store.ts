/** Reads an account for its export in pages, each by key, so no transaction or cursor stays open in between. */
import { type Selectable, sql } from 'kysely';
import { countRows } from '../db/results.ts';
import { selectIds, textBytes } from '../db/rows.ts';
import type { Database, Db } from '../db/schema.ts';
import { ownerPlanVersion } from '../tasks/plan-version.sql.ts';
import { isVisibleTo } from '../tasks/visibility.sql.ts';

export type StoredTask = Selectable<Database['tasks']>;
export type StoredOutcome = Selectable<Database['outcomes']>;
export type StoredEntry = Selectable<Database['timeline']>;
export type StoredChange = Selectable<Database['task_changes']>;
export type StoredAppEntry = Selectable<Database['caldav_entries']>;
export type StoredWriter = Selectable<Database['text_writers']>;

/** Selects the tasks of the account, or those it assigned to others. */
export type UserColumn = 'owner_id' | 'assigner_id';

/** Uses the index of the task list for its order. Only taking back an import deletes a task while its owner exists. */
export async function listTaskIds(db: Db, column: UserColumn, userId: string): Promise<string[]> {
  const inListOrder = db
    .selectFrom('tasks')
    .select('id')
    .where(column, '=', userId)
    .orderBy('list_rank')
    .orderBy('list_key')
    .orderBy('id');
  return selectIds(db, inListOrder);
}

/** The text size of each task, in the order of the ids, so that long tasks are spread over several pages. */
export async function listTextSizes(db: Db, ids: readonly string[]) {
  const sizes = db
    .selectFrom('tasks')
    .select(['id', textBytes.as('text_bytes')])
    .where('id', 'in', ids);
  return sizes.orderBy('id').execute();
}

/**
 * Leaves out tasks that the assigner can no longer see. The limit keeps SQLite from merging the conditions: it would
 * read all tasks of the user for every page.
 */
export async function listTasksById(db: Db, column: UserColumn, userId: string, ids: readonly string[]) {
  const tasks = await db
    .selectFrom((eb) => eb.selectFrom('tasks').selectAll().where('id', 'in', ids).limit(ids.length).as('tasks'))
    .selectAll()
    .select(ownerPlanVersion)
    .where((eb) => isVisibleTo(eb, { kind: 'session', userId }))
    .orderBy('id')
    .execute();
  return tasks.filter((task) => task[column] === userId);
}

export async function countTasks(db: Db, ids: readonly string[]): Promise<number> {
  return countRows(db.selectFrom('tasks').where('id', 'in', ids));
}

/** The order in which the history of tasks is read, by table. */
const HISTORY = {
  outcomes: ['task_id', 'id'],
  timeline: ['task_id', 'at', 'id'],
  task_changes: ['task_id', 'entry_id'],
  text_writers: ['task_id', 'field'],
  caldav_entries: ['task_id'],
} as const;

/** The rows that follow `last`. */
export async function listHistory<T extends keyof typeof HISTORY>(
  db: Db,
  table: T,
  taskIds: readonly string[],
  last: Selectable<Database[T]> | undefined,
  limit: number,
): Promise<Selectable<Database[T]>[]> {
  const key: readonly string[] = HISTORY[table];
  const columns = sql.join(key.map((name) => sql.ref(name)));
  const ofTasks = db
    .selectFrom(table as 'outcomes')
    .selectAll()
    .where('task_id', 'in', taskIds);
  const position = last && sql.join(key.map((name) => (last as Readonly<Record<string, unknown>>)[name]));
  const following = position ? ofTasks.where(sql<boolean>`(${columns}) > (${position})`) : ofTasks;
  const rows = await following.orderBy(columns).limit(limit).execute();
  return rows as unknown as Selectable<Database[T]>[];
}

/** Without their other members. */
export async function listSpaces(db: Db, userId: string) {
  return db
    .selectFrom('space_members')
    .innerJoin('spaces', 'spaces.id', 'space_members.space_id')
    .select(['spaces.id', 'spaces.name', 'space_members.role', 'space_members.joined_at', 'spaces.created_at'])
    .where('space_members.user_id', '=', userId)
    .orderBy('space_members.joined_at')
    .execute();
}

/** Without the hash of the secret. */
export async function listTokens(db: Db, userId: string) {
  return db
    .selectFrom('access_tokens')
    .select(['id', 'name', 'prefix', 'scopes', 'created_at', 'last_used_at', 'expires_at'])
    .select(['max_stage', 'max_open_tasks', 'shortest_wait', 'client_host'])
    .where('user_id', '=', userId)
    .orderBy('id')
    .execute();
}

/** Without the push token. */
export async function listDevices(db: Db, userId: string) {
  return db
    .selectFrom('devices')
    .select(['id', 'platform', 'push_env', 'valid', 'invalid_reason', 'last_seen_at', 'registered_at', 'created_at'])
    .where('user_id', '=', userId)
    .orderBy('id')
    .execute();
}

/** Without the address, which is a secret. */
export async function listChannels(db: Db, userId: string) {
  return db
    .selectFrom('channels')
    .select(['id', 'provider', 'name', 'label', 'stages', 'tier', 'private_title', 'automatic'])
    .select(['verified_at', 'proven_by', 'valid', 'invalid_reason', 'created_at'])
    .where('user_id', '=', userId)
    .orderBy('id')
    .execute();
}

export async function getFallbackMinutes(db: Db, userId: string): Promise<number> {
  const user = db.selectFrom('users').select('fallback_minutes').where('id', '=', userId);
  return (await user.executeTakeFirstOrThrow()).fallback_minutes;
}

export async function findLadders(db: Db, userId: string): Promise<unknown> {
  const user = db.selectFrom('users').select('ladders').where('id', '=', userId);
  const { ladders } = await user.executeTakeFirstOrThrow();
  return ladders === null ? null : JSON.parse(ladders);
}

/** Null if the account has chosen nothing for apps. */
export async function findCaldavSettings(db: Db, userId: string) {
  const chosen = db.selectFrom('caldav_settings').select(['high_is_must_not_miss', 'alarm_minutes']);
  return (await chosen.where('user_id', '=', userId).executeTakeFirst()) ?? null;
}

export async function hearsRequests(db: Db, userId: string): Promise<boolean> {
  const user = db.selectFrom('users').select('hears_requests').where('id', '=', userId);
  return (await user.executeTakeFirstOrThrow()).hears_requests;
}

export async function listLabelColours(db: Db, userId: string) {
  return db
    .selectFrom('label_colours')
    .select(['label', 'colour'])
    .where('user_id', '=', userId)
    .orderBy('label')
    .execute();
}

/** Who stands in for the person, and for whom they do. The tasks of others are not named. */
export async function listStandIns(db: Db, userId: string) {
  const rows = await db
    .selectFrom('stand_ins')
    .select(['owner_id', 'person_id', 'space_id', 'task_id', 'label', 'from_rung', 'passes_quiet_hours'])
    .select(['asked_at', 'agreed_at'])
    .where(({ eb, or }) => or([eb('owner_id', '=', userId), eb('person_id', '=', userId)]))
    .orderBy('id')
    .execute();
  return rows
    .filter(({ owner_id, from_rung }) => owner_id === userId || from_rung !== null)
    .map((row) => (row.owner_id === userId ? row : { ...row, task_id: null }));
}

/** Only the fields that their owner sees: the keys themselves are of no use elsewhere. */
export async function listPasskeys(db: Db, userId: string) {
  return db
    .selectFrom('passkeys')
    .select(['name', 'created_at', 'last_used_at'])
    .where('user_id', '=', userId)
    .orderBy('created_at')
    .execute();
}

/** Former addresses that can still take the account back. */
export async function listAddressChanges(db: Db, userId: string) {
  return db
    .selectFrom('address_changes')
    .select(['old_email', 'new_email', 'changed_at', 'expires_at'])
    .where('user_id', '=', userId)
    .orderBy('id')
    .execute();
}

export async function listIdentities(db: Db, userId: string) {
  return db
    .selectFrom('identities')
    .select(['issuer', 'created_at'])
    .where('user_id', '=', userId)
    .orderBy('created_at')
    .execute();
}
