import { type Selectable, sql } from 'kysely';
import { prepared, preparedFirst } from '../db/prepared.ts';
import { amongParameter, idsParameter, selectIds, textBytes } from '../db/rows.ts';
import type { Database, Db } from '../db/schema.ts';
import { announce } from '../db/transact.ts';
import { newId } from '../lib/ids.ts';
import type { Task } from '../tasks/task-state.ts';
import { idInName, ownName, spaceOfList } from './paths.ts';
import { WRITTEN, type WrittenTask } from './todo-fields.ts';

export type StoredEntry = Selectable<Database['caldav_entries']>;

const CLOSED_RANK = 2;

/** The spaces of a person by id, with their names. */
export async function listSpaces(db: Db, userId: string): Promise<{ readonly id: string; readonly name: string }[]> {
  return spacesOf(db, userId);
}

const spacesOf = prepared((db, userId: string) =>
  db
    .selectFrom('space_members')
    .innerJoin('spaces', 'spaces.id', 'space_members.space_id')
    .select(['spaces.id', 'spaces.name'])
    .where('space_members.user_id', '=', userId)
    .orderBy('spaces.created_at')
    .orderBy('spaces.id'),
);

/**
 * The tasks that apps see in the list: open ones, and ones done since then. One statement, so that a task which is closed
 * or opened meanwhile is not missing: apps delete what is missing.
 */
export async function listMemberIds(db: Db, userId: string, list: string, doneSince: Date): Promise<string[]> {
  const open = inList(db, userId, list).where('list_rank', '<', CLOSED_RANK).where('accepted_by_owner', '=', true);
  const done = inList(db, userId, list)
    .where('list_rank', '=', CLOSED_RANK)
    .where('list_key', '<=', -doneSince.getTime())
    .where('status', '=', 'done')
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('caldav_entries')
            .select('task_id')
            .whereRef('caldav_entries.task_id', '=', 'tasks.id')
            .where('is_deleted', '=', true),
        ),
      ),
    );
  return selectIds(db, open.unionAll(done));
}

function inList(db: Db, userId: string, list: string) {
  const spaceId = spaceOfList(list);
  const own = db.selectFrom('tasks').select('id').where('owner_id', '=', userId);
  return spaceId === null ? own.where('space_id', 'is', null) : own.where('space_id', '=', spaceId);
}

/** Open tasks that apps see: a request in the list is none of them before it is accepted. */
export async function countOpen(db: Db, userId: string, list: string): Promise<number> {
  const open = inList(db, userId, list)
    .clearSelect()
    .where('list_rank', '<', CLOSED_RANK)
    .where('accepted_by_owner', '=', true);
  const row = await open.select(({ fn }) => fn.countAll<number>().as('count')).executeTakeFirstOrThrow();
  return Number(row.count);
}

/** Done tasks that apps have stopped seeing because they were done in this span of time. */
export async function listForgottenIds(db: Db, userId: string, from: Date, to: Date): Promise<string[]> {
  return selectIds(
    db,
    db
      .selectFrom('tasks')
      .select('id')
      .where('owner_id', '=', userId)
      .where('list_rank', '=', CLOSED_RANK)
      .where('list_key', '<=', -from.getTime())
      .where('list_key', '>', -to.getTime())
      .where('status', '=', 'done'),
  );
}

/** When a task of the person was last changed. */
export async function findLastChange(db: Db, userId: string): Promise<Date | undefined> {
  // A deleted task leaves no row, so that without its removal an app would see no change.
  const rows = [await newestChange(db, userId), await newestRemoval(db, userId)];
  const moments = rows.flatMap((row) => row?.changed_at.getTime() ?? []);
  return moments.length === 0 ? undefined : new Date(Math.max(...moments));
}

const newestChange = preparedFirst((db, userId: string) =>
  db.selectFrom('tasks').select('changed_at').where('owner_id', '=', userId).orderBy('changed_at', 'desc').limit(1),
);
const newestRemoval = preparedFirst((db, userId: string) =>
  db
    .selectFrom('task_removals')
    .select('changed_at')
    .where('viewer_id', '=', userId)
    .orderBy('changed_at', 'desc')
    .limit(1),
);

