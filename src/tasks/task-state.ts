/**
 * What happens to a task when somebody does something with it: every status × action pair, decided.
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
 * Repeating an action that already took effect changes nothing and records nothing; one that
 * contradicts the state is refused. An outcome is recorded exactly once per closed occurrence.
 */
import type { Selectable } from 'kysely';
import type { Database } from '../db/schema.ts';
import type { DueFields } from './due.ts';

export type Task = Selectable<Database['tasks']>;

export type Actor = 'owner' | 'assigner';

export type Action =
  | { readonly name: 'complete' | 'skip'; readonly occurrenceDueAt?: Date | null | undefined }
  | { readonly name: 'snooze'; readonly until: Date; readonly occurrenceDueAt?: Date | null | undefined }
  | { readonly name: 'drop' | 'accept' | 'decline' | 'reopen' };

export type Refusal =
  | 'not_allowed'
  | 'until_in_past'
  | 'occurrence_passed'
  | 'task_closed'
  | 'task_not_accepted'
  | 'task_not_pending'
  | 'nothing_to_reopen';

export type Verdict =
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  | {
      readonly kind: 'changed';
      readonly changes: Partial<Task>;
      /** The outcome to record for the occurrence that was just closed. */
      readonly outcome?: 'done' | 'skipped';
      /** The outcome that is taken back. */
      readonly withdraws?: string;
    };

export interface Circumstances {
  readonly actor: Actor;
  readonly now: Date;
  /** The id that an outcome would get, so that it can be found again when it is taken back. */
  readonly outcomeId: string;
  /** The occurrence after the present one, or null where there is none. */
  readonly next: () => DueFields | null;
}

const DOUBLE_TAP_MS = 10_000;
const REOPEN_WITHIN_MS = 86_400_000;

const UNCHANGED: Verdict = { kind: 'unchanged' };
const refuse = (refusal: Refusal): Verdict => ({ kind: 'refused', refusal });
const change = (changes: Partial<Task>): Verdict => ({ kind: 'changed', changes });

export function act(task: Task, action: Action, circumstances: Circumstances): Verdict {
  if (!mayAct(task, action, circumstances.actor)) return refuse('not_allowed');
  switch (action.name) {
    case 'complete':
    case 'skip':
      return close(task, action, circumstances);
    case 'snooze':
      return snooze(task, action, circumstances.now);
    case 'drop':
      return drop(task, circumstances);
    case 'accept':
      return accept(task, circumstances.now);
    case 'decline':
      return decline(task, circumstances.now);
    case 'reopen':
      return reopen(task, circumstances.now);
  }
}

const isPending = (task: Task) => task.status === 'open' && !task.accepted_by_owner;

/** The owner may do everything; the assigner nothing in the owner's stead, and before acceptance only take the request back. */
function mayAct(task: Task, { name }: Action, actor: Actor): boolean {
  if (actor === 'owner') return true;
  if (name === 'accept' || name === 'decline') return false;
  if (name === 'reopen') return mayReopen(task);
  return task.accepted_by_owner || name === 'drop';
}

/** The assigner takes back their own drop of a request, but not what its owner has answered. */
function mayReopen(task: Task): boolean {
  if (task.undo === null) return true;
  const { by, fields }: Snapshot = JSON.parse(task.undo);
  return by === 'assigner' || fields.accepted_by_owner === true;
}

type Closing = Extract<Action, { name: 'complete' | 'skip' }>;

/** Completing or skipping a request accepts it first. */
function close(task: Task, action: Closing, circumstances: Circumstances): Verdict {
  const { now, outcomeId } = circumstances;
  const outcome = action.name === 'complete' ? 'done' : 'skipped';
  if (isStale(task, action)) return refuse('occurrence_passed');
  if (task.status !== 'open') return task.status === outcome ? UNCHANGED : refuse('task_closed');
  if (isDoubleTap(task, action, now)) return UNCHANGED;
  const next = circumstances.next();
  const changes = {
    accepted_by_owner: true,
    deferred_until: null,
    undo: snapshot(task, circumstances, outcomeId),
    ...(outcome === 'done' ? { completed_at: now } : { skipped_at: now }),
    ...(next ? moveOn(task, next, now) : { status: outcome, closed_at: now }),
  };
  return { kind: 'changed', changes, outcome };
}

/** The button belongs to an occurrence that is over: it must not finish another one. */
function isStale(task: Task, { occurrenceDueAt }: { readonly occurrenceDueAt?: Date | null | undefined }): boolean {
  return occurrenceDueAt !== undefined && occurrenceDueAt?.getTime() !== task.due_at?.getTime();
}

