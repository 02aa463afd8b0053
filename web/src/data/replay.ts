/**
 * Sends queued actions to the service, one at a time, in the order they were made. Pages and the
 * service worker share this file; a lock lets only one of them send at a time. Over plain http browsers
 * offer neither locks nor workers: two pages may then send the same action, and its key makes that harmless.
 *
 * An action stays stored until the service has given a final answer. After a temporary problem (no
 * network, a busy service) it is sent again; an action that the service refuses is stored as a
 * refusal and shown to the user.
 */
import { call } from '../api/call.ts';
import { Problem, problemText } from '../api/problem.ts';
import { localDatabase } from './local-database.ts';
import { isLocal, type QueuedAction, type RefusedAction, requestFor } from './queued-action.ts';

/** The released name of the lock: pages and workers of other versions of the app take the same lock. */
const LOCK = 'deeds';

export interface SentAction {
  readonly action: QueuedAction;
  readonly task: { readonly id: string };
}

export interface ReplayResult {
  readonly refused: readonly RefusedAction[];
  /** The problem that stopped the replay early, if there was one. */
  readonly stoppedBy: Problem | undefined;
}

export async function listActions(): Promise<QueuedAction[]> {
  return (await localDatabase.list<QueuedAction>('actions')).sort((a, b) => a.at - b.at);
}

export const storeAction = (action: QueuedAction): Promise<unknown> => localDatabase.put('actions', action.key, action);

/** The stored form of a refusal. Other versions of the app read and write these field names. */
interface StoredRefusal {
  readonly deed: QueuedAction;
  readonly words: string;
}

export async function listRefusals(): Promise<RefusedAction[]> {
  const stored = await localDatabase.list<StoredRefusal>('refusals');
  return stored.map(({ deed, words }) => ({ action: deed, reason: words }));
}

export const forgetRefusal = ({ action }: RefusedAction): Promise<unknown> =>
  localDatabase.remove('refusals', action.key);

interface ReplayOptions {
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

async function replayLocked({ now, userId, onSent }: ReplayOptions): Promise<ReplayResult> {
  const refused: RefusedAction[] = [];
  for (let action = await findNext(now, userId); action; action = await findNext(now, userId)) {
    try {
      const task = await send(action);
      onSent?.({ action, task });
    } catch (error) {
      const problem = error instanceof Problem ? error : new Problem('unknown', problemText(error));
      // A missing session is not a refusal: the same user may sign in again.
      if (problem.isTemporary || problem.status === 401) return { refused, stoppedBy: problem };
      refused.push(await storeRefusal(action, problem));
    }
  }
  return { refused, stoppedBy: undefined };
}

/** An action that can still be undone delays only later actions on the same task. */
async function findNext(now: number, userId: string): Promise<QueuedAction | undefined> {
  const actions = await listActions();
  const waitingTasks = new Set<string>();
  return actions.find((action) => {
    if (action.userId !== userId) return false;
    if (action.notBefore > now) waitingTasks.add(action.taskId);
    return !waitingTasks.has(action.taskId);
  });
}

async function send(action: QueuedAction): Promise<{ id: string }> {
  const taskId = action.kind === 'create' ? action.taskId : await findTaskId(action.taskId);
  const { method, path } = requestFor({ ...action, taskId });
  const task = await call<{ id: string }>(method, path, action.body, { 'Idempotency-Key': action.key });
  // Stored before the action is removed: later actions on the task need the service's id.
  if (action.kind === 'create') await localDatabase.put('taskIds', action.taskId, task.id);
  await localDatabase.remove('actions', action.key);
  return task;
}

/** Returns the service's id of a local task, or the given id if the service has assigned none. */
export async function findTaskId(taskId: string): Promise<string> {
  return isLocal(taskId) ? ((await localDatabase.get<string>('taskIds', taskId)) ?? taskId) : taskId;
}

async function storeRefusal(action: QueuedAction, problem: Problem): Promise<RefusedAction> {
  const reason = problemText(problem);
  await localDatabase.put('refusals', action.key, { deed: action, words: reason } satisfies StoredRefusal);
  await localDatabase.remove('actions', action.key);
  // The task does not exist, so the actions queued on it cannot be sent.
  if (action.kind === 'create') {
    const dependent = (await listActions()).filter(({ taskId }) => taskId === action.taskId);
    for (const { key } of dependent) await localDatabase.remove('actions', key);
  }
  return { action, reason };
}
