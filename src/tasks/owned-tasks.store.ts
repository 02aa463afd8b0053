import type { Kysely } from 'kysely';
import type { Database } from '../db/schema.ts';

/** Any of them. An engine that has some in hand writes its part first. */
export async function lockSomeTasks(trx: Kysely<Database>, ownerId: string, most: number): Promise<string[]> {
  const rows = await trx
    .selectFrom('tasks')
    .select('id')
    .where('owner_id', '=', ownerId)
    .limit(most)
    .forUpdate()
    .execute();
  return rows.map(({ id }) => id);
}

/** Outcomes and cards on lock screens go with them, by the tables' own references. */
export async function deleteTasks(trx: Kysely<Database>, ids: readonly string[]): Promise<void> {
  await trx.deleteFrom('tasks').where('id', 'in', ids).execute();
}
