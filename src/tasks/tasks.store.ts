import { type Insertable, type Selectable, type SelectQueryBuilder, sql, type Updateable } from 'kysely';
import { ownerPlanVersion } from '../db/plan-version.ts';
import { rowsAsTable, selectIds } from '../db/rows.ts';
import type { Database, Db } from '../db/schema.ts';
import { PLAN_SETTINGS, type PlanSettings } from '../escalation/plan-settings.ts';
import type { Caller } from '../lib/caller.ts';
import { localDate } from '../lib/time-zone.ts';
import { isVisibleTo } from '../spaces/visibility.ts';
import { isOverdue, type ReplannedOwner } from './overdue.ts';

type Task = Selectable<Database['tasks']>;
export type Owner = PlanSettings & { readonly id: string; readonly plan_version: number };
/** A task, and the version that its owner's tasks should have: see `currentPlans`. */
export type StoredTask = Task & { readonly owner_plan_version: number };

/** The database's own clock stamps changes, so that sync misses no change that commits later. */
const changedNow = sql<Date>`crescendo_now()`;

const ownerColumns = ['id', 'plan_version', ...PLAN_SETTINGS] as const;

/** An account that is being deleted is found by nobody. */
const owners = (db: Db) => db.selectFrom('users').select(ownerColumns).where('deleted_at', 'is', null);

export async function findOwner(db: Db, id: string): Promise<Owner | undefined> {
  return owners(db).where('id', '=', id).executeTakeFirst();
}

export async function listOwners(db: Db, ids: readonly string[]): Promise<Owner[]> {
  return owners(db).where('id', 'in', ids).execute();
}

/**
 * Reads the settings that decide when a task is nudged, and locks them until the transaction ends: a
 * task planned with settings that change at the same time would keep a wrong `next_fire_at`. Always
 * lock the owner before the task.
 */
export async function lockOwner(trx: Db, id: string): Promise<Owner | undefined> {
  return owners(trx).where('id', '=', id).forShare().executeTakeFirst();
}

/** From here on, every open task of the owner is stale. */
export async function raisePlanVersion(trx: Db, ownerId: string): Promise<void> {
  await trx
    .updateTable('users')
    .set((eb) => ({ plan_version: eb('plan_version', '+', 1) }))
    .where('id', '=', ownerId)
    .execute();
}

export async function findTask(db: Db, id: string): Promise<StoredTask | undefined> {
  return db.selectFrom('tasks').selectAll().select(ownerPlanVersion).where('id', '=', id).executeTakeFirst();
}

export async function lockTask(trx: Db, id: string): Promise<Task | undefined> {
  return trx.selectFrom('tasks').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
}