export type EntryRow = WrittenTask &
  Pick<Task, 'space_id' | 'accepted_by_owner' | 'closed_at' | 'occurrence_number' | 'owner_id'> & {
    readonly name: string | null;
    readonly uid: string | null;
    readonly kept: string | null;
    readonly kept_hash: string | null;
    readonly is_deleted: boolean | null;
  };

const TASK_COLUMNS = [
  ...WRITTEN,
  'space_id',
  'accepted_by_owner',
  'closed_at',
  'occurrence_number',
  'owner_id',
] as const;

const rows = (db: Db) =>
  db
    .selectFrom('tasks')
    .leftJoin('caldav_entries', 'caldav_entries.task_id', 'tasks.id')
    .select(TASK_COLUMNS.map((name) => `tasks.${name}` as const))
    .select(['caldav_entries.name', 'caldav_entries.uid', 'caldav_entries.kept_hash', 'caldav_entries.is_deleted']);

/** How much text each of the tasks has, in the order of the ids. */
export async function listSizes(db: Db, ids: readonly string[]): Promise<{ id: string; text_bytes: number }[]> {
  const sizes = await sizesOf(db, idsParameter(db, ids));
  const found = new Map(sizes.map((size) => [size.id, size]));
  return ids.flatMap((id) => found.get(id) ?? []);
}

const sizesOf = prepared((db, ids: unknown) =>
  db
    .selectFrom('tasks')
    .leftJoin('caldav_entries', 'caldav_entries.task_id', 'tasks.id')
    .select(['tasks.id', sql<number>`${textBytes} + coalesce(octet_length(kept), 0)`.as('text_bytes')])
    .where('tasks.id', ...amongParameter(db, ids)),
);

