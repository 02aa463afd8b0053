/**
 * Reads tasks to show them: only the columns that answers contain, two thirds of all. Most of the cost of a read is
 * reading and decoding columns, and answers are the most frequent reads. Planning a stale task needs all columns: see
 * `current-plans.ts`.
 */
import { type ExpressionBuilder, type Selectable, type SelectQueryBuilder, sql } from 'kysely';
import { pointRead, prepared } from '../db/prepared.ts';
import { amongParameter, idsParameter, selectIds, textBytes } from '../db/rows.ts';
import type { Database, Db } from '../db/schema.ts';
import type { Caller } from '../lib/caller.ts';
import { nextTurn } from '../lib/next-turn.ts';
import { localDate } from '../lib/time-zone.ts';
import { isOverdue, type ReplannedOwner } from './overdue.ts';
import { ownerPlanVersion, type WithOwnerVersion } from './plan-version.sql.ts';
import { isVisibleTo } from './visibility.sql.ts';
import type { Viewer } from './visibility.ts';

/** The columns that an answer contains, the ones that tell a stale task, and the list position for the next cursor. */
const SHOWN = [
  'id',
  'owner_id',
  'assigner_id',
  'space_id',
  'title',
  'notes',
  'kind',
  'due_at',
  'has_time',
  'mode',
  'break_quiet_hours',
  'status',
  'accepted_by_owner',
  'escalation_stage',
  'nudge_count',
  'next_fire_at',
  'completed_at',
  'recurrence',
  'lead_time_days',
  'deferred_until',
  'skipped_at',
  'last_nudge_at',
  'created_at',
  'updated_at',
  'plan_version',
  'list_rank',
  'list_key',
] as const;

type Task = Selectable<Database['tasks']>;
export type ShownTask = Pick<Task, (typeof SHOWN)[number]>;
export type StoredTask = Task & WithOwnerVersion;
export type StoredShownTask = ShownTask & WithOwnerVersion;

/**
 * A task without its long texts. A page of the longest ones has 10 MB, which take a tenth of a second to read.
 */
export type TaskOutline = StoredShownTask & { readonly text_bytes: number };
const LONG_TEXT_BYTES = 1_000;

/** Whether long texts were left out, and are null. */
export const isCut = ({ text_bytes }: TaskOutline): boolean => text_bytes > LONG_TEXT_BYTES;

const unlessLong = <T extends 'notes' | 'recurrence'>(column: T) =>
  sql<string | null>`case when ${textBytes} <= ${sql.lit(LONG_TEXT_BYTES)} then ${sql.ref(column)} end`.as(column);
const SHORT = SHOWN.filter((column) => column !== 'notes' && column !== 'recurrence');
const OUTLINE = [...SHORT, unlessLong('notes'), unlessLong('recurrence'), textBytes.as('text_bytes')] as const;

export const findShownTask = pointRead((db, id: string) =>
  db.selectFrom('tasks').select(SHOWN).select(ownerPlanVersion).where('id', '=', id),
);

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

/** `replanned` is used by the status `overdue` only. */
export type ListQuery = TaskQuery & { readonly replanned: readonly ReplannedOwner[] };

/** The list that clients read most. */
export const isOwnList = ({ of, status }: ListQuery): boolean => 'ownerId' in of && status === undefined;

/** Ordered by list position: open tasks by due date or snooze, then undated open tasks, then closed ones. */
export async function listOutlines(db: Db, query: ListQuery & { readonly limit: number }): Promise<TaskOutline[]> {
  const { of, status, limit, after = START } = query;
  if ('ownerId' in of && status === undefined) return ownTasks(db, of.ownerId, after.rank, after.key, after.id, limit);
  return listed(db, query).select(OUTLINE).select(ownerPlanVersion).execute();
}

/** Before the first task of every list. */
const START: TaskCursor = { rank: -1, key: 0, id: '00000000-0000-0000-0000-000000000000' };

/** All tasks in a list of one's own have the same owner, so the plan version is read once instead of per row. */
const ownTasks = prepared((db, ownerId: string, rank: number, key: number, id: string, limit: number) =>
  ownListed(db, ownerId, { rank, key, id }, limit)
    .select(OUTLINE)
    .select(sql<number>`(select plan_version from users where users.id = ${ownerId})`.as('owner_plan_version')),
);

const ownListed = (db: Db, ownerId: string, after: TaskCursor, limit: number) =>
  listed(db, { of: { ownerId }, after, limit, status: undefined, now: new Date(0), replanned: [] });

export type TaskPosition = Pick<Task, 'id' | 'list_rank' | 'list_key'>;

