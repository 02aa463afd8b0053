import type { Insertable } from 'kysely';
import type { Database, Db } from '../db/schema.ts';
import { DEVICE_PROVIDERS } from '../push/gateway.ts';
import { newestNudge } from './newest-nudge.sql.ts';

/** Returns whether the task is the caller's own. The lock serialises the acknowledgements of one task. */
export async function lockOwnTask(trx: Db, ownerId: string, taskId: string): Promise<boolean> {
  const task = await trx
    .selectFrom('tasks')
    .select('id')
    .where('id', '=', taskId)
    .where('owner_id', '=', ownerId)
    .forUpdate()
    .executeTakeFirst();
  return task !== undefined;
}

export async function isAcknowledged(trx: Db, ownerId: string, taskId: string, stage: number): Promise<boolean> {
  const row = await trx
    .selectFrom('deliveries')
    .select('entry_id')
    .where('task_id', '=', taskId)
    .where('recipient_id', '=', ownerId)
    .where('stage', '=', stage)
    .where('acked_at', 'is not', null)
    .where('provider', 'in', DEVICE_PROVIDERS)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** A delivery of the newest nudge; one that reached a device is preferred. */
export async function findNewestDelivery(trx: Db, ownerId: string, taskId: string, stage: number) {
  return trx
    .selectFrom('deliveries')
    .leftJoin('timeline', 'timeline.id', 'deliveries.entry_id')
    .select([
      'deliveries.entry_id',
      'deliveries.target_id',
      'deliveries.task_id',
      'deliveries.tier',
      'deliveries.recipient_id',
    ])
    .select(['deliveries.run', 'deliveries.nudge', 'timeline.occurrence_due_at'])
    .where('deliveries.task_id', '=', taskId)
    .where('deliveries.recipient_id', '=', ownerId)
    .where('deliveries.stage', '=', stage)
    .where('deliveries.kind', '=', 'nudge')
    .where('deliveries.provider', 'in', DEVICE_PROVIDERS)
    .orderBy('deliveries.entry_id', 'desc')
    .orderBy((eb) => eb.case().when('deliveries.status', '=', 'sent').then(0).else(1).end())
    .orderBy('deliveries.target_id')
    .limit(1)
    .executeTakeFirst();
}

export async function setAnswered(
  trx: Db,
  { entry_id, target_id }: { readonly entry_id: string; readonly target_id: string },
  column: 'acked_at' | 'confirmed_at',
  at: Date,
): Promise<void> {
  await trx
    .updateTable('deliveries')
    .set({ [column]: at, answered_nudge: newestNudge })
    .where('entry_id', '=', entry_id)
    .where('target_id', '=', target_id)
    .where('kind', '=', 'nudge')
    .execute();
}

export async function insertTimelineEntry(trx: Db, entry: Insertable<Database['timeline']>): Promise<void> {
  await trx.insertInto('timeline').values(entry).execute();
}
