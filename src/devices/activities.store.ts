import { type Insertable, type Selectable, sql } from 'kysely';
import type { Database, Db } from '../db/schema.ts';
import { DUE_NOW } from '../lib/clock.ts';
import { providerOf } from '../push/gateway.ts';

export type Activity = Selectable<Database['live_activities']>;

export async function lockTaskStatus(trx: Db, taskId: string): Promise<string | undefined> {
  const task = await trx.selectFrom('tasks').select('status').where('id', '=', taskId).forUpdate().executeTakeFirst();
  return task?.status;
}

export async function findByTokenHash(trx: Db, tokenHash: string): Promise<Activity | undefined> {
  return trx
    .selectFrom('live_activities')
    .selectAll()
    .where('token_hash', '=', tokenHash)
    .forUpdate()
    .executeTakeFirst();
}

/**
 * An activity started after `since` that has not reported its token yet. Running ones come first. An
 * activity that was ended before it reported its token is still on the screen.
 */
export async function findWithoutToken(trx: Db, taskId: string, since: Date): Promise<Activity | undefined> {
  const found = await trx
    .selectFrom('live_activities')
    .selectAll()
    .where('task_id', '=', taskId)
    .where('token', 'is', null)
    .where('started_at', '>', since)
    .orderBy('started_at')
    .execute();
  return found.find(({ ended_at }) => ended_at === null) ?? found[0];
}

/** Newest first. */
export async function listRunning(trx: Db, taskId: string): Promise<Activity[]> {
  return trx
    .selectFrom('live_activities')
    .selectAll()
    .where('task_id', '=', taskId)
    .where('ended_at', 'is', null)
    .orderBy('started_at', 'desc')
    .execute();
}

export async function listActivitiesOn(trx: Db, deviceId: string): Promise<Activity[]> {
  return trx
    .selectFrom('live_activities')
    .selectAll()
    .where('device_id', '=', deviceId)
    .where('ended_at', 'is', null)
    .execute();
}

export async function insertActivity(trx: Db, activity: Insertable<Database['live_activities']>): Promise<Activity> {
  return trx.insertInto('live_activities').values(activity).returningAll().executeTakeFirstOrThrow();
}

export async function setActivityToken(
  trx: Db,
  id: string,
  token: Pick<Activity, 'token' | 'token_hash'>,
): Promise<Activity> {
  return trx.updateTable('live_activities').set(token).where('id', '=', id).returningAll().executeTakeFirstOrThrow();
}

export async function deleteActivities(trx: Db, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await trx.deleteFrom('live_activities').where('id', 'in', ids).execute();
}

/** The owner's iOS devices, the most recently registered first. */
export async function listPhones(
  trx: Db,
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

/** What a delivery takes from its task. */
const ofTask = (trx: Db, taskId: string) => {
  const column = <C extends 'owner_id' | 'run' | 'nudge_count'>(name: C) =>
    trx.selectFrom('tasks').select(name).where('id', '=', taskId);
  return { recipient_id: column('owner_id'), run: column('run'), nudge: column('nudge_count') };
};

/** Marks the activity as ended and queues the push that removes it, unless such a push is already pending. */
export async function endActivity(trx: Db, activity: Activity, entryId: string, now: Date): Promise<void> {
  const { id, task_id, token, push_env } = activity;
  await trx.updateTable('live_activities').set({ ended_at: now }).where('id', '=', id).execute();
  const pendingEnd = await trx
    .selectFrom('deliveries')
    .select('entry_id')
    .where('task_id', '=', task_id)
    .where('status', '=', sql.lit('pending'))
    .where('kind', '=', 'activity_end')
    .where('target_id', '=', id)
    .executeTakeFirst();
  if (token === null || pendingEnd) return;
  await trx
    .insertInto('deliveries')
    .values({
      entry_id: entryId,
      target_id: id,
      kind: 'activity_end',
      task_id,
      ...ofTask(trx, task_id),
      provider: providerOf('ios', push_env),
      stage: 0,
      status: 'pending',
      waits_for: 'capacity',
      attempts: 0,
      next_attempt_at: DUE_NOW,
      created_at: now,
    })
    .execute();
}
