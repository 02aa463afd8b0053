/** The actions of this browser that the service has not confirmed yet, and when they are sent. */
import type { Task } from '../api/client.ts';
import type { Problem } from '../api/problem.ts';
import { localDatabase } from './local-database.ts';
import {
  type ActionKind,
  earliestSending,
  expectedChange,
  type QueuedAction,
  type RefusedAction,
} from './queued-action.ts';
import { randomId } from './random-id.ts';
import { replay } from './replay.ts';
import { Store, useStore } from './store.ts';
import { forgetRefusal, listActions, listRefusals, type SentAction, storeAction } from './stored-actions.ts';
import { TOAST_MS } from './toast.ts';

/** The service cannot undo these actions, so they wait in the queue until Undo is no longer shown. */
const DELAYED_KINDS: ReadonlySet<ActionKind> = new Set(['snooze', 'decline']);
/** The toast appears a little after the action was made, and a click in its last moment still counts. */
const UNDO_MS = TOAST_MS + 500;
const RETRY_MS = 10_000;

const queued = new Store<readonly QueuedAction[]>([]);
const refused = new Store<readonly RefusedAction[]>([]);
/** How often this page has added an action to the queue, or removed one. */
let changes = 0;
/** How many of these changes other pages have been told. */
let toldChanges = 0;
/** Tasks created in this browser: local id → the service's id, and back. */
const serverIds = new Map<string, string>();
const localIds = new Map<string, string>();

export const useQueuedActions = () => useStore(queued);
export const useRefusedActions = () => useStore(refused);
export const currentTaskId = (taskId: string) => serverIds.get(taskId) ?? taskId;
/** A React key that stays the same when a local task gets the service's id, so the row keeps its focus. */
export const stableTaskKey = (taskId: string) => localIds.get(taskId) ?? taskId;
/** Actions that another account left in this browser are not counted: they wait until it signs in again. */
export const countQueuedActions = (accountId: string | undefined) =>
  queued.value.filter(({ userId }) => userId === accountId).length;

interface QueueListener {
  /** The account whose actions may be sent now. */
  userId(): string | undefined;
  /** Called with a task's new state when the service has applied an action to it. */
  onTaskChanged(task: Partial<Task> & Pick<Task, 'id'>): void;
  /** `anyAnswered`: the service applied or refused an action, so its state may differ from the one that is shown. */
  onReplayed(stoppedBy: Problem | undefined, anyAnswered: boolean): void;
}

let listener: QueueListener | undefined;
let retryTimer: ReturnType<typeof setTimeout> | undefined;
const channel = new BroadcastChannel('crescendo');

export async function startActionQueue(queueListener: QueueListener): Promise<void> {
  listener = queueListener;
  await reload();
  addEventListener('online', () => void sendAll());
  document.addEventListener('visibilitychange', () => void sendAll(document.visibilityState === 'hidden'));
  addEventListener('pagehide', () => void sendAll(true));
  // Another page has sent or queued actions, or the service worker has sent some.
  channel.onmessage = () => void reload().then(() => queueListener.onReplayed(undefined, true));
  void sendAll();
}

/** To be called when it becomes known which account is signed in: until then nothing is sent. */
export const sendQueuedActions = (): void => void sendAll();

interface NewAction {
  readonly kind: ActionKind;
  readonly task: Pick<Task, 'id' | 'title'>;
  readonly userId: string;
  readonly body?: QueuedAction['body'];
  /** The action is not sent while Undo is shown, for an edit that nothing else could undo. */
  readonly waitsForUndo?: boolean;
  readonly batch?: string | undefined;
}

/** Stores the action, shows its effect, and sends it in the background. */
export async function enqueueAction(action: NewAction): Promise<QueuedAction> {
  const [stored] = await enqueueActions([action]);
  return stored as QueuedAction;
}

/** Stores all of them before it shows any, so that a hundred rows change in one step. */
export async function enqueueActions(actions: readonly NewAction[]): Promise<QueuedAction[]> {
  const first = Math.max(Date.now(), (queued.value.at(-1)?.at ?? 0) + 1);
  const added = actions.map(({ kind, task, userId, body = {}, waitsForUndo = false, batch }, index): QueuedAction => {
    const at = first + index;
    const taskId = currentTaskId(task.id);
    const notBefore = waitsForUndo || DELAYED_KINDS.has(kind) ? at + UNDO_MS : 0;
    return { key: randomId(), kind, userId, taskId, title: task.title, body, at, notBefore, batch };
  });
  await Promise.all(added.map(storeAction));
  changes += 1;
  queued.set([...queued.value, ...added]);
  void sendAll();
  return added;
}

