/**
 * Sends queued actions to the service, one at a time, in the order they were made. Pages and the
 * service worker share this file; a lock lets only one of them send at a time. Over plain http browsers
 * offer neither locks nor workers: two pages may then send the same action, and its key makes that harmless.
 *
 * An action stays stored until the service has given a final answer. After a temporary problem (no
 * network, a busy service, a browser that cannot store the answer) it is sent again; an action that the service refuses is stored as a
 * refusal and shown to the user.
 */
import { call } from '../api/call.ts';
import { offlineProblem, Problem } from '../api/problem.ts';
import { localDatabase } from './local-database.ts';
import { type QueuedAction, type RefusedAction, requestFor, sendableOf } from './queued-action.ts';
import { findTaskId, isNoAnswer, listActions, type SentAction, storeRefusal, toProblem } from './stored-actions.ts';

/** The released name of the lock: pages and workers of other versions of the app take the same lock. */
const LOCK = 'deeds';

export interface ReplayResult {
  readonly refused: readonly RefusedAction[];
  /** The problem that stopped the replay early, if there was one. */
  readonly stoppedBy: Problem | undefined;
}

export interface ReplayOptions {
  /** Actions with a later `notBefore` can still be undone and are not sent. */
  readonly now: number;
  /** Only the actions of this account are sent: the session cookie belongs to it. */
  readonly userId: string;
  readonly onSent?: (sent: SentAction) => void;
}

export async function replay(options: ReplayOptions): Promise<ReplayResult> {
  const { locks } = navigator as { locks?: LockManager };
  return locks ? await locks.request(LOCK, () => replayLocked(options)) : await replayLocked(options);
}

async function replayLocked(options: ReplayOptions): Promise<ReplayResult> {
  const refused: RefusedAction[] = [];
  try {
    while (await sendNext(options, refused));
    return { refused, stoppedBy: undefined };
  } catch (error) {
    return { refused, stoppedBy: toProblem(error) };
  }
}

/** Returns false if nothing is left to send. Throws what would stop the other actions, too. */
async function sendNext({ now, userId, onSent }: ReplayOptions, refused: RefusedAction[]): Promise<boolean> {
  const [action] = sendableOf(await listActions(), userId, now);
  if (!action) return false;
  try {
    if (action.batch !== undefined) await sendTogether(action, now, refused, onSent);
    else {
      const task = await send(action);
      onSent?.({ action, task });
    }
  } catch (error) {
    const problem = toProblem(error);
    // A missing session is not a refusal: the same user may sign in again.
    if (isNoAnswer(problem)) throw problem;
    refused.push(await storeRefusal(action, problem));
  }
  return true;
}

/** What sends bulk changes is loaded when it is needed. */
async function sendTogether(
  action: QueuedAction,
  now: number,
  refused: RefusedAction[],
  onSent: ReplayOptions['onSent'],
): Promise<void> {
  const { sendBatch } = await import('./send-batch.ts').catch(() => {
    throw offlineProblem();
  });
  await sendBatch(action, now, refused, onSent);
}

async function send(action: QueuedAction): Promise<{ id: string }> {
  const taskId = action.kind === 'create' ? action.taskId : await findTaskId(action.taskId);
  const { method, path } = requestFor({ ...action, taskId });
  const answer = await call<{ id: string }>(method, path, action.body, { 'Idempotency-Key': action.key }).catch(
    (error) => {
      // It was carried out, and the service has lost its answer. Only a new task needs the answer, for its id.
      if (error instanceof Problem && error.code === 'idempotency_key_spent' && action.kind !== 'create')
        return { id: taskId };
      throw error;
    },
  );
  // The answer to the choice of a ladder is the ladder.
  const task = action.kind === 'ladder' ? { id: taskId } : answer;
  // Stored before the action is removed: later actions on the task need the service's id.
  if (action.kind === 'create') await localDatabase.put('taskIds', action.taskId, task.id);
  await localDatabase.remove('actions', action.key);
  return task;
}
