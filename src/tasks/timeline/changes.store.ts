/** What edits replaced, for as long as it can be put back. */
import type { Selectable } from 'kysely';
import { sendLater } from '../../db/batch.ts';
import { preparedInsert, preparedQuery } from '../../db/prepared.ts';
import type { Database, Db } from '../../db/schema.ts';

/** A change can be put back for this long. */
export const RESTORABLE_MS = 90 * 86_400_000;
/** More would let one task fill the database with replaced notes. */
const MOST_PER_TASK = 50;

export type StoredChange = Selectable<Database['task_changes']>;

const changeInserted = preparedInsert('task_changes');

const oldestDeleted = preparedQuery((db, taskId: string) =>
  db
    .deleteFrom('task_changes')
    .where('entry_id', 'in', (eb) =>
      eb
        .selectFrom('task_changes as old')
        .select('old.entry_id')
        .where('old.task_id', '=', taskId)
        .orderBy('old.entry_id', 'desc')
        .limit(MOST_PER_TASK)
        .offset(MOST_PER_TASK),
    ),
);

export async function insertChange(trx: Db, change: StoredChange): Promise<void> {
  await sendLater(trx, changeInserted(trx, change));
  await sendLater(trx, oldestDeleted(trx, change.task_id));
}

export async function findChange(
  db: Db,
  taskId: string,
  entryId: string,
  after: Date,
): Promise<StoredChange | undefined> {
  return db
    .selectFrom('task_changes')
    .selectAll()
    .where('entry_id', '=', entryId)
    .where('task_id', '=', taskId)
    .where('changed_at', '>', after)
    .executeTakeFirst();
}

/** By the id of their entry. */
export async function listChanges(
  db: Db,
  entryIds: readonly string[],
  after: Date,
): Promise<ReadonlyMap<string, StoredChange>> {
  if (entryIds.length === 0) return new Map();
  const changes = db.selectFrom('task_changes').selectAll().where('entry_id', 'in', entryIds);
  const rows = await changes.where('changed_at', '>', after).execute();
  return new Map(rows.map((row) => [row.entry_id, row]));
}