/** A finger that touched twice: the same action moments after it closed the previous occurrence. */
function isDoubleTap(task: Task, { name, occurrenceDueAt }: Closing, now: Date): boolean {
  const closedAt = name === 'complete' ? task.completed_at : task.skipped_at;
  if (!closedAt || occurrenceDueAt !== undefined || task.occurrence_started_at.getTime() !== closedAt.getTime())
    return false;
  // A task without a time is due on a day, and until that day is over it is not yet late.
  const dueBy = task.has_time ? task.due_at : task.overdue_at;
  return now.getTime() - closedAt.getTime() <= DOUBLE_TAP_MS && dueBy !== null && dueBy > now;
}

const moveOn = (task: Task, next: DueFields, now: Date): Partial<Task> => ({
  ...next,
  occurrence_number: task.occurrence_number + 1,
  occurrence_started_at: now,
  ...newRun(now),
});

/** The ladder begins anew. */
export const newRun = (now: Date) => ({ run_started_at: now, step: 0, heads_up_at: null, escalation_stage: 0 });

function snooze(task: Task, action: Extract<Action, { name: 'snooze' }>, now: Date): Verdict {
  if (action.until <= now) return refuse('until_in_past');
  if (isStale(task, action)) return refuse('occurrence_passed');
  if (task.status !== 'open') return refuse('task_closed');
  if (isPending(task)) return refuse('task_not_accepted');
  if (task.deferred_until?.getTime() === action.until.getTime()) return UNCHANGED;
  return change({ deferred_until: action.until, ...newRun(now) });
}

function drop(task: Task, circumstances: Circumstances): Verdict {
  if (task.status === 'dropped') return UNCHANGED;
  if (task.status !== 'open') return refuse('task_closed');
  const undo = snapshot(task, circumstances, null);
  return change({ status: 'dropped', closed_at: circumstances.now, deferred_until: null, undo });
}

function accept(task: Task, now: Date): Verdict {
  if (task.accepted_by_owner) return UNCHANGED;
  if (task.status !== 'open') return refuse('task_closed');
  return change({ accepted_by_owner: true, ...newRun(now) });
}

function decline(task: Task, now: Date): Verdict {
  if (task.status === 'declined') return UNCHANGED;
  if (task.status !== 'open') return refuse('task_closed');
  if (task.accepted_by_owner) return refuse('task_not_pending');
  return change({ status: 'declined', closed_at: now });
}

/** What reopening brings back; the words of the task stay as they are by then. */
const RESTORED = [
  ...(['status', 'accepted_by_owner', 'due_at', 'due_written', 'has_time', 'overdue_at', 'series_first'] as const),
  ...([
    'occurrence_number',
    'occurrence_started_at',
    'deferred_until',
    'completed_at',
    'skipped_at',
    'closed_at',
  ] as const),
];
const INSTANTS: ReadonlySet<string> = new Set([
  ...['due_at', 'overdue_at', 'occurrence_started_at', 'deferred_until', 'completed_at', 'skipped_at', 'closed_at'],
]);

interface Snapshot {
  readonly at: string;
  readonly by: Actor;
  readonly outcomeId: string | null;
  readonly fields: Readonly<Record<string, unknown>>;
}

function snapshot(task: Task, { actor, now }: Pick<Circumstances, 'actor' | 'now'>, outcomeId: string | null): string {
  const fields = Object.fromEntries(RESTORED.map((name) => [name, task[name]]));
  return JSON.stringify({ at: now.toISOString(), by: actor, outcomeId, fields } satisfies Snapshot);
}

function reopen(task: Task, now: Date): Verdict {
  if (task.undo === null) return task.status === 'open' ? UNCHANGED : refuse('nothing_to_reopen');
  const { at, outcomeId, fields }: Snapshot = JSON.parse(task.undo);
  if (now.getTime() - Date.parse(at) > REOPEN_WITHIN_MS) return refuse('nothing_to_reopen');
  const restored = Object.entries(fields).map(([name, value]) => [
    name,
    INSTANTS.has(name) && typeof value === 'string' ? new Date(value) : value,
  ]);
  const changes: Partial<Task> = { ...Object.fromEntries(restored), ...newRun(now), undo: null };
  return outcomeId === null ? change(changes) : { kind: 'changed', changes, withdraws: outcomeId };
}
