/** Sends the queued actions of one bulk change as one request. */
import { call } from '../api/call.ts';
import { Problem } from '../api/problem.ts';
import { localDatabase } from './local-database.ts';
import { type QueuedAction, type RefusedAction, sendableOf } from './queued-action.ts';
import {
  findTaskId,
  isNoAnswer,
  listActions,
  type SentAction,
  storeAction,
  storeRefusal,
  toProblem,
} from './stored-actions.ts';

const CLOSED_AS: Readonly<Record<string, string>> = { complete: 'done', skip: 'skipped', drop: 'dropped' };

interface BatchAnswer {
  readonly batch_id: string;
  readonly results: readonly {
    readonly task_id: string;
    readonly task: object | null;
    readonly error: string | null;
  }[];
}

/** The actions of the same bulk change that can be sent together. */
async function listBatch({ batch, kind, userId }: QueuedAction, now: number): Promise<QueuedAction[]> {
  const actions = sendableOf(await listActions(), userId, now);
  return actions.filter((one) => one.batch === batch && one.kind === kind);
}

/**
 * Sends the actions as one bulk change, so that one call can take it back. What the answer does not name is left to be
 * sent alone, and so is everything if the service does not take the bulk change.
 */
export async function sendBatch(
  first: QueuedAction,
  now: number,
  refused: RefusedAction[],
  onSent: ((sent: SentAction) => void) | undefined,
): Promise<void> {
  const actions = await listBatch(first, now);
  const ids = new Map<string, QueuedAction>();
  for (const action of actions) ids.set(await findTaskId(action.taskId), action);
  const answer = await requestBatch(actions, ids).catch((error: unknown) => {
    if (isNoAnswer(toProblem(error))) throw error;
    return undefined;
  });
  for (const { task_id, task, error } of answer?.results ?? []) {
    const action = ids.get(task_id);
    if (!action) continue;
    ids.delete(task_id);
    if (error !== null) refused.push(await storeRefusal(action, new Problem('refused', error.replace(/^\w+: /, ''))));
    else {
      await localDatabase.remove('actions', action.key);
      onSent?.({ action, task: { ...task, id: task_id } });
    }
  }
  for (const action of ids.values()) await storeAction({ ...action, batch: undefined });
}

async function requestBatch(actions: readonly QueuedAction[], ids: ReadonlyMap<string, QueuedAction>) {
  const [{ kind = '', key = '', batch = '' } = {}] = actions;
  // Another number of actions is another request.
  const headers = { 'Idempotency-Key': `${key}-${actions.length}` };
  if (kind === 'reopen') {
    const id = await localDatabase.get<string>('taskIds', batch);
    return id === undefined ? undefined : await call<BatchAnswer>('POST', `/v1/batches/${id}/undo`, {}, headers);
  }
  const tasks = [...ids].map(([id, { body }]) => ({ ...body, id }));
  const answer = await call<BatchAnswer>('POST', '/v1/batches', { as: CLOSED_AS[kind], tasks }, headers);
  await localDatabase.put('taskIds', batch, answer.batch_id);
  return answer;
}
