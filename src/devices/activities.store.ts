import type { Insertable, Kysely, Selectable } from 'kysely';
import type { Database } from '../db/schema.ts';

export type Activity = Selectable<Database['live_activities']>;

export async function findByTokenHash(trx: Kysely<Database>, tokenHash: string): Promise<Activity | undefined> {
  return trx.selectFrom('live_activities').selectAll().where('token_hash', '=', tokenHash).executeTakeFirst();
}

/** A card that was asked for and has not reported its token yet: the longest waiting one. */
export async function findUnnamed(trx: Kysely<Database>, taskId: string): Promise<Activity | undefined> {
  return trx
    .selectFrom('live_activities')
    .selectAll()
    .where('task_id', '=', taskId)
    .where('token', 'is', null)
    .where('ended_at', 'is', null)
    .orderBy('started_at')
    .limit(1)
    .forUpdate()
    .executeTakeFirst();
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

export async function deleteActivity(trx: Kysely<Database>, id: string): Promise<void> {
  await trx.deleteFrom('live_activities').where('id', '=', id).execute();
}

/** The world that the owner's newest phone lives in: an activity's own token does not say. */
export async function findPushEnv(trx: Kysely<Database>, userId: string): Promise<Activity['push_env'] | undefined> {
  const row = await trx
    .selectFrom('devices')
    .select('push_env')
    .where('user_id', '=', userId)
    .where('platform', '=', 'ios')
    .orderBy('registered_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.push_env;
}

/** Ends a card at once. */
export async function insertEnd(
  trx: Kysely<Database>,
  { entryId, activityId, taskId }: { readonly entryId: string; readonly activityId: string; readonly taskId: string },
  now: Date,
): Promise<void> {
  await trx.updateTable('live_activities').set({ ended_at: now }).where('id', '=', activityId).execute();
  await trx
    .insertInto('deliveries')
    .values({
      ...{ entry_id: entryId, target_id: activityId, kind: 'activity_end', task_id: taskId, provider: 'apns' },
      ...{ stage: 0, status: 'pending', attempts: 0, next_attempt_at: now, created_at: now },
    })
    .execute();
}