export async function insertTask(trx: Db, task: Omit<Insertable<Database['tasks']>, 'changed_at'>): Promise<Task> {
  return trx
    .insertInto('tasks')
    .values({ ...task, changed_at: changedNow })
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function updateTask(trx: Db, id: string, changes: Updateable<Database['tasks']>): Promise<Task> {
  return trx
    .updateTable('tasks')
    .set({ ...changes, changed_at: changedNow })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

export type PlannedTimes = Pick<
  Task,
  'id' | 'due_at' | 'next_fire_at' | 'wanted_at' | 'overdue_at' | 'list_rank' | 'list_key' | 'plan_version'
>;

const ROWS_PER_STATEMENT = 1_000;
const PLANNED_TIMES = {
  id: 'uuid',
  due_at: 'timestamptz',
  next_fire_at: 'timestamptz',
  wanted_at: 'timestamptz',
  overdue_at: 'timestamptz',
  list_rank: 'integer',
  list_key: 'bigint',
  plan_version: 'integer',
} as const;

/** Updates many tasks per statement: a change of settings can affect thousands, and each statement is a round trip. */
export async function updatePlannedTimes(trx: Db, changes: readonly PlannedTimes[], now: Date): Promise<void> {
  for (let start = 0; start < changes.length; start += ROWS_PER_STATEMENT) {
    const planned = rowsAsTable(trx, 'planned', PLANNED_TIMES, changes.slice(start, start + ROWS_PER_STATEMENT));
    await sql`
      update tasks set due_at = planned.due_at, next_fire_at = planned.next_fire_at, wanted_at = planned.wanted_at,
        overdue_at = planned.overdue_at, list_rank = planned.list_rank, list_key = planned.list_key,
        plan_version = planned.plan_version, updated_at = ${now}, changed_at = crescendo_now()
      from ${planned} where tasks.id = planned.id`.execute(trx);
  }
}

/**
 * For tasks that the new settings plan as before. A reader may have seen a task planned by a version in between;
 * `isSeen` is true for those, and sync returns them again.
 */
export async function updatePlanVersion(
  trx: Db,
  ids: readonly string[],
  { plan_version }: Owner,
  isSeen: boolean,
): Promise<void> {
  if (ids.length === 0) return;
  await trx
    .updateTable('tasks')
    .set({ plan_version, ...(isSeen && { changed_at: changedNow }) })
    .where('id', 'in', ids)
    .execute();
}

/**
 * Locks stale tasks of the owner, read from the index `tasks_plan`. Waits for a task that is locked, by the
 * engine for example: skipped, it would stay stale. Fewer than `limit` means that none is left, because the
 * owner is locked, so nobody stores a task by an older version.
 */
export async function lockStaleTasks(trx: Db, owner: Owner, limit: number): Promise<Task[]> {
  return trx
    .selectFrom('tasks')
    .selectAll()
    .where('owner_id', '=', owner.id)
    .where('status', '=', sql.lit('open'))
    .where('plan_version', '<', owner.plan_version)
    .limit(limit)
    .forUpdate()
    .execute();
}

/** Serialises the requests of one assigner, so that each of them is counted before the next. */
export async function lockAssigner(trx: Db, id: string): Promise<void> {
  // `for no key update` still lets others insert rows that refer to the assigner. With `for update`, this
  // transaction would deadlock with the deletion of the owner's account, which records removals for the assigner.
  await trx.selectFrom('users').select('id').where('id', '=', id).forNoKeyUpdate().execute();
}

export async function countPendingRequests(
  db: Db,
  assignerId: string,
  ownerId: string,
  where: 'in spaces' | 'outside spaces',
): Promise<number> {
  const { count } = await db
    .selectFrom('tasks')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('assigner_id', '=', assignerId)
    .where('owner_id', '=', ownerId)
    .where('status', '=', 'open')
    .where('accepted_by_owner', '=', false)
    .where('space_id', where === 'in spaces' ? 'is not' : 'is', null)
    .executeTakeFirstOrThrow();
  return count;
}

/** Counts the open tasks created with the token. Locks the token, so that concurrent counts run one after another. */
export async function countOpenTasksOfToken(trx: Db, tokenId: string): Promise<number> {
  await trx.selectFrom('access_tokens').select('id').where('id', '=', tokenId).forUpdate().execute();
  const { count } = await trx
    .selectFrom('tasks')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('created_by_token', '=', tokenId)
    .where('status', '=', 'open')
    .executeTakeFirstOrThrow();
  return count;
}

/** The position of a task in the list. */
export interface TaskCursor {
  readonly rank: number;
  readonly key: number;
  readonly id: string;
}

export interface TaskQuery {
  readonly of:
    | { readonly ownerId: string }
    | { readonly assignerId: string }
    | { readonly spaceId: string; readonly viewer: Caller };
  readonly status: string | undefined;
  readonly now: Date;
  readonly after: TaskCursor | undefined;
  readonly limit: number | undefined;
}

/** `replanned` matters to the status `overdue` alone. */
type ListQuery = TaskQuery & { readonly replanned: readonly ReplannedOwner[] };

/** Ordered by list position: open tasks by due date or snooze, then undated open tasks, then closed ones. */
export async function listTasks(db: Db, query: ListQuery): Promise<StoredTask[]> {
  return listed(db, query).selectAll().select(ownerPlanVersion).execute();
}

export type TaskPosition = Pick<Task, 'id' | 'list_rank' | 'list_key'>;

/** For a page of limited size: the ids, and where the page ends. */
export async function listTaskPositions(db: Db, query: ListQuery): Promise<TaskPosition[]> {
  return listed(db, query).select(['id', 'list_rank', 'list_key']).execute();
}

/** For a list without a limit: its ids at one moment, in order. Reading 50,000 takes 15 ms on SQLite. */
export async function listTaskIds(db: Db, query: ListQuery): Promise<string[]> {
  return selectIds(db, listed(db, query).select('id'));
}

/**
 * Reads the tasks that the viewer still sees, in the order of the ids. The limit keeps the databases from
 * merging the two conditions, because SQLite would then read all tasks of the viewer for every page.
 */
export async function listTasksById(db: Db, viewer: Caller, ids: readonly string[]): Promise<StoredTask[]> {
  const rows = await db
    .selectFrom((eb) => eb.selectFrom('tasks').selectAll().where('id', 'in', ids).limit(ids.length).as('tasks'))
    .selectAll()
    .select(ownerPlanVersion)
    .where((eb) => isVisibleTo(eb, viewer))
    .execute();
  const found = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => found.get(id) ?? []);
}

/** The owner, or of the owners of assigned tasks those, whose tasks are being planned again. */
export async function listReplannedOwners(
  db: Db,
  of: { readonly ownerId: string } | { readonly assignerId: string },
  now: Date,
): Promise<ReplannedOwner[]> {
  const replanned = db
    .selectFrom('follow_ups')
    .innerJoin('users', 'users.id', 'follow_ups.user_id')
    .select(['users.id', 'users.timezone'])
    .where('follow_ups.kind', '=', 'replan');
  const asked =
    'ownerId' in of
      ? replanned.where('users.id', '=', of.ownerId)
      : replanned.where(({ exists, selectFrom }) =>
          exists(
            selectFrom('tasks')
              .select('tasks.id')
              .where('assigner_id', '=', of.assignerId)
              .whereRef('tasks.owner_id', '=', 'users.id'),
          ),
        );
  return (await asked.execute()).map(({ id, timezone }) => ({ id, today: localDate(now, timezone) }));
}

function listed(db: Db, { of, status, now, replanned, after, limit }: ListQuery): Query {
  let query: Query = db.selectFrom('tasks');
  if ('ownerId' in of) query = query.where('owner_id', '=', of.ownerId);
  else if ('assignerId' in of) query = query.where('assigner_id', '=', of.assignerId);
  else query = query.where('space_id', '=', of.spaceId).where((eb) => isVisibleTo(eb, of.viewer));
  if (status !== undefined) query = withStatus(query, status, now, replanned);
  if (after) {
    query = query.where(({ eb, refTuple, tuple }) =>
      eb(refTuple('list_rank', 'list_key', 'id'), '>', tuple(after.rank, after.key, after.id)),
    );
  }
  if (limit !== undefined) query = query.limit(limit);
  return query.orderBy('list_rank').orderBy('list_key').orderBy('id');
}

type Query = SelectQueryBuilder<Database, 'tasks', object>;

function withStatus(query: Query, status: string, now: Date, replanned: readonly ReplannedOwner[]): Query {
  const open = query.where('status', '=', 'open');
  switch (status) {
    case 'pending':
      return open.where('accepted_by_owner', '=', false);
    case 'overdue':
      return open.where((eb) => isOverdue(eb, now, replanned));
    case 'snoozed':
      return open.where('deferred_until', '>', now);
    default:
      return query.where('status', '=', status);
  }
}
