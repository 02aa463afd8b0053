/** What the buttons of a task do: queue the action, show its effect, and offer Undo. */
import type { Task } from '../api/client.ts';
import { strings } from '../strings.ts';
import { cancelAction, enqueueAction } from './action-queue.ts';
import type { ActionKind, QueuedAction } from './queued-action.ts';
import { currentUserId } from './sync.ts';
import { clearTick } from './ticked.ts';
import { showToast, toasts } from './toast.ts';

/** The service itself can undo these, within a day. */
const REOPENABLE: ReadonlySet<ActionKind> = new Set(['complete', 'skip', 'drop']);
const UNDOABLE: ReadonlySet<ActionKind> = new Set([...REOPENABLE, 'snooze', 'decline']);

export function act(kind: Exclude<ActionKind, 'create' | 'edit'>, task: Task, until?: string): void {
  // The action names the occurrence that was on the screen, so that it can never close another one.
  const hasOccurrence = kind === 'complete' || kind === 'skip' || kind === 'snooze';
  const body = { ...(hasOccurrence && { occurrence_due_at: task.due_at }), ...(until !== undefined && { until }) };
  const enqueued = enqueueAction({ kind, task, userId: currentUserId(), body });
  const run = () => void enqueued.then((action) => undo(action, task));
  showToast(strings.task.confirmation[kind](task.title), UNDOABLE.has(kind) ? { label: strings.undo, run } : undefined);
}

async function undo(action: QueuedAction, task: Task): Promise<void> {
  clearTick(task.id);
  const isCancelled = await cancelAction(action);
  // A page that is hidden sends everything at once, because it may be closing.
  if (!isCancelled && !REOPENABLE.has(action.kind)) return showToast(strings.task.tooLateToUndo);
  if (!isCancelled) await enqueueAction({ kind: 'reopen', task, userId: action.userId });
  // An older Undo that is shown again must not be covered.
  if (toasts.value.length === 0) showToast(strings.task.confirmation.reopen());
}
