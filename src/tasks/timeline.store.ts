import { type Insertable, type Kysely, type Selectable, sql } from 'kysely';
import type { Database } from '../db/schema.ts';
import { AT_ONCE } from '../lib/clock.ts';
import { providerOf } from '../push/gateway.ts';

export type Entry = Selectable<Database['timeline']>;
type NewEntry = Insertable<Database['timeline']>;
export type Delivery = Selectable<Database['deliveries']>;

export async function insertEntries(trx: Kysely<Database>, entries: readonly NewEntry[]): Promise<void> {
  if (entries.length > 0) await trx.insertInto('timeline').values(entries).execute();
}

/** What is on its way is called back: the task was dealt with, put off or planned anew. */
export async function cancelDeliveries(trx: Kysely<Database>, taskId: string): Promise<void> {
  await trx
    .updateTable('deliveries')
    .set({ status: 'cancelled' })
    .where('task_id', '=', taskId)
    .where('status', '=', 'pending')
    .where('kind', '!=', 'activity_end')
    .execute();
}

/** Takes the task's cards off the lock screens. Resolves with whether there is one to be told. */
export async function endActivities(
  trx: Kysely<Database>,
  taskId: string,
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
      ...{
        entry_id: entryId,
        target_id: id,
        kind: 'activity_end' as const,
        task_id: taskId,
        provider: providerOf('ios', push_env),
      },
      ...{ stage: 0, status: 'pending' as const, attempts: 0, next_attempt_at: AT_ONCE, created_at: now },
    }));
  if (deliveries.length > 0) await trx.insertInto('deliveries').values(deliveries).execute();
  return deliveries.length > 0;
}

export interface EntryPlace {
  readonly at: Date;
  readonly id: string;
}

/** Newest first. */
export async function listEntries(
  db: Kysely<Database>,
  taskId: string,
  before: EntryPlace | undefined,
  limit: number,
): Promise<Entry[]> {
  let query = db.selectFrom('timeline').selectAll().where('task_id', '=', taskId);
  if (before) {
    query = query.where(({ eb, refTuple, tuple }) => eb(refTuple('at', 'id'), '<', tuple(before.at, before.id)));
  }
  return query.orderBy('at', 'desc').orderBy('id', 'desc').limit(limit).execute();
}

export async function listDeliveries(db: Kysely<Database>, entryIds: readonly string[]): Promise<Delivery[]> {
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

/** By the ids of those that still exist. */
export async function listTokenLabels(
  db: Kysely<Database>,
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

/** Nudges that a pause held back: those that came after it, and those that quiet hours hold still. */
export async function countHeldByPause(
  db: Kysely<Database>,
  ownerId: string,
  { paused_from, paused_until }: { readonly paused_from: Date; readonly paused_until: Date },
): Promise<number> {
  // Quiet hours may have begun the wait before the pause took over, but no longer than a day before.
  const earliest = new Date(paused_from.getTime() - DAY_MS);
  const told = await db
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
  return told.count + waiting.count;
}

export async function deleteTimelines(trx: Kysely<Database>, taskIds: readonly string[]): Promise<void> {
  await trx.deleteFrom('deliveries').where('task_id', 'in', taskIds).execute();
  await trx.deleteFrom('timeline').where('task_id', 'in', taskIds).execute();
}

/** Everything that was told of an owner's tasks, before the tasks themselves go. */
export async function forgetTimelines(trx: Kysely<Database>, ownerId: string): Promise<void> {
  const tasks = trx.selectFrom('tasks').select('id').where('owner_id', '=', ownerId);
  // An engine that has some of them in hand writes its part first, and what it wrote is then seen here.
  await tasks.forUpdate().execute();
  await trx.deleteFrom('deliveries').where('task_id', 'in', tasks).execute();
  await trx.deleteFrom('timeline').where('task_id', 'in', tasks).execute();
}