/** For a page of limited size: the ids, and where the page ends. */
export async function listTaskPositions(db: Db, query: ListQuery): Promise<TaskPosition[]> {
  return listed(db, query).select(['id', 'list_rank', 'list_key']).execute();
}

const IDS_PER_TURN = 1_000;

/**
 * Lists the ids of all tasks of the owner in parts, and waits for a turn between them. If there are 50,000, one
 * statement would block the event loop for 10 ms on SQLite, and a core for 50 ms on PostgreSQL. A task that moves
 * within the list meanwhile may be missing, or appear twice: this is for callers that read changed tasks again.
 */
export async function listOwnIdsInTurns(db: Db, ownerId: string): Promise<string[]> {
  const ids: string[] = [];
  for (let after = START; ; ) {
    const part = await ownPositions(db, ownerId, after.rank, after.key, after.id, IDS_PER_TURN);
    for (const { id } of part) ids.push(id);
    const last = part.at(-1);
    if (!last || part.length < IDS_PER_TURN) return ids;
    after = { rank: last.list_rank, key: last.list_key, id: last.id };
    await nextTurn();
  }
}

const ownPositions = prepared((db, ownerId: string, rank: number, key: number, id: string, limit: number) =>
  ownListed(db, ownerId, { rank, key, id }, limit).select(['id', 'list_rank', 'list_key']),
);

/** For a list without a limit: its ids at one moment, in order. Reading 50,000 takes 15 ms on SQLite. */
export async function listTaskIds(db: Db, query: ListQuery): Promise<string[]> {
  return selectIds(db, listed(db, query).select('id'));
}

/** Reads the tasks that the viewer still sees, in the order of the ids. */
export async function listOutlinesById(db: Db, viewer: Caller, ids: readonly string[]): Promise<TaskOutline[]> {
  const rows = await outlinesById[viewer.kind](db, viewer.userId, idsParameter(db, ids), ids.length);
  return inOrderOf(ids, rows);
}

const outlinesById = {
  session: prepared((db, userId: string, ids: unknown, count: number) =>
    visibleOutlines(db, { kind: 'session', userId }, ids, count),
  ),
  token: prepared((db, userId: string, ids: unknown, count: number) =>
    visibleOutlines(db, { kind: 'token', userId }, ids, count),
  ),
};

/** The same with their texts. */
export async function listShownTasksById(db: Db, viewer: Caller, ids: readonly string[]): Promise<StoredShownTask[]> {
  const rows = await visibleById(db, viewer, idsParameter(db, ids), ids.length).select(SHOWN).execute();
  return inOrderOf(ids, rows);
}

/** The same with all columns. */
export async function listTasksById(db: Db, viewer: Caller, ids: readonly string[]): Promise<StoredTask[]> {
  const rows = await visibleById(db, viewer, idsParameter(db, ids), ids.length).selectAll().execute();
  return inOrderOf(ids, rows);
}

/**
 * The limit keeps the databases from merging the two conditions, because SQLite would then read all tasks of the
 * viewer for every page.
 */
const visibleById = (db: Db, viewer: Viewer, ids: unknown, count: number) =>
  db
    .selectFrom((eb) =>
      eb
        .selectFrom('tasks')
        .selectAll()
        .where('id', ...amongParameter(db, ids))
        .limit(count)
        .as('tasks'),
    )
    .select(ownerPlanVersion)
    .where((eb) => isVisibleTo(eb, viewer));

/** The same. The inner query leaves the long texts out, because SQLite reads all columns that it selects. */
const visibleOutlines = (db: Db, viewer: Viewer, ids: unknown, count: number) =>
  db
    .selectFrom((eb) =>
      eb
        .selectFrom('tasks')
        .select(OUTLINE)
        .where('id', ...amongParameter(db, ids))
        .limit(count)
        .as('tasks'),
    )
    .selectAll()
    .select(ownerPlanVersion)
    .where((eb) => isVisibleTo(eb as unknown as ExpressionBuilder<Database, 'tasks'>, viewer));

function inOrderOf<T extends { readonly id: string }>(ids: readonly string[], rows: readonly T[]): T[] {
  const found = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => found.get(id) ?? []);
}

/** Owners with a running replan: the owner of the list, or all owners of tasks that the caller assigned. */
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
  else if ('assignerId' in of) {
    const viewer = { kind: 'session', userId: of.assignerId } as const;
    query = query.where('assigner_id', '=', of.assignerId).where((eb) => isVisibleTo(eb, viewer));
  } else query = query.where('space_id', '=', of.spaceId).where((eb) => isVisibleTo(eb, of.viewer));
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
