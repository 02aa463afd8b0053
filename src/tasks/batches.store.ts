import { sql } from 'kysely';
import type { Db } from '../db/schema.ts';

/** The tasks that the bulk change closed, in the order in which it did. */
export async function listBatchTasks(db: Db, batchId: string, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('timeline')
    .select(['task_id', 'id'])
    .where('batch_id', '=', batchId)
    .where('kind', 'in', ['done', 'skipped', 'dropped'])
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(({ task_id }) => task_id);
}

/** A bulk change that closed tasks of this account. */
export interface ListedBatch {
  readonly batch_id: string;
  readonly as: string;
  readonly at: Date;
}

/** The newest first. */
export async function listBatches(db: Db, ownerId: string, since: Date, limit: number): Promise<ListedBatch[]> {
  const rows = await db
    .selectFrom('timeline')
    .select(['batch_id', 'kind', sql<Date>`max(at)`.as('at')])
    .where('owner_id', '=', ownerId)
    .where('batch_id', 'is not', null)
    .where('at', '>', since)
    .where('kind', 'in', ['done', 'skipped', 'dropped'])
    .groupBy(['batch_id', 'kind'])
    .orderBy('at', 'desc')
    .limit(limit)
    .execute();
  return rows.map(({ batch_id, kind, at }) => ({ batch_id: batch_id as string, as: kind, at: new Date(at) }));
}

/** The tasks of the account that taking back these bulk changes would reopen: nobody has changed them since. */
export async function listReopenable(
  db: Db,
  ownerId: string,
  batchIds: readonly string[],
): Promise<{ readonly batch_id: string | null; readonly task_id: string }[]> {
  if (batchIds.length === 0) return [];
  return db
    .selectFrom('timeline')
    .innerJoin('tasks', 'tasks.id', 'timeline.task_id')
    .select(['timeline.batch_id', 'timeline.task_id'])
    .where('timeline.batch_id', 'in', batchIds)
    .where('timeline.owner_id', '=', ownerId)
    .where('timeline.kind', 'in', ['done', 'skipped', 'dropped'])
    .where(sql<boolean>`tasks.undo like '%' || cast(timeline.batch_id as text) || '%'`)
    .orderBy('timeline.id')
    .execute();
}
