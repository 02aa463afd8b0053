/**
 * Decides what an action does to a task, for every status × action pair.
 *
 *                    accept                        complete, skip: next occurrence
 *   ┌─────────┐ ─────────────▶ ┌──────┐ ◀──────────────┐
 *   │ pending │                │ open │ ───────────────┘
 *   └─────────┘ ◀── (assigned) └──────┘ ──snooze──▶ open, deferred
 *     │  │  │                    │ │ │
 *     │  │  └ complete, skip ────┼─┘ └─ drop ──▶ dropped ─┐
 *     │  └─── drop ──▶ dropped   ▼                        │ reopen within 24 h
 *     └ decline ──▶ declined   done, skipped ─────────────┴──▶ open
 *
 * Repeating an action that already took effect changes nothing and records nothing. An action that
 * contradicts the status is refused. An outcome is recorded exactly once per closed occurrence.
 * On a repeating task, every `complete` or `skip` closes the current occurrence. To close one
 * occurrence only, however often it is sent, the action names it.
 */
import type { Selectable } from 'kysely';
import type { Database } from '../db/schema.ts';
import type { DueFields } from './due.ts';

/** Without `changed_at`, which the database sets and only sync reads. */
export type Task = Omit<Selectable<Database['tasks']>, 'changed_at'>;

export type Actor = 'owner' | 'assigner' | 'stand_in';

export type Action =
  | { readonly name: 'complete' | 'skip'; readonly occurrenceDueAt?: Date | null | undefined }
  | { readonly name: 'snooze'; readonly until: Date; readonly occurrenceDueAt?: Date | null | undefined }
  /** With an occurrence, only its completion is taken back; with a bulk change, only what that one did. */
  | {
      readonly name: 'reopen';
      readonly occurrenceDueAt?: Date | null | undefined;
      readonly batchId?: string | undefined;
    }
  | { readonly name: 'drop' | 'accept' | 'decline' };

export type Refusal =
  | 'not_allowed'
  | 'until_in_past'
  | 'occurrence_passed'
  | 'task_closed'
  | 'task_not_accepted'
  | 'task_not_pending'
  | 'nothing_to_reopen';

export type ActionResult =
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  | {
      readonly kind: 'changed';
      readonly changes: Partial<Task>;
      /** The outcome to record for the occurrence that was just closed. */
      readonly outcome?: 'done' | 'skipped';
      /** The outcome to delete, because its occurrence was reopened. */
      readonly withdrawnOutcomeId?: string;
    };

export interface ActionContext {
  readonly actor: Actor;
  /** The access token that the actor uses; null for a session. */
  readonly tokenId: string | null;
  /** The link in a message that the actor uses; undefined in the app and for access tokens. */
  readonly link?: string | undefined;
  /** The bulk change that the action belongs to. */
  readonly batchId?: string | undefined;
  readonly now: Date;
  /** The id for a new outcome. The task stores it, so that reopening can delete the outcome. */
  readonly outcomeId: string;
  /** Computes the next occurrence; null if there is none. */
  readonly next: () => DueFields | null;
}

const REOPEN_WITHIN_MS = 86_400_000;

const UNCHANGED: ActionResult = { kind: 'unchanged' };
const refuse = (refusal: Refusal): ActionResult => ({ kind: 'refused', refusal });
const change = (changes: Partial<Task>): ActionResult => ({ kind: 'changed', changes });

export function act(task: Task, action: Action, context: ActionContext): ActionResult {
  if (!mayAct(task, action, context.actor)) return refuse('not_allowed');
  switch (action.name) {
    case 'complete':
    case 'skip':
      return close(task, action, context);
    case 'snooze':
      return snooze(task, action, context.now);
    case 'drop':
      return drop(task, context);
    case 'accept':
      return accept(task, context.now);
    case 'decline':
      return decline(task, context.now);
    case 'reopen':
      return reopen(task, action, context);
  }
}

const isPending = (task: Task) => task.status === 'open' && !task.accepted_by_owner;

/**
 * The owner may do everything. The assigner may drop a request, and acts like the owner once it is accepted. A stand-in
 * may complete a task and take that back (`link` says what was theirs).
 */
function mayAct(task: Task, { name }: Action, actor: Actor): boolean {
  if (actor === 'owner') return true;
  if (actor === 'stand_in') return task.accepted_by_owner && (name === 'complete' || name === 'reopen');
  if (name === 'accept' || name === 'decline') return false;
  if (name === 'reopen') return mayReopen(task);
  return task.accepted_by_owner || name === 'drop';
}

/** The assigner may undo their own actions and the owner's completion, but neither the owner's answer nor drop. */
function mayReopen(task: Task): boolean {
  if (task.undo === null) return true;
  const { by, fields }: UndoSnapshot = JSON.parse(task.undo);
  return by === 'assigner' || (fields.accepted_by_owner === true && task.status !== 'dropped');
}

type Closing = Extract<Action, { name: 'complete' | 'skip' }>;

/** Completing or skipping a request accepts it first. */
function close(task: Task, action: Closing, context: ActionContext): ActionResult {
  const { now, outcomeId } = context;
  const outcome = action.name === 'complete' ? 'done' : 'skipped';
  if (isStale(task, action)) return refuse('occurrence_passed');
  if (task.status !== 'open') return task.status === outcome ? UNCHANGED : refuse('task_closed');
  const next = context.next();
  const changes = {
    accepted_by_owner: true,
    deferred_until: null,
    undo: undoSnapshot(task, context, outcomeId),
    ...(outcome === 'done' ? { completed_at: now } : { skipped_at: now }),
    ...(next ? moveToNext(task, next, now) : { status: outcome, closed_at: now }),
  };
  return { kind: 'changed', changes, outcome };
}

