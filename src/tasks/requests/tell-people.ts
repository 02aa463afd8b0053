/**
 * Stores which messages about requests a change of a task causes, in the transaction of the change. The engine sends
 * them. Each function returns whether there is something for the engine to do.
 */
import type { Db } from '../../db/schema.ts';
import { newId } from '../../lib/ids.ts';
import type { Action, Task } from '../task-state.ts';
import type { Relation } from '../visibility.ts';
import { countAsked, insertRequestMessage, settleQuestions, settleWaitingNews } from './request-messages.store.ts';
import { findNews, isTold, MOST_REPEATS } from './request-messages.ts';

type Request = Pick<Task, 'id' | 'status' | 'accepted_by_owner' | 'assigner_id' | 'owner_id' | 'space_id'>;

export async function tellOfNewTask(trx: Db, task: Request, now: Date): Promise<boolean> {
  if (!isTold(task)) return false;
  await ask(trx, task, 0, now);
  return true;
}

export async function tellOfChange(
  trx: Db,
  before: Request,
  after: Request,
  { action, by }: { readonly action: Action['name'] | 'edit'; readonly by: Relation },
  now: Date,
): Promise<boolean> {
  const { id, assigner_id, owner_id } = after;
  const [wasTold, isAsked] = [isTold(before), isTold(after)];
  if (wasTold && !isAsked) await settleQuestions(trx, id, now);
  if (!wasTold && isAsked) {
    // Taking back a request and asking again repeats no message of the day, and adds none.
    const repeat = await countAsked(trx, id, owner_id);
    if (repeat <= MOST_REPEATS) await ask(trx, after, repeat, now);
  }
  const news = findNews(after, action, by);
  if (before.assigner_id !== null && (news !== undefined || action === 'reopen')) await settleWaitingNews(trx, id, now);
  if (news !== undefined && assigner_id !== null) {
    const message = { task_id: id, recipient_id: assigner_id, other_id: owner_id, kind: news, repeat: 0 };
    await insertRequestMessage(trx, { id: newId(), ...message, due_at: now, created_at: now });
  }
  return wasTold !== isAsked || news !== undefined;
}

async function ask(trx: Db, { id, assigner_id, owner_id }: Request, repeat: number, now: Date): Promise<void> {
  if (assigner_id === null) return;
  const message = { task_id: id, recipient_id: owner_id, other_id: assigner_id, kind: 'asked' as const, repeat };
  await insertRequestMessage(trx, { id: newId(), ...message, due_at: now, created_at: now });
}