/** The person's own among these, in the order of the ids. `kept` is null unless it is wanted. */
export async function listEntryRows(
  db: Db,
  userId: string,
  ids: readonly string[],
  isKeptWanted: boolean,
): Promise<EntryRow[]> {
  const found = await (isKeptWanted ? rowsWithKept : rowsWithoutKept)(db, idsParameter(db, ids));
  const byId = new Map(found.filter(({ owner_id }) => owner_id === userId).map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

const rowsWithKept = prepared((db, ids: unknown) =>
  rows(db)
    .select('caldav_entries.kept')
    .where('tasks.id', ...amongParameter(db, ids)),
);
const rowsWithoutKept = prepared((db, ids: unknown) =>
  rows(db)
    .select(sql<string | null>`null`.as('kept'))
    .where('tasks.id', ...amongParameter(db, ids)),
);

/** The tasks at these names, and those whose ids are the names. */
export async function findIdsByName(db: Db, userId: string, names: readonly string[]): Promise<Map<string, string>> {
  const entries = await db
    .selectFrom('caldav_entries')
    .select(['name', 'task_id'])
    .where('user_id', '=', userId)
    .where('name', 'in', names)
    .execute();
  return new Map(entries.map(({ name, task_id }) => [name, task_id]));
}

export async function findEntryByUid(db: Db, userId: string, uid: string): Promise<StoredEntry | undefined> {
  const entries = db.selectFrom('caldav_entries').selectAll().where('user_id', '=', userId);
  return entries.where('uid', '=', uid).executeTakeFirst();
}

export async function findEntry(db: Db, taskId: string): Promise<StoredEntry | undefined> {
  return db.selectFrom('caldav_entries').selectAll().where('task_id', '=', taskId).executeTakeFirst();
}

/** The tasks that have the name or the UID, besides this one. */
export async function listHolders(
  trx: Db,
  userId: string,
  taskId: string,
  name: string,
  uid: string,
): Promise<EntryRow[]> {
  const holders = await trx
    .selectFrom('caldav_entries')
    .select('task_id')
    .where('user_id', '=', userId)
    .where('task_id', '!=', taskId)
    .where((eb) => eb.or([eb('name', '=', name), eb('uid', '=', uid)]))
    .execute();
  const ids = holders.map(({ task_id }) => task_id);
  return ids.length === 0 ? [] : listEntryRows(trx, userId, ids, false);
}

/**
 * Gives other tasks that have the name or the UID new ones, so that there is one task at an address even if they are
 * shown again. A task that no app has named has both from its id.
 */
export async function moveAside(trx: Db, { task_id, user_id, name, uid }: StoredEntry, hides: boolean): Promise<void> {
  const holders = await listHolders(trx, user_id, task_id, name, uid);
  const own = [name, ownName(uid)].flatMap((one) => idInName(one) ?? []);
  const ids = new Set([...holders.map(({ id }) => id), ...own]);
  ids.delete(task_id);
  for (const row of await listEntryRows(trx, user_id, [...ids], true)) {
    const isNamedElsewhere = row.uid !== null && row.uid !== uid && row.name !== name;
    if (isNamedElsewhere) continue;
    const { id, kept, kept_hash, is_deleted } = row;
    const other = newId();
    await storeEntry(trx, {
      task_id: id,
      user_id,
      name: ownName(other),
      uid: other,
      kept,
      kept_hash,
      is_deleted: hides || (is_deleted ?? false),
    });
  }
}

export async function storeEntry(trx: Db, entry: StoredEntry): Promise<void> {
  const { task_id: _, user_id: __, ...fields } = entry;
  await trx
    .insertInto('caldav_entries')
    .values(entry)
    .onConflict((conflict) => conflict.column('task_id').doUpdateSet(fields))
    .execute();
  await touchTask(trx, entry.task_id, entry.user_id);
}

/** Leaves out those whose name or UID the person has. */
export async function addEntries(trx: Db, entries: readonly StoredEntry[]): Promise<void> {
  if (entries.length === 0) return;
  await trx
    .insertInto('caldav_entries')
    .values([...entries])
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Apps are told of the change by their next sync. */
async function touchTask(trx: Db, id: string, ownerId: string): Promise<void> {
  await trx.updateTable('tasks').set({ changed_at: sql<Date>`crescendo_now()` }).where('id', '=', id).execute();
  announce(trx, [ownerId]);
}

const MOST_CLOSED = 100;

/** The due dates of the occurrences that were closed last. */
export async function listClosedOccurrences(db: Db, taskId: string): Promise<Date[]> {
  const outcomes = db.selectFrom('outcomes').select('occurrence_due_at').where('task_id', '=', taskId);
  const closed = await outcomes.orderBy('recorded_at', 'desc').limit(MOST_CLOSED).execute();
  return closed.flatMap(({ occurrence_due_at }) => occurrence_due_at ?? []);
}

/** The bulk change that an app is in the middle of: the last task that it deleted since then belongs to it. */
export async function findBatch(db: Db, userId: string, via: string, since: Date): Promise<string | undefined> {
  const entry = await db
    .selectFrom('timeline')
    .select('batch_id')
    .where('owner_id', '=', userId)
    .where('batch_id', 'is not', null)
    .where('at', '>=', since)
    .where('kind', '=', 'dropped')
    .where('via', '=', via)
    .orderBy('at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return entry?.batch_id ?? undefined;
}

export async function countInBatch(db: Db, batchId: string): Promise<number> {
  const entries = db.selectFrom('timeline').where('batch_id', '=', batchId).where('kind', '=', 'dropped');
  const row = await entries.select(({ fn }) => fn.countAll<number>().as('count')).executeTakeFirstOrThrow();
  return Number(row.count);
}

export type CaldavSettings = Omit<Selectable<Database['caldav_settings']>, 'user_id'>;

export async function findSettings(db: Db, userId: string): Promise<CaldavSettings> {
  const stored = await settingsOf(db, userId);
  return stored ?? { high_is_must_not_miss: false, alarm_minutes: null };
}

const settingsOf = preparedFirst((db, userId: string) =>
  db.selectFrom('caldav_settings').select(['high_is_must_not_miss', 'alarm_minutes']).where('user_id', '=', userId),
);

/** With `keepsExisting`, only if the person has chosen nothing. */
export async function storeSettings(
  db: Db,
  userId: string,
  settings: CaldavSettings,
  keepsExisting = false,
): Promise<void> {
  await db
    .insertInto('caldav_settings')
    .values({ user_id: userId, ...settings })
    .onConflict((conflict) =>
      keepsExisting ? conflict.column('user_id').doNothing() : conflict.column('user_id').doUpdateSet(settings),
    )
    .execute();
}

export async function findAccount(
  db: Db,
  userId: string,
): Promise<{ readonly email: string | null; readonly display_name: string | null } | undefined> {
  const accounts = db.selectFrom('users').select(['email', 'display_name']).where('id', '=', userId);
  return accounts.where('deleted_at', 'is', null).executeTakeFirst();
}
