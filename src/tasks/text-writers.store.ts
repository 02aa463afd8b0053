/** Who last wrote the title, the notes and the kind of a task. */
import { sendLater } from '../db/batch.ts';
import { preparedQuery } from '../db/prepared.ts';
import { among } from '../db/rows.ts';
import type { Db } from '../db/schema.ts';
import type { TaskCaller } from '../lib/caller.ts';
import type { Task } from './task-state.ts';

export type TextField = 'title' | 'notes' | 'kind';
type Texts = Pick<Task, TextField>;

const NO_TEXT: Texts = { title: '', notes: null, kind: 'todo' };

/** Stores the caller as the writer of each text that differs from before; `before` is undefined for a new task. */
export async function recordWriters(
  trx: Db,
  before: Texts | undefined,
  after: Task,
  caller: TaskCaller,
  isRestored = false,
): Promise<void> {
  // Who wrote a text that comes back is not kept, and it must not pass as the words of the one who put it back.
  const by = isRestored ? 'unknown' : caller.userId === after.owner_id ? 'owner' : 'assigner';
  const tokenId = caller.kind === 'token' && !isRestored ? caller.tokenId : null;
  // If a text has no row, its owner wrote it, so most new tasks need no rows.
  if (!before && by === 'owner' && tokenId === null) return;
  for (const field of ['title', 'notes', 'kind'] as const) {
    if (after[field] === (before ?? NO_TEXT)[field]) continue;
    await sendLater(trx, writerStored(trx, after.id, field, by, tokenId));
  }
}

const writerStored = preparedQuery((db, task_id: string, field: string, by: string, token_id: string | null) =>
  db
    .insertInto('text_writers')
    .values({ task_id, field, by, token_id })
    .onConflict((conflict) =>
      conflict.columns(['task_id', 'field']).doUpdateSet((eb) => ({
        by: eb.ref('excluded.by'),
        token_id: eb.ref('excluded.token_id'),
      })),
    ),
);

export interface TextWriter {
  readonly by: string;
  readonly token_id: string | null;
  readonly token_name: string | null;
}

/** By task and field. Names only tokens that the owner has and that still exist. */
export async function listWriters(
  db: Db,
  ownerId: string,
  taskIds: readonly string[],
): Promise<ReadonlyMap<string, ReadonlyMap<string, TextWriter>>> {
  const rows = await db
    .selectFrom('text_writers')
    .leftJoin('access_tokens', (join) =>
      join.onRef('access_tokens.id', '=', 'text_writers.token_id').on('access_tokens.user_id', '=', ownerId),
    )
    .select(['task_id', 'field', 'by', 'token_id', 'access_tokens.name as token_name'])
    .where('task_id', ...among(db, taskIds))
    .execute();
  const byTask = new Map<string, Map<string, TextWriter>>();
  for (const { task_id, field, ...writer } of rows) {
    const fields = byTask.get(task_id) ?? new Map<string, TextWriter>();
    byTask.set(task_id, fields.set(field, writer));
  }
  return byTask;
}