/** The action names another occurrence, as an old notification does. It must not close the current one. */
function isStale(task: Task, { occurrenceDueAt }: { readonly occurrenceDueAt?: Date | null | undefined }): boolean {
  return occurrenceDueAt !== undefined && occurrenceDueAt?.getTime() !== task.due_at?.getTime();
}

const moveToNext = (task: Task, next: DueFields, now: Date): Partial<Task> => ({
  ...next,
  occurrence_number: task.occurrence_number + 1,
  occurrence_started_at: now,
  ...newRun(task, now),
});

/** Restarts the ladder. If the moment of a heads-up has passed, the heads-up does not come again. */
export const newRun = ({ run }: Pick<Task, 'run'>, now: Date) => ({
  run: run + 1,
  run_started_at: now,
  step: 0,
  heads_up_at: now,
  escalation_stage: 0,
});

/** Restarts the ladder. If the moment of a heads-up has passed, the heads-up comes at once. */
export const newRunWithHeadsUp = (task: Pick<Task, 'run'>, now: Date) => ({ ...newRun(task, now), heads_up_at: null });

function snooze(task: Task, action: Extract<Action, { name: 'snooze' }>, now: Date): ActionResult {
  if (action.until <= now) return refuse('until_in_past');
  if (isStale(task, action)) return refuse('occurrence_passed');
  if (task.status !== 'open') return refuse('task_closed');
  if (isPending(task)) return refuse('task_not_accepted');
  if (task.deferred_until?.getTime() === action.until.getTime()) return UNCHANGED;
  return change({ deferred_until: action.until, ...newRun(task, now) });
}

function drop(task: Task, context: ActionContext): ActionResult {
  if (task.status === 'dropped') return UNCHANGED;
  if (task.status !== 'open') return refuse('task_closed');
  const undo = undoSnapshot(task, context, null);
  return change({ status: 'dropped', closed_at: context.now, deferred_until: null, undo });
}

function accept(task: Task, now: Date): ActionResult {
  if (task.accepted_by_owner) return UNCHANGED;
  if (task.status !== 'open') return refuse('task_closed');
  return change({ accepted_by_owner: true, ...newRunWithHeadsUp(task, now) });
}

function decline(task: Task, now: Date): ActionResult {
  if (task.status === 'declined') return UNCHANGED;
  if (task.status !== 'open') return refuse('task_closed');
  if (task.accepted_by_owner) return refuse('task_not_pending');
  return change({ status: 'declined', closed_at: now });
}

/** The fields that reopening restores. Title and notes keep their current text. */
const RESTORED = [
  'status',
  'accepted_by_owner',
  'due_at',
  'due_written',
  'has_time',
  'overdue_at',
  'series_first',
  'occurrence_number',
  'occurrence_started_at',
  'deferred_until',
  'completed_at',
  'skipped_at',
  'closed_at',
] as const;
const INSTANTS: ReadonlySet<string> = new Set([
  'due_at',
  'overdue_at',
  'occurrence_started_at',
  'deferred_until',
  'completed_at',
  'skipped_at',
  'closed_at',
]);

interface UndoSnapshot {
  readonly at: string;
  readonly by: Actor;
  /** Absent in snapshots from before this field existed. */
  readonly tokenId?: string | null;
  readonly link?: string | undefined;
  readonly batchId?: string | undefined;
  readonly outcomeId: string | null;
  readonly fields: Readonly<Record<string, unknown>>;
}

function undoSnapshot(
  task: Task,
  { actor, tokenId, link, batchId, now }: ActionContext,
  outcomeId: string | null,
): string {
  const fields = Object.fromEntries(RESTORED.map((name) => [name, task[name]]));
  const snapshot: UndoSnapshot = { at: now.toISOString(), by: actor, tokenId, link, batchId, outcomeId, fields };
  return JSON.stringify(snapshot);
}

/** The access token that did what reopening would undo; null for a session. */
export function closedByToken({ undo }: Pick<Task, 'undo'>): string | null {
  const snapshot: UndoSnapshot | null = undo === null ? null : JSON.parse(undo);
  return snapshot?.tokenId ?? null;
}

function reopen(task: Task, action: Extract<Action, { name: 'reopen' }>, { link, now }: ActionContext): ActionResult {
  const { batchId } = action;
  if (task.undo === null) {
    const isOpen = task.status === 'open' && !isStale(task, action) && batchId === undefined;
    return isOpen ? UNCHANGED : refuse('nothing_to_reopen');
  }
  const { at, link: usedLink, outcomeId, fields, batchId: usedBatch }: UndoSnapshot = JSON.parse(task.undo);
  // What somebody did to the task since then stays.
  if (batchId !== undefined && batchId !== usedBatch) return refuse('nothing_to_reopen');
  // A link undoes only what it did itself: a person who has the link must not undo what the owner did in the app.
  if (link !== undefined && link !== usedLink) return refuse('nothing_to_reopen');
  if (now.getTime() - Date.parse(at) > REOPEN_WITHIN_MS) return refuse('nothing_to_reopen');
  const restored: Partial<Task> = Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      INSTANTS.has(name) && typeof value === 'string' ? new Date(value) : value,
    ]),
  );
  const isCompletion = task.completed_at?.getTime() === Date.parse(at);
  if (action.occurrenceDueAt !== undefined && (!isCompletion || isStale({ ...task, ...restored }, action))) {
    return refuse('nothing_to_reopen');
  }
  const changes: Partial<Task> = { ...restored, ...newRun(task, now), undo: null };
  return outcomeId === null ? change(changes) : { kind: 'changed', changes, withdrawnOutcomeId: outcomeId };
}