/** Returns the actions that have been sent, or are being sent: only another action can undo those. */
export async function cancelActions(actions: readonly QueuedAction[]): Promise<QueuedAction[]> {
  const stored = new Set((await listActions()).map(({ key }) => key));
  const now = Date.now();
  const isSent = ({ key, notBefore }: QueuedAction) => !stored.has(key) || (isSending && notBefore <= now);
  const cancelled = actions.filter((action) => !isSent(action));
  await Promise.all(cancelled.map(({ key }) => localDatabase.remove('actions', key)));
  await reload();
  // Other pages show what was queued.
  if (cancelled.length > 0) channel.postMessage('sent');
  return actions.filter((action) => !cancelled.includes(action));
}

/** The refused edit that the user wants to correct. The page of its task shows the editor. */
export const reopenedEdit = new Store<RefusedAction | undefined>(undefined);

export async function dismissRefused(refused: RefusedAction): Promise<void> {
  await forgetRefusal(refused);
  await reload();
}

let isSending = false;
/** What `sendAll` was asked to send since the current round began. */
let requested: 'nothing' | 'due' | 'everything' = 'nothing';

/** `everything`: the page may be closing, so actions do not wait for an undo. */
async function sendAll(everything = false): Promise<void> {
  if (requested !== 'everything') requested = everything ? 'everything' : 'due';
  if (isSending) return;
  isSending = true;
  clearTimeout(retryTimer);
  try {
    while (requested !== 'nothing') {
      const now = requested === 'everything' ? Number.POSITIVE_INFINITY : Date.now();
      requested = 'nothing';
      await sendDue(now);
    }
  } finally {
    isSending = false;
  }
}

async function sendDue(now: number): Promise<void> {
  const userId = listener?.userId();
  if (userId === undefined || !queued.value.some((action) => action.userId === userId)) return;
  let anySent = false;
  const { stoppedBy, refused: newlyRefused } = await replay({
    now,
    userId,
    onSent: (sent) => {
      anySent = true;
      applySent(sent);
    },
  });
  // The next round reads again what could not be read now.
  await reload().catch(() => undefined);
  // Other pages refresh all they show, so a round without a result is not told.
  if (changes !== toldChanges || newlyRefused.length > 0) {
    toldChanges = changes;
    channel.postMessage('sent');
  }
  listener?.onReplayed(stoppedBy, anySent || newlyRefused.length > 0);
  const next = earliestSending(queued.value, userId);
  const waitMs = stoppedBy ? (stoppedBy.retryAfterSeconds ?? RETRY_MS / 1_000) * 1_000 : next - Date.now() + 50;
  if (next !== Number.POSITIVE_INFINITY && stoppedBy?.status !== 401) {
    retryTimer = setTimeout(() => void sendAll(), Math.max(50, waitMs));
  }
}

/** Replaces the queued action with the task's new state in one step, so that the screen does not flicker. */
function applySent({ action, task }: SentAction): void {
  if (action.kind === 'create') {
    serverIds.set(action.taskId, task.id);
    localIds.set(task.id, action.taskId);
  }
  const isClosing = action.kind === 'complete' || action.kind === 'skip';
  listener?.onTaskChanged({ ...(isClosing ? { deferred_until: null } : expectedChange(action)), ...task });
  changes += 1;
  queued.set(queued.value.filter(({ key }) => key !== action.key).map(withServerId));
}

const withServerId = (action: QueuedAction): QueuedAction =>
  action.kind === 'create' ? action : { ...action, taskId: currentTaskId(action.taskId) };

/** Reads again if this page changed the queue during the read: the older list would lack an action just added. */
async function reload(): Promise<void> {
  for (;;) {
    const before = changes;
    const [actions, refusals] = [await listActions(), await listRefusals()];
    if (changes !== before) continue;
    queued.set(actions.map(withServerId));
    refused.set(refusals);
    return;
  }
}
