/** What the end of a run means for the stand-ins whom it had reached, in the transaction of the change. */
import type { Selectable } from 'kysely';
import type { Database, Db } from '../../db/schema.ts';
import { newId } from '../../lib/ids.ts';
import { insertRequestMessage } from '../requests/request-messages.store.ts';
import type { Action, Task } from '../task-state.ts';
import { forgetRun, settleRun } from './reached-tasks.store.ts';

type Reached = Selectable<Database['stand_in_tasks']>;

/** The actions that settle an occurrence. Any other end of a run, such as a snooze, only takes the messages back. */
const SETTLING: Readonly<Partial<Record<Action['name'] | 'edit', string>>> = {
  complete: 'done',
  skip: 'skipped',
  drop: 'dropped',
};

interface RunEnd {
  readonly action: Action['name'] | 'edit';
  /** The person who ended the run. */
  readonly by: string;
  readonly now: Date;
}

/**
 * The run of a task has ended. Everybody whom it had reached, and its owner, is told who settled it, except that person.
 * Returns whether there is a message for the engine to send.
 */
export async function settleReached(
  trx: Db,
  task: Pick<Task, 'id' | 'owner_id' | 'run'>,
  reached: readonly Pick<Reached, 'person_id' | 'run' | 'settled_at'>[],
  { action, by, now }: RunEnd,
): Promise<boolean> {
  if (reached.length === 0) return false;
  const how = SETTLING[action];
  const present = reached.filter(({ run, settled_at }) => run === task.run && settled_at === null);
  if (how === undefined || present.length === 0) {
    await forgetRun(trx, task.id, now);
    return false;
  }
  await settleRun(trx, task.id, task.run, { now, by, how });
  const told = [task.owner_id, ...present.map(({ person_id }) => person_id)].filter((id) => id !== by);
  if (how !== 'done') return false;
  for (const recipient_id of told) {
    const message = { task_id: task.id, recipient_id, other_id: by, kind: 'stand_in_done' as const, repeat: 0 };
    await insertRequestMessage(trx, { id: newId(), ...message, due_at: now, created_at: now });
  }
  return told.length > 0;
}
