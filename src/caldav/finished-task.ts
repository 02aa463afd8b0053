/**
 * A task that was done before it came here, such as the copy of an occurrence that some apps make. It is stored like an
 * imported one: it counts as done nowhere, and nobody is ever nudged about it.
 */
import type { Db } from '../db/schema.ts';
import { transact } from '../db/transact.ts';
import type { TokenCaller } from '../lib/caller.ts';
import { newId } from '../lib/ids.ts';
import { newTask } from '../tasks/new-task.ts';
import { deriveFields } from '../tasks/plan-task.ts';
import type { TaskImportService } from '../tasks/task-import.service.ts';
import type { TaskCreation } from '../tasks/task-input.ts';
import type { Alongside } from '../tasks/tasks.service.ts';
import type { ReadEntry } from './todo-reader.ts';

type Imports = Pick<TaskImportService, 'getAccount' | 'storePage'>;

/** `alongside` stores what was sent, in the same transaction. */
export async function storeFinished(
  db: Db,
  imports: Imports,
  caller: TokenCaller,
  input: TaskCreation,
  { fields }: ReadEntry,
  now: Date,
  alongside: Alongside,
): Promise<void> {
  const { owner } = await imports.getAccount(caller.userId);
  const open = newTask(owner, caller, { ...input, recurrence: null }, now);
  const done = { ...open, status: 'done', completed_at: fields.completedAt ?? now, closed_at: now };
  const task = { ...done, ...deriveFields(done, owner, now) };
  const record = { origin: newId(), task, outcomes: [] };
  await transact(db, async (trx) => {
    const stored = await imports.storePage(trx, caller.userId, owner, [record]);
    if (!stored) throw new Error('The account has changed its time zone in the meantime.');
    await alongside(trx, task);
  });
}
