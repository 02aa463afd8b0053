/**
 * Tells the service what was done, one deed after another, in the order it was done. Shared by the
 * pages and the service worker; a lock lets one of them at it at a time.
 *
 * A deed stays written down until the service has answered for good. What passes (no network, a busy
 * service) is tried again; what is refused is moved aside and told to the person.
 */
import { call } from '../api/call.ts';
import { Problem, wordsOf } from '../api/problem.ts';
import { addressOf, type Deed, isLocal, type RefusedDeed } from './deeds.ts';
import { kept } from './kept.ts';

export interface Told {
  readonly deed: Deed;
  readonly task: { readonly id: string };
}

export interface Replayed {
  readonly refused: readonly RefusedDeed[];
  /** What ended the replay before its end, if anything did. */
  readonly stoppedBy: Problem | undefined;
}

export async function listDeeds(): Promise<Deed[]> {
  return (await kept.list<Deed>('deeds')).sort((a, b) => a.at - b.at);
}

export const writeDown = (deed: Deed): Promise<unknown> => kept.put('deeds', deed.key, deed);

interface Replaying {
  /** Deeds that may still be taken back wait until then. */
  readonly now: number;
  /** Whose; everybody's where it is not said. */
  readonly userId?: string;
  readonly onTold?: (told: Told) => void;
}

export async function replay(replaying: Replaying): Promise<Replayed> {
  return await navigator.locks.request('deeds', () => replayInTurn(replaying));
}

async function replayInTurn({ now, userId, onTold }: Replaying): Promise<Replayed> {
  const refused: RefusedDeed[] = [];
  for (let deed = await nextDeed(now, userId); deed; deed = await nextDeed(now, userId)) {
    try {
      const task = await tell(deed);
      onTold?.({ deed, task });
    } catch (error) {
      const problem = error instanceof Problem ? error : new Problem('unknown', wordsOf(error));
      // Without a session nothing is refused for good: the same person may sign in again.
      if (problem.isPassing || problem.status === 401) return { refused, stoppedBy: problem };
      refused.push(await setAside(deed, problem));
    }
  }
  return { refused, stoppedBy: undefined };
}

/** A deed that may still be taken back does not hold up those on other tasks. */
async function nextDeed(now: number, userId: string | undefined): Promise<Deed | undefined> {
  const deeds = await listDeeds();
  const waiting = new Set<string>();
  return deeds.find((deed) => {
    if (userId !== undefined && deed.userId !== userId) return false;
    if (deed.notBefore > now) waiting.add(deed.taskId);
    return !waiting.has(deed.taskId);
  });
}

async function tell(deed: Deed): Promise<{ id: string }> {
  const taskId = deed.kind === 'create' ? deed.taskId : await findId(deed.taskId);
  const { method, path } = addressOf({ ...deed, taskId });
  const task = await call<{ id: string }>(method, path, deed.body, { 'Idempotency-Key': deed.key });
  // Before the deed is gone: what is done to the task from now on must find its id.
  if (deed.kind === 'create') await kept.put('ids', deed.taskId, task.id);
  await kept.remove('deeds', deed.key);
  return task;
}

/** The id that the service gave to a task that was made here. */
export async function findId(taskId: string): Promise<string> {
  return isLocal(taskId) ? ((await kept.get<string>('ids', taskId)) ?? taskId) : taskId;
}

async function setAside(deed: Deed, problem: Problem): Promise<RefusedDeed> {
  const refused = { deed, code: problem.code, words: wordsOf(problem) };
  await kept.put('refused', deed.key, refused);
  await kept.remove('deeds', deed.key);
  // Nothing can be done to a task that was never made.
  if (deed.kind === 'create') {
    const orphans = (await listDeeds()).filter(({ taskId }) => taskId === deed.taskId);
    for (const { key } of orphans) await kept.remove('deeds', key);
  }
  return refused;
}
