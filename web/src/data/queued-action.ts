/** What a user did to a task. It is stored before it is sent, so that a lost connection never loses it. */
import type { LadderChoice, MoveRequest, Task, TaskCreate, TaskUpdate } from '../api/client.ts';
import { randomId } from './random-id.ts';

export type ActionKind =
  | 'create'
  | 'edit'
  | 'move'
  | 'complete'
  | 'skip'
  | 'drop'
  | 'snooze'
  | 'unsnooze'
  | 'ring-anyway'
  | 'ladder'
  | 'accept'
  | 'decline'
  | 'reopen';

/** The stored form: other versions of the app read and write these field names. */
export interface QueuedAction {
  /** Sent as the Idempotency-Key, so the service applies the action once however often it is sent. */
  readonly key: string;
  readonly kind: ActionKind;
  readonly userId: string;
  readonly taskId: string;
  /** Names the task in messages, even when the task itself is gone. */
  readonly title: string;
  readonly body:
    | TaskCreate
    | TaskUpdate
    | { readonly occurrence_due_at?: string | null; readonly until?: string; readonly at?: string }
    | MoveRequest
    | LadderChoice;
  readonly at: number;
  /** Until then the action is not sent, so it can be undone without a trace. */
  readonly notBefore: number;
  /** Actions of one bulk change share it and are sent as one; a `reopen` names the bulk change that it takes back. */
  readonly batch?: string | undefined;
}

/** An action that the service refused, stored until the user dismisses it. */
export interface RefusedAction {
  readonly action: QueuedAction;
  readonly reason: string;
}

/** What may be sent now, in its order. An action that can still be undone delays only later actions on the same task. */
export function sendableOf(actions: readonly QueuedAction[], userId: string, now: number): QueuedAction[] {
  const waitingTasks = new Set<string>();
  return actions.filter((action) => {
    if (action.userId !== userId) return false;
    if (action.notBefore > now) waitingTasks.add(action.taskId);
    return !waitingTasks.has(action.taskId);
  });
}

/** When the first of them may be sent. Infinity if the account has none. */
export function earliestSending(actions: readonly QueuedAction[], userId: string): number {
  const firstOfTask = new Map<string, number>();
  for (const action of actions) {
    if (action.userId === userId && !firstOfTask.has(action.taskId)) firstOfTask.set(action.taskId, action.notBefore);
  }
  return Math.min(...firstOfTask.values());
}

const LOCAL_PREFIX = 'local-';
/** The id of a task that the service has not stored yet. */
export const newLocalId = () => LOCAL_PREFIX + randomId();
export const isLocal = (taskId: string) => taskId.startsWith(LOCAL_PREFIX);

export function requestFor({ kind, taskId }: Pick<QueuedAction, 'kind' | 'taskId'>): { method: string; path: string } {
  if (kind === 'create') return { method: 'POST', path: '/v1/tasks' };
  if (kind === 'edit') return { method: 'PATCH', path: `/v1/tasks/${taskId}` };
  if (kind === 'ladder') return { method: 'PUT', path: `/v1/tasks/${taskId}/ladder` };
  if (kind === 'unsnooze') return { method: 'DELETE', path: `/v1/tasks/${taskId}/snooze` };
  return { method: 'POST', path: `/v1/tasks/${taskId}/${kind}` };
}

/** An edit of these moves no nudge. */
const SILENT: ReadonlySet<string> = new Set(['title', 'notes', 'kind', 'space_id']);

/** The tasks as they will be when the service has applied every queued action. */
export function applyActions(
  tasks: Readonly<Record<string, Task>>,
  actions: readonly QueuedAction[],
): Record<string, Task> {
  const result: Record<string, Task> = { ...tasks };
  for (const action of actions) {
    const before = action.kind === 'create' ? newTask(action) : result[action.taskId];
    if (before) result[action.taskId] = { ...before, ...expectedChange(action, before) };
  }
  return result;
}

/**
 * The part of an action's effect that the app can predict without the service. The next nudge is left open until the
 * service has answered, because quiet hours and pauses may hold it.
 */
export function expectedChange({ kind, body, at }: QueuedAction, before?: Task): Partial<Task> {
  const until = 'until' in body && typeof body.until === 'string' ? body.until : null;
  switch (kind) {
    case 'create':
      return body as Partial<Task>;
    case 'edit':
      // The service ends a snooze when the date changes.
      return {
        ...(body as Partial<Task>),
        ...('due_at' in body && { deferred_until: null }),
        ...(Object.keys(body).some((name) => !SILENT.has(name)) && { next_fire_at: null }),
      };
    case 'move':
      return { due_at: (body as MoveRequest).due_at, deferred_until: null, next_fire_at: null };
    case 'complete':
      // A repeating task leaves the list until the service answers with its next occurrence.
      return { status: 'done', completed_at: new Date(at).toISOString(), accepted_by_owner: true };
    case 'skip':
      return { status: 'skipped', skipped_at: new Date(at).toISOString(), accepted_by_owner: true };
    case 'drop':
      return { status: 'dropped', next_fire_at: null, updated_at: new Date(at).toISOString() };
    case 'decline':
      return { status: 'declined', next_fire_at: null };
    case 'snooze':
      return { deferred_until: until, next_fire_at: null };
    case 'unsnooze':
      return { deferred_until: null, next_fire_at: null };
    case 'ring-anyway': {
      const moment = 'at' in body && typeof body.at === 'string' ? body.at : null;
      const next = before?.next_fire_at ?? null;
      // A heads-up may come before it.
      return { next_fire_at: next !== null && moment !== null && next < moment ? next : moment };
    }
    case 'ladder':
      // The first nudge stays where it is.
      return {};
    case 'accept':
      return { accepted_by_owner: true };
    case 'reopen':
      return { status: 'open', completed_at: null, skipped_at: null, next_fire_at: null };
  }
}

function newTask({ taskId, userId, at, body }: QueuedAction): Task {
  const { title, owner_id } = body as TaskCreate;
  const isAssigned = typeof owner_id === 'string' && owner_id !== userId;
  const now = new Date(at).toISOString();
  return {
    id: taskId,
    title,
    owner_id: owner_id ?? userId,
    assigner_id: isAssigned ? userId : null,
    space_id: null,
    notes: null,
    kind: 'todo',
    due_at: null,
    has_time: false,
    mode: 'escalate',
    break_quiet_hours: false,
    status: 'open',
    accepted_by_owner: !isAssigned,
    escalation_stage: 0,
    nudge_count: 0,
    next_fire_at: null,
    completed_at: null,
    recurrence: null,
    lead_time_days: null,
    deferred_until: null,
    skipped_at: null,
    last_nudge_at: null,
    created_at: now,
    updated_at: now,
  };
}
