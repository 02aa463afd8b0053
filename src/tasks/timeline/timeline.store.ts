import { type Insertable, type Selectable, sql } from 'kysely';
import type { Database, Db } from '../../db/schema.ts';
import { DUE_NOW } from '../../lib/clock.ts';
import { providerOf } from '../../push/gateway.ts';

export type Entry = Selectable<Database['timeline']>;
type NewEntry = Insertable<Database['timeline']>;
export type Delivery = Selectable<Database['deliveries']>;

export async function insertEntries(trx: Db, entries: readonly NewEntry[]): Promise<void> {
  if (entries.length > 0) await trx.insertInto('timeline').values(entries).execute();
}

/** Cancels the task's pending deliveries, because it was closed, snoozed or rescheduled. */
export async function cancelDeliveries(trx: Db, taskId: string): Promise<void> {
  await trx
    .updateTable('deliveries')
    .set({ status: 'cancelled' })
    .where('task_id', '=', taskId)
    .where('status', '=', 'pending')
    .where('kind', 'not in', ['activity_end', 'retract'])
    .execute();
}

/** Ends the task's Live Activities. Returns whether a push must be sent to end one on a device. */
export async function endActivities(
  trx: Db,
  { id: taskId, owner_id }: { readonly id: string; readonly owner_id: string },
  entryId: string,
  now: Date,
): Promise<boolean> {
  const ended = await trx
    .updateTable('live_activities')
    .set({ ended_at: now })
    .where('task_id', '=', taskId)
    .where('ended_at', 'is', null)
    .returning(['id', 'token', 'push_env'])
    .execute();
  const deliveries = ended
    .filter(({ token }) => token !== null)
    .map(({ id, push_env }) => ({
      entry_id: entryId,
      target_id: id,
      kind: 'activity_end' as const,
      task_id: taskId,
      owner_id,
      provider: providerOf('ios', push_env),
      stage: 0,
      status: 'pending' as const,
      attempts: 0,
      next_attempt_at: DUE_NOW,
      created_at: now,
    }));
  if (deliveries.length > 0) await trx.insertInto('deliveries').values(deliveries).execute();
  return deliveries.length > 0;
}

/** Takes back the messages in channels that can do that. Returns whether there are any. */
export async function retractMessages(
  trx: Db,
  { id: taskId, owner_id }: { readonly id: string; readonly owner_id: string },
  entryId: string,
  now: Date,
): Promise<boolean> {
  const shown = await trx
    .selectFrom('deliveries')
    .select(['target_id', 'provider'])
    .where('task_id', '=', taskId)
    .where('kind', '=', 'nudge')
    .where('ref', 'is not', null)
    .groupBy(['target_id', 'provider'])
    .execute();
  const deliveries = shown.map(({ target_id, provider }) => ({
    entry_id: entryId,
    target_id,
    kind: 'retract' as const,
    task_id: taskId,
    owner_id,
    provider,
    stage: 0,
    status: 'pending' as const,
    attempts: 0,
    next_attempt_at: DUE_NOW,
    created_at: now,
  }));
  if (deliveries.length > 0) await trx.insertInto('deliveries').values(deliveries).execute();
  return deliveries.length > 0;
}

/** What the forecast needs of the owner's targets: the tiers of usable channels, and whether there is a valid device. */
export async function listReach(db: Db, userId: string) {
  const channels = await db
    .selectFrom('channels')
    .select(['provider', 'tier', 'stages'])
    .where('user_id', '=', userId)
    .where('valid', '=', true)
    .where('verified_at', 'is not', null)
    .where('automatic', '=', false)
    .orderBy('tier')
    .execute();
  const device = await db
    .selectFrom('devices')
    .select('id')
    .where('user_id', '=', userId)
    .where('valid', '=', true)
    .limit(1)
    .executeTakeFirst();
  const owner = await db.selectFrom('users').select('fallback_minutes').where('id', '=', userId).executeTakeFirst();
  return { channels, hasDevice: device !== undefined, fallbackMinutes: owner?.fallback_minutes ?? 0 };
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
): Promise<Entry[]> {
  let query = db.selectFrom('timeline').selectAll().where('task_id', '=', taskId);
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

const DAY_MS = 86_400_000;

/** Counts the nudges that a pause held: those sent since, and those that quiet hours still hold. */
export async function countHeldByPause(
  db: Db,
  ownerId: string,
  { paused_from, paused_until }: { readonly paused_from: Date; readonly paused_until: Date },
): Promise<number> {
  // Quiet hours may have held the nudge before the pause began, but for no longer than a day.
  const earliest = new Date(paused_from.getTime() - DAY_MS);
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
