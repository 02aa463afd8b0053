import type { Insertable, Kysely, Selectable } from 'kysely';
import type { Database } from '../db/schema.ts';
import { AT_ONCE } from '../lib/clock.ts';
import { providerOf } from '../push/gateway.ts';

export type Activity = Selectable<Database['live_activities']>;

export async function lockTaskStatus(trx: Kysely<Database>, taskId: string): Promise<string | undefined> {
  const task = await trx.selectFrom('tasks').select('status').where('id', '=', taskId).forUpdate().executeTakeFirst();
  return task?.status;
}

export async function findByTokenHash(trx: Kysely<Database>, tokenHash: string): Promise<Activity | undefined> {
  return trx
    .selectFrom('live_activities')
    .selectAll()
    .where('token_hash', '=', tokenHash)
    .forUpdate()
    .executeTakeFirst();
}

/**
 * A card that was asked for since then and has not reported its token yet. One that runs comes first;
 * one that was ended before it could say its name is still on the screen.
 */
export async function findUnnamed(trx: Kysely<Database>, taskId: string, since: Date): Promise<Activity | undefined> {
  const unnamed = await trx
    .selectFrom('live_activities')
    .selectAll()
    .where('task_id', '=', taskId)
    .where('token', 'is', null)
    .where('started_at', '>', since)
    .orderBy('started_at')
    .execute();
  return unnamed.find(({ ended_at }) => ended_at === null) ?? unnamed[0];
}

/** Newest first. */
export async function listRunning(trx: Kysely<Database>, taskId: string): Promise<Activity[]> {
  return trx
    .selectFrom('live_activities')
    .selectAll()
    .where('task_id', '=', taskId)
    .where('ended_at', 'is', null)
    .orderBy('started_at', 'desc')
    .execute();
}

export async function listCardsOn(trx: Kysely<Database>, deviceId: string): Promise<Activity[]> {
  return trx
    .selectFrom('live_activities')
    .selectAll()
    .where('device_id', '=', deviceId)
    .where('ended_at', 'is', null)
    .execute();
}

export async function insertActivity(
  trx: Kysely<Database>,
  activity: Insertable<Database['live_activities']>,
): Promise<Activity> {
  return trx.insertInto('live_activities').values(activity).returningAll().executeTakeFirstOrThrow();
}

export async function nameActivity(
  trx: Kysely<Database>,
  id: string,
  named: Pick<Activity, 'token' | 'token_hash'>,
): Promise<Activity> {
  return trx.updateTable('live_activities').set(named).where('id', '=', id).returningAll().executeTakeFirstOrThrow();
}

export async function deleteActivities(trx: Kysely<Database>, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await trx.deleteFrom('live_activities').where('id', 'in', ids).execute();
}

/** The owner's phones, the one that was reported last first. */
export async function listPhones(
  trx: Kysely<Database>,
  userId: string,
): Promise<Pick<Selectable<Database['devices']>, 'id' | 'push_env'>[]> {
  return trx
    .selectFrom('devices')
    .select(['id', 'push_env'])
    .where('user_id', '=', userId)
    .where('platform', '=', 'ios')
    .orderBy('registered_at', 'desc')
    .execute();
}

/** Takes a card off its screen. An end that is already on its way is left to arrive. */
export async function endActivity(
  trx: Kysely<Database>,
  activity: Activity,
  entryId: string,
  now: Date,
): Promise<void> {
  const { id, task_id, token, push_env } = activity;
  await trx.updateTable('live_activities').set({ ended_at: now }).where('id', '=', id).execute();
  const onItsWay = await trx
    .selectFrom('deliveries')
    .select('entry_id')
    .where('task_id', '=', task_id)
    .where('status', '=', 'pending')
    .where('kind', '=', 'activity_end')
    .where('target_id', '=', id)
    .executeTakeFirst();
  if (token === null || onItsWay) return;
  await trx
    .insertInto('deliveries')
    .values({
      ...{ entry_id: entryId, target_id: id, kind: 'activity_end', task_id, provider: providerOf('ios', push_env) },
      ...{ stage: 0, status: 'pending', attempts: 0, next_attempt_at: AT_ONCE, created_at: now },
    })
    .execute();
}
