import type { Insertable, Kysely } from 'kysely';
import type { Database } from '../db/schema.ts';

/** Whether the task is the caller's own; it is locked, so that acknowledgements of one task come one after another. */
export async function lockOwnTask(trx: Kysely<Database>, ownerId: string, taskId: string): Promise<boolean> {
  const task = await trx
    .selectFrom('tasks')
    .select('id')
    .where('id', '=', taskId)
    .where('owner_id', '=', ownerId)
    .forUpdate()
    .executeTakeFirst();
  return task !== undefined;
}

export async function isAcknowledged(trx: Kysely<Database>, taskId: string, stage: number): Promise<boolean> {
  const row = await trx
    .selectFrom('deliveries')
    .select('entry_id')
    .where('task_id', '=', taskId)
    .where('stage', '=', stage)
    .where('acked_at', 'is not', null)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Of the newest nudge, what reached a device rather than what did not. */
export async function findNewestDelivery(trx: Kysely<Database>, taskId: string, stage: number) {
  return trx
    .selectFrom('deliveries')
    .leftJoin('timeline', 'timeline.id', 'deliveries.entry_id')
    .select(['deliveries.entry_id', 'deliveries.target_id', 'timeline.occurrence_due_at'])
    .where('deliveries.task_id', '=', taskId)
    .where('deliveries.stage', '=', stage)
    .where('deliveries.kind', '=', 'nudge')
    .orderBy('deliveries.entry_id', 'desc')
    .orderBy((eb) => eb.case().when('deliveries.status', '=', 'sent').then(0).else(1).end())
    .orderBy('deliveries.target_id')
    .limit(1)
    .executeTakeFirst();
}

export async function acknowledge(
  trx: Kysely<Database>,
  { entry_id, target_id }: { readonly entry_id: string; readonly target_id: string },
  at: Date,
): Promise<void> {
  await trx
    .updateTable('deliveries')
    .set({ acked_at: at })
    .where('entry_id', '=', entry_id)
    .where('target_id', '=', target_id)
    .where('kind', '=', 'nudge')
    .execute();
}

export async function insertAcknowledgement(
  trx: Kysely<Database>,
  entry: Insertable<Database['timeline']>,
): Promise<void> {
  await trx.insertInto('timeline').values(entry).execute();
}
