import { type Kysely, type Selectable, sql } from 'kysely';
import type { Database } from '../db/schema.ts';

export type Feed = Selectable<Database['calendar_feeds']>;
type Task = Selectable<Database['tasks']>;

/** What a calendar is told of a task. */
const FED = [
  ...(['id', 'title', 'notes', 'due_at', 'due_written', 'has_time', 'series_first'] as const),
  ...(['created_at', 'updated_at'] as const),
];
export type FedTask = Pick<Task, (typeof FED)[number] | 'recurrence'>;

export async function findFeed(db: Kysely<Database>, userId: string): Promise<Feed | undefined> {
  return db.selectFrom('calendar_feeds').selectAll().where('user_id', '=', userId).executeTakeFirst();
}

export async function findFeedByToken(db: Kysely<Database>, tokenHash: string): Promise<Feed | undefined> {
  return db.selectFrom('calendar_feeds').selectAll().where('token_hash', '=', tokenHash).executeTakeFirst();
}

/** The new address takes the place of the old one, which nobody can read any more. */
export async function replaceFeed(db: Kysely<Database>, feed: Feed): Promise<void> {
  const { user_id: _, ...fields } = feed;
  await db
    .insertInto('calendar_feeds')
    .values(feed)
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet(fields))
    .execute();
}

export async function deleteFeed(db: Kysely<Database>, userId: string): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('calendar_feeds').where('user_id', '=', userId).executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Only where it is still the same address: one that was replaced meanwhile has not been read. */
export async function touchFeed(db: Kysely<Database>, tokenHash: string, now: Date): Promise<void> {
  await db.updateTable('calendar_feeds').set({ last_read_at: now }).where('token_hash', '=', tokenHash).execute();
}

export async function findZone(db: Kysely<Database>, userId: string): Promise<string | undefined> {
  const user = await db.selectFrom('users').select('timezone').where('id', '=', userId).executeTakeFirst();
  return user?.timezone;
}

interface FedLimits {
  readonly overdue: number;
  readonly upcoming: number;
}

/** By what the feed is told from an earlier one. */
export type FedMark = Pick<Task, 'id' | 'changed_at' | 'updated_at'>;

/** Open, dated, accepted: the nearest on either side of now, read from the index of what is or will be overdue. */
export async function listFedMarks(
  db: Kysely<Database>,
  ownerId: string,
  now: Date,
  most: FedLimits,
): Promise<FedMark[]> {
  const open = openTasks(db).select(['id', 'changed_at', 'updated_at']).where('owner_id', '=', ownerId);
  const overdue = await open.where('overdue_at', '<=', now).orderBy('overdue_at', 'desc').limit(most.overdue).execute();
  const upcoming = await open.where('overdue_at', '>', now).orderBy('overdue_at').limit(most.upcoming).execute();
  return [...overdue.reverse(), ...upcoming];
}

/** In the order asked for; without those that were closed meanwhile. */
export async function listFedTasks(db: Kysely<Database>, ids: readonly string[]): Promise<FedTask[]> {
  const rows = await openTasks(db).select(FED).select(knownRule).where('id', 'in', ids).execute();
  const found = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => found.get(id) ?? []);
}

const openTasks = (db: Kysely<Database>) =>
  db.selectFrom('tasks').where('status', '=', 'open').where('accepted_by_owner', '=', true);

/** What is longer than any rule of ours is free-form, up to a megabyte, and tells a calendar nothing. */
const LONGEST_RULE = 10_000;
const knownRule = sql<string | null>`case when length(recurrence) <= ${LONGEST_RULE} then recurrence end`.as(
  'recurrence',
);
