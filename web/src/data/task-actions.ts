/** What the buttons of a task do: queue the action, show its effect, and offer Undo. */
import type { Task } from '../api/client.ts';
import { strings } from '../strings.ts';
import { cancelActions, enqueueActions } from './action-queue.ts';
import type { ActionKind, QueuedAction } from './queued-action.ts';
import { currentUserId } from './sync.ts';
import { clearTick } from './ticked.ts';
import { showToast, toasts } from './toast.ts';

type ActKind = Exclude<ActionKind, 'create' | 'edit'>;

/** The service itself can undo these, within a day. */
const REOPENABLE: ReadonlySet<ActionKind> = new Set(['complete', 'skip', 'drop']);
const UNDOABLE: ReadonlySet<ActionKind> = new Set([...REOPENABLE, 'snooze', 'decline']);

export function act(kind: ActKind, task: Task, until?: string): void {
  const text = strings.task.confirmation[kind](task.title);
  if (UNDOABLE.has(kind)) queueWithUndo(text, [actionOn(kind, task, until)]);
  else {
    void enqueueActions([{ ...actionOn(kind, task, until), userId: currentUserId() }]);
    showToast(text);
  }
}

export interface TaskChange {
  readonly kind: ActionKind;
  readonly task: Task;
  readonly body: QueuedAction['body'];
}

export function actionOn(kind: ActKind, task: Task, until?: string): TaskChange {
  // The action names the occurrence that was on the screen, so that it can never close another one.
  const hasOccurrence = kind === 'complete' || kind === 'skip' || kind === 'snooze';
  const body = { ...(hasOccurrence && { occurrence_due_at: task.due_at }), ...(until !== undefined && { until }) };
  return { kind, task, body };
}

/** One action for each task, and one Undo for all of them. */
export function queueWithUndo(text: string, changes: readonly TaskChange[]): void {
  const userId = currentUserId();
  const enqueued = enqueueActions(
    changes.map((change) => ({ ...change, userId, waitsForUndo: change.kind === 'edit' })),
  );
  showToast(text, { label: strings.undo, run: () => void enqueued.then(undo) });
}

async function undo(actions: readonly QueuedAction[]): Promise<void> {
  for (const { taskId } of actions) clearTick(taskId);
  const sent = await cancelActions(actions);
  const reopened = sent.filter(({ kind }) => REOPENABLE.has(kind));
  await enqueueActions(
    reopened.map(({ taskId, title, userId }) => ({ kind: 'reopen', task: { id: taskId, title }, userId })),
  );
  // A page that is hidden sends everything at once, because it may be closing.
  if (reopened.length < sent.length) return showToast(strings.task.tooLateToUndo);
  // An older Undo that is shown again must not be covered.
  if (toasts.value.length === 0) showToast(strings.task.confirmation.reopen());
}
