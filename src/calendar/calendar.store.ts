import { type Selectable, sql } from 'kysely';
import { changesAny } from '../db/results.ts';
import type { Database, Db } from '../db/schema.ts';

export type Feed = Selectable<Database['calendar_feeds']>;
type Task = Selectable<Database['tasks']>;

const FEED_COLUMNS = [
  'id',
  'title',
  'notes',
  'due_at',
  'due_written',
  'has_time',
  'series_first',
  'created_at',
  'updated_at',
] as const;
export type FeedTask = Pick<Task, (typeof FEED_COLUMNS)[number] | 'recurrence'>;

export async function findFeed(db: Db, userId: string): Promise<Feed | undefined> {
  return db.selectFrom('calendar_feeds').selectAll().where('user_id', '=', userId).executeTakeFirst();
}

/** Undefined if the owner is suspended. */
export async function findFeedByToken(db: Db, tokenHash: string): Promise<Feed | undefined> {
  return db
    .selectFrom('calendar_feeds')
    .innerJoin('users', 'users.id', 'calendar_feeds.user_id')
    .selectAll('calendar_feeds')
    .where('calendar_feeds.token_hash', '=', tokenHash)
    .where('users.suspended_at', 'is', null)
    .executeTakeFirst();
}

/** The new URL replaces the old one, which stops working. */
export async function replaceFeed(db: Db, feed: Feed): Promise<void> {
  const { user_id: _, ...fields } = feed;
  await db
    .insertInto('calendar_feeds')
    .values(feed)
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet(fields))
    .execute();
}

export async function deleteFeed(db: Db, userId: string): Promise<boolean> {
  return changesAny(db.deleteFrom('calendar_feeds').where('user_id', '=', userId));
}

/** Found by token, so a feed that was replaced in the meantime is not marked as read. */
export async function touchFeed(db: Db, tokenHash: string, now: Date): Promise<void> {
  await db.updateTable('calendar_feeds').set({ last_read_at: now }).where('token_hash', '=', tokenHash).execute();
}

export async function findZone(db: Db, userId: string): Promise<string | undefined> {
  const user = await db.selectFrom('users').select('timezone').where('id', '=', userId).executeTakeFirst();
  return user?.timezone;
}

interface FeedLimits {
  readonly overdue: number;
  readonly upcoming: number;
}

/** Changes whenever the task changes; the ETag of the feed is computed from these. */
export type FeedTaskVersion = Pick<Task, 'id' | 'changed_at' | 'updated_at'>;

/** The open, dated and accepted tasks nearest to now on either side, read from the index on `overdue_at`. */
export async function listFeedTaskVersions(
  db: Db,
  ownerId: string,
  now: Date,
  limits: FeedLimits,
): Promise<FeedTaskVersion[]> {
  const open = openTasks(db).select(['id', 'changed_at', 'updated_at']).where('owner_id', '=', ownerId);
  const overdue = await open
    .where('overdue_at', '<=', now)
    .orderBy('overdue_at', 'desc')
    .limit(limits.overdue)
    .execute();
  const upcoming = await open.where('overdue_at', '>', now).orderBy('overdue_at').limit(limits.upcoming).execute();
  return [...overdue.reverse(), ...upcoming];
}

/** In the order of the ids, without tasks that have been closed since. */
export async function listFeedTasks(db: Db, ids: readonly string[]): Promise<FeedTask[]> {
  const rows = await openTasks(db).select(FEED_COLUMNS).select(shortRule).where('id', 'in', ids).execute();
  const found = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => found.get(id) ?? []);
}

const openTasks = (db: Db) => db.selectFrom('tasks').where('status', '=', 'open').where('accepted_by_owner', '=', true);

/** A longer recurrence was stored before the API limited its length, and means nothing to a calendar. */
const LONGEST_RULE = 10_000;
const shortRule = sql<string | null>`case when length(recurrence) <= ${LONGEST_RULE} then recurrence end`.as(
  'recurrence',
);
