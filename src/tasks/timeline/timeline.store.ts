import { type Insertable, type Selectable, sql } from 'kysely';
import { sendLater } from '../../db/batch.ts';
import { preparedInsert, preparedQuery } from '../../db/prepared.ts';
import type { Database, Db } from '../../db/schema.ts';
import { DUE_NOW } from '../../lib/clock.ts';
import { providerOf } from '../../push/gateway.ts';

export type Entry = Selectable<Database['timeline']>;
type NewEntry = Insertable<Database['timeline']>;
export type Delivery = Selectable<Database['deliveries']>;

const entryInserted = preparedInsert('timeline');

export async function insertEntries(trx: Db, entries: readonly NewEntry[]): Promise<void> {
  for (const entry of entries) await sendLater(trx, entryInserted(trx, entry));
}

/** The kinds of deliveries that end with the run. Messages about a request have an end of their own. */
const NUDGING = ['nudge', 'activity_start', 'activity_update'] as const;

/** Cancels the task's pending deliveries, because it was closed, snoozed or rescheduled. */
export async function cancelDeliveries(trx: Db, taskId: string): Promise<void> {
  await sendLater(trx, deliveriesCancelled(trx, taskId));
}

const deliveriesCancelled = preparedQuery((db, taskId: string) =>
  db
    .updateTable('deliveries')
    .set({ status: 'cancelled', waits_for: null })
    .where('task_id', '=', taskId)
    .where('status', '=', sql.lit('pending'))
    .where('kind', 'in', NUDGING),
);

type RunningActivity = Pick<Selectable<Database['live_activities']>, 'id' | 'token' | 'push_env'>;

/** The task as it was before its run ended. */
type EndedRun = Pick<Selectable<Database['tasks']>, 'id' | 'owner_id' | 'run' | 'nudge_count'>;

/** Takes back what the run has shown. It is sent at once. */
const endingDelivery = ({ id, owner_id, run, nudge_count }: EndedRun, entryId: string, now: Date) => ({
  entry_id: entryId,
  task_id: id,
  recipient_id: owner_id,
  run,
  nudge: nudge_count,
  stage: 0,
  status: 'pending' as const,
  waits_for: 'capacity' as const,
  attempts: 0,
  next_attempt_at: DUE_NOW,
  created_at: now,
});

/** Ends the task's Live Activities. Returns whether a push must be sent to end one on a device. */
export async function endActivities(
  trx: Db,
  task: EndedRun,
  activities: readonly RunningActivity[],
  entryId: string,
  now: Date,
): Promise<boolean> {
  if (activities.length === 0) return false;
  const ids = activities.map(({ id }) => id);
  await sendLater(trx, trx.updateTable('live_activities').set({ ended_at: now }).where('id', 'in', ids));
  const ending = endingDelivery(task, entryId, now);
  const deliveries = activities
    .filter(({ token }) => token !== null)
    .map(({ id, push_env }) => ({
      ...ending,
      target_id: id,
      kind: 'activity_end' as const,
      provider: providerOf('ios', push_env),
    }));
  if (deliveries.length > 0) await sendLater(trx, trx.insertInto('deliveries').values(deliveries));
  return deliveries.length > 0;
}

/** Retracts the messages in channels that can do so. Returns whether there are any. */
export async function retractMessages(
  trx: Db,
  task: EndedRun,
  messages: readonly Pick<Delivery, 'target_id' | 'recipient_id' | 'provider' | 'server'>[],
  entryId: string,
  now: Date,
): Promise<boolean> {
  const ending = endingDelivery(task, entryId, now);
  const deliveries = messages.map((message) => ({ ...ending, ...message, kind: 'retract' as const }));
  if (deliveries.length > 0) await sendLater(trx, trx.insertInto('deliveries').values(deliveries));
  return deliveries.length > 0;
}

export interface EntryCursor {
  readonly at: Date;
  readonly id: string;
}

/** Newest first. */
export async function listEntries(
  db: Db,
  taskId: string,
  before: EntryCursor | undefined,
  limit: number,
  isOwner: boolean,
): Promise<Entry[]> {
  let query = db.selectFrom('timeline').selectAll().where('task_id', '=', taskId);
  // Whom the owner lets be told, and what they have seen, is for the owner.
  if (!isOwner)
    query = query.where(sql<boolean>`kind <> 'stand_in_told' and (person_id is null or kind <> 'acknowledged')`);
  if (before) {
    query = query.where(({ eb, refTuple, tuple }) => eb(refTuple('at', 'id'), '<', tuple(before.at, before.id)));
  }
  return query.orderBy('at', 'desc').orderBy('id', 'desc').limit(limit).execute();
}

export async function listDeliveries(db: Db, entryIds: readonly string[]): Promise<Delivery[]> {
  if (entryIds.length === 0) return [];
  return db
    .selectFrom('deliveries')
    .selectAll()
    .where('entry_id', 'in', entryIds)
    .where('kind', '=', 'nudge')
    .orderBy('target_id')
    .execute();
}

export type TokenLabel = Pick<Selectable<Database['access_tokens']>, 'name' | 'prefix'>;

/** Maps the ids of existing tokens to their labels. */
export async function listTokenLabels(
  db: Db,
  userId: string,
  ids: readonly string[],
): Promise<Map<string, TokenLabel>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('access_tokens')
    .select(['id', 'name', 'prefix'])
    .where('user_id', '=', userId)
    .where('id', 'in', [...new Set(ids)])
    .execute();
  return new Map(rows.map(({ id, name, prefix }) => [id, { name, prefix }]));
}

/** The names of people, by their id. */
export async function listNames(db: Db, ids: readonly string[]): Promise<Map<string, string | null>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('users')
    .select(['id', 'display_name'])
    .where('id', 'in', [...new Set(ids)])
    .where('deleted_at', 'is', null)
    .execute();
  return new Map(rows.map(({ id, display_name }) => [id, display_name]));
}

const DAY_MS = 86_400_000;

/**
 * Counts the nudges that a pause held: nudges sent since, and nudges that quiet hours still hold. Nudges from before
 * `since` were counted with the pause that ended then.
 */
export async function countHeldByPause(
  db: Db,
  ownerId: string,
  { paused_from, paused_until }: { readonly paused_from: Date; readonly paused_until: Date },
  since = new Date(0),
): Promise<number> {
  // Quiet hours may have held the nudge before the pause began, but for no longer than a day.
  const earliest = new Date(Math.max(paused_from.getTime() - DAY_MS, since.getTime()));
  const recorded = await db
    .selectFrom('timeline')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('owner_id', '=', ownerId)
    .where('kind', '=', 'held')
    .where('at', '>=', earliest)
    .where('at', '<', paused_until)
    .where('until', '>=', paused_until)
    .where('holds', 'like', '%pause%')
    .executeTakeFirstOrThrow();
  const waiting = await db
    .selectFrom('tasks')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('owner_id', '=', ownerId)
    .where(sql<boolean>`wanted_at < next_fire_at`)
    .where('wanted_at', '>=', paused_from)
    .where('wanted_at', '<', paused_until)
    .where('next_fire_at', '>=', paused_until)
    .executeTakeFirstOrThrow();
  return recorded.count + waiting.count;
}
