import { type Insertable, type Kysely, type Selectable, type SelectQueryBuilder, sql, type Updateable } from 'kysely';
import { rowsOf } from '../db/rows.ts';
import type { Database } from '../db/schema.ts';
import type { Caller } from '../lib/caller.ts';
import { isVisibleTo } from '../spaces/visibility.ts';

type Task = Selectable<Database['tasks']>;
export type Owner = Pick<
  Selectable<Database['users']>,
  | 'id'
  | 'timezone'
  | 'quiet_hours_start'
  | 'quiet_hours_end'
  | 'day_start'
  | 'pause_from'
  | 'pause_until'
  | 'keep_must_not_miss'
>;

/** Stamped by the database's own clock, so that sync misses nothing that commits later. */
const changedNow = sql<Date>`crescendo_now()`;

const ownerColumns = [
  ...(['id', 'timezone', 'quiet_hours_start', 'quiet_hours_end', 'day_start'] as const),
  ...(['pause_from', 'pause_until', 'keep_must_not_miss'] as const),
];

export async function findOwner(db: Kysely<Database>, id: string): Promise<Owner | undefined> {
  return db.selectFrom('users').select(ownerColumns).where('id', '=', id).executeTakeFirst();
}

/**
 * The settings that a task is planned by. Nobody changes them until the transaction is over: a task
 * planned by settings that have just changed would wake at the wrong moment for ever. Always taken
 * before the task's own lock.
 */
export async function lockOwner(trx: Kysely<Database>, id: string): Promise<Owner | undefined> {
  return trx.selectFrom('users').select(ownerColumns).where('id', '=', id).forShare().executeTakeFirst();
}

export async function findTask(db: Kysely<Database>, id: string): Promise<Task | undefined> {
  return db.selectFrom('tasks').selectAll().where('id', '=', id).executeTakeFirst();
}

export async function lockTask(trx: Kysely<Database>, id: string): Promise<Task | undefined> {
  return trx.selectFrom('tasks').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
}

