/** The queued actions and refusals as they are stored on the device. */
import { Problem, problemText } from '../api/problem.ts';
import { localDatabase } from './local-database.ts';
import { isLocal, type QueuedAction, type RefusedAction } from './queued-action.ts';

export interface SentAction {
  readonly action: QueuedAction;
  readonly task: { readonly id: string };
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

/** Only the service refuses. Anything else is the browser, which mostly could not read or write its database. */
export const toProblem = (error: unknown): Problem =>
  error instanceof Problem ? error : new Problem('browser_failed', problemText(error));
export const isNoAnswer = ({ isTemporary, status }: Problem): boolean => isTemporary || status === 401;

/** Returns the service's id of a local task, or the given id if the service has assigned none. */
export async function findTaskId(taskId: string): Promise<string> {
  return isLocal(taskId) ? ((await localDatabase.get<string>('taskIds', taskId)) ?? taskId) : taskId;
}

export async function storeRefusal(action: QueuedAction, problem: Problem): Promise<RefusedAction> {
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
