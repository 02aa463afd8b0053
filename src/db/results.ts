/** What stores ask of a statement instead of its rows. */
import { type DeleteResult, type SelectQueryBuilder, sql, type UpdateResult } from 'kysely';
import type { Database } from './schema.ts';

interface Statement<T> {
  executeTakeFirst(): Promise<T>;
}

/** Whether the statement changed or deleted a row. If several callers delete the same row, it is true for one of them. */
export async function changesAny(statement: Statement<UpdateResult | DeleteResult>): Promise<boolean> {
  const result = await statement.executeTakeFirst();
  return ('numDeletedRows' in result ? result.numDeletedRows : result.numUpdatedRows) > 0n;
}

/** Whether the statement returns a row. */
export async function returnsAny(statement: Statement<unknown>): Promise<boolean> {
  return (await statement.executeTakeFirst()) !== undefined;
}

export async function countRows<T extends keyof Database>(
  rows: SelectQueryBuilder<Database, T, object>,
): Promise<number> {
  const { count } = await rows.select(sql<number>`count(*)`.as('count')).executeTakeFirstOrThrow();
  return Number(count);
}
