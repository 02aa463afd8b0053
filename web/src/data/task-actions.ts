/** What the buttons of a task do: queue the action, show its effect, and offer Undo. */
import type { Task } from '../api/client.ts';
import { strings } from '../strings.ts';
import { cancelActions, enqueueActions } from './action-queue.ts';
import type { ActionKind, QueuedAction } from './queued-action.ts';
import { randomId } from './random-id.ts';
import { currentUserId } from './sync.ts';
import { clearTick } from './ticked.ts';
import { showToast, toasts } from './toast.ts';

type ActKind = Exclude<ActionKind, 'create' | 'edit' | 'move' | 'ring-anyway' | 'ladder' | 'unsnooze'>;

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
  const batches = batchesOf(changes);
  const enqueued = enqueueActions(
    changes.map((change, index) => ({
      ...change,
      batch: batches?.[Math.floor(index / MOST_IN_BATCH)],
      userId,
      waitsForUndo: change.kind === 'edit' || change.kind === 'ring-anyway',
    })),
  );
  showToast(text, { label: strings.undo, run: () => void enqueued.then(undo) });
}

/** The service keeps the answer to a request that is sent again only if it is small. */
const MOST_IN_BATCH = 400;

/** An id for every bulk change that the service can take back as one. */
function batchesOf(changes: readonly TaskChange[]): string[] | undefined {
  const isOne = changes.length > 1 && changes.every(({ kind }) => kind === changes[0]?.kind && REOPENABLE.has(kind));
  return isOne ? Array.from({ length: Math.ceil(changes.length / MOST_IN_BATCH) }, randomId) : undefined;
}

/** Works for as long as the snooze lasts. */
export function takeBackSnooze(task: Task): void {
  void enqueueActions([{ kind: 'unsnooze', task, userId: currentUserId() }]);
  showToast(strings.task.snoozeTakenBack);
}

async function undo(actions: readonly QueuedAction[]): Promise<void> {
  for (const { taskId } of actions) clearTick(taskId);
  const sent = await cancelActions(actions);
  const reopened = sent.filter(({ kind }) => REOPENABLE.has(kind));
  await enqueueActions(
    reopened.map(({ taskId, title, userId, batch }) => ({
      kind: 'reopen',
      task: { id: taskId, title },
      userId,
      batch,
    })),
  );
  // A page that is hidden sends everything at once, because it may be closing.
  if (reopened.length < sent.length) return showToast(strings.task.tooLateToUndo);
  // An older Undo that is shown again must not be covered.
  if (toasts.value.length === 0) showToast(strings.task.confirmation.reopen());
}