export async function insertTask(
  trx: Kysely<Database>,
  task: Omit<Insertable<Database['tasks']>, 'changed_at'>,
): Promise<Task> {
  return trx
    .insertInto('tasks')
    .values({ ...task, changed_at: changedNow })
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function updateTask(
  trx: Kysely<Database>,
  id: string,
  changes: Updateable<Database['tasks']>,
): Promise<Task> {
  return trx
    .updateTable('tasks')
    .set({ ...changes, changed_at: changedNow })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

export type Moment = Pick<Task, 'id' | 'next_fire_at' | 'wanted_at' | 'overdue_at'>;

const MOST_MOMENTS = 1_000;
const MOMENT = {
  id: 'uuid',
  next_fire_at: 'timestamptz',
  wanted_at: 'timestamptz',
  overdue_at: 'timestamptz',
} as const;

/** Moves many tasks at once: a change of settings may concern thousands, and each statement is a round trip. */
export async function moveTasks(trx: Kysely<Database>, moments: readonly Moment[]): Promise<void> {
  for (let start = 0; start < moments.length; start += MOST_MOMENTS) {
    const moved = rowsOf(trx, 'moved', MOMENT, moments.slice(start, start + MOST_MOMENTS));
    await sql`
      update tasks set next_fire_at = moved.next_fire_at, wanted_at = moved.wanted_at,
        overdue_at = moved.overdue_at, changed_at = crescendo_now()
      from ${moved} where tasks.id = moved.id`.execute(trx);
  }
}

/** Locked, so that no other change of theirs gets in between. */
export async function lockOpenTasks(trx: Kysely<Database>, ownerId: string): Promise<Task[]> {
  return trx
    .selectFrom('tasks')
    .selectAll()
    .where('owner_id', '=', ownerId)
    .where('status', '=', 'open')
    .where((eb) => eb.or([eb('due_at', 'is not', null), eb('deferred_until', 'is not', null)]))
    .forUpdate()
    .execute();
}

/** The tasks in a space that a person owns or has assigned. */
export async function listSpaceTasksOf(
  trx: Kysely<Database>,
  spaceId: string,
  userId: string,
): Promise<Pick<Task, 'id' | 'owner_id'>[]> {
  return trx
    .selectFrom('tasks')
    .select(['id', 'owner_id'])
    .where('space_id', '=', spaceId)
    .where((eb) => eb.or([eb('owner_id', '=', userId), eb('assigner_id', '=', userId)]))
    .orderBy('id')
    .execute();
}

/** Requests of one person to another are counted one after another. */
export async function lockAssigner(trx: Kysely<Database>, id: string): Promise<void> {
  // Not the key: what refers to the assigner may still be written, or an account that goes meanwhile would wait for us.
  await trx.selectFrom('users').select('id').where('id', '=', id).forNoKeyUpdate().execute();
}

export async function isMember(db: Kysely<Database>, spaceId: string, userId: string): Promise<boolean> {
  const row = await db
    .selectFrom('space_members')
    .select('user_id')
    .where('space_id', '=', spaceId)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return row !== undefined;
}

/** The same, and the person does not leave until the transaction is over. */
export async function holdMembership(trx: Kysely<Database>, spaceId: string, userId: string): Promise<boolean> {
  const row = await trx
    .selectFrom('space_members')
    .select('user_id')
    .where('space_id', '=', spaceId)
    .where('user_id', '=', userId)
    .forShare()
    .executeTakeFirst();
  return row !== undefined;
}

export async function countPendingRequests(db: Kysely<Database>, assignerId: string, ownerId: string): Promise<number> {
  const { count } = await db
    .selectFrom('tasks')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('assigner_id', '=', assignerId)
    .where('owner_id', '=', ownerId)
    .where('status', '=', 'open')
    .where('accepted_by_owner', '=', false)
    .where('space_id', 'is', null)
    .executeTakeFirstOrThrow();
  return count;
}

/** Those created with the token, one count after another. */
export async function countOpenOfToken(trx: Kysely<Database>, tokenId: string): Promise<number> {
  await trx.selectFrom('access_tokens').select('id').where('id', '=', tokenId).forUpdate().execute();
  const { count } = await trx
    .selectFrom('tasks')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('created_by_token', '=', tokenId)
    .where('status', '=', 'open')
    .executeTakeFirstOrThrow();
  return count;
}

export interface Place {
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
  readonly after: Place | undefined;
  readonly limit: number | undefined;
}

/** In the order of the next moment of interest: dated, undated, closed. */
export async function listTasks(db: Kysely<Database>, { of, status, now, after, limit }: TaskQuery): Promise<Task[]> {
  let query = db.selectFrom('tasks').selectAll();
  if ('ownerId' in of) query = query.where('owner_id', '=', of.ownerId);
  else if ('assignerId' in of) query = query.where('assigner_id', '=', of.assignerId);
  else query = query.where('space_id', '=', of.spaceId).where((eb) => isVisibleTo(eb, of.viewer));
  if (status !== undefined) query = withStatus(query, status, now);
  if (after) {
    query = query.where(({ eb, refTuple, tuple }) =>
      eb(refTuple('list_rank', 'list_key', 'id'), '>', tuple(after.rank, after.key, after.id)),
    );
  }
  if (limit !== undefined) query = query.limit(limit);
  return query.orderBy('list_rank').orderBy('list_key').orderBy('id').execute();
}

type Query = SelectQueryBuilder<Database, 'tasks', Task>;

function withStatus(query: Query, status: string, now: Date): Query {
  const open = query.where('status', '=', 'open');
  switch (status) {
    case 'pending':
      return open.where('accepted_by_owner', '=', false);
    case 'overdue':
      return open.where('overdue_at', '<=', now);
    case 'snoozed':
      return open.where('deferred_until', '>', now);
    default:
      return query.where('status', '=', status);
  }
}
