/** What a person did to a task, written down before the service hears of it, so that it is never lost. */
import type { Task, TaskCreate, TaskUpdate } from '../api/client.ts';

export type DeedKind = 'create' | 'edit' | 'complete' | 'skip' | 'drop' | 'snooze' | 'accept' | 'decline' | 'reopen';

export interface Deed {
  /** Its Idempotency-Key: however often it is sent, it is done once. */
  readonly key: string;
  readonly kind: DeedKind;
  readonly userId: string;
  readonly taskId: string;
  /** To speak of it when the task is gone. */
  readonly title: string;
  readonly body: TaskCreate | TaskUpdate | { readonly occurrence_due_at?: string | null; readonly until?: string };
  readonly at: number;
  /** Until then it can be taken back without a trace. */
  readonly notBefore: number;
}

/** A deed that the service refused, kept until the person has read why. */
export interface RefusedDeed {
  readonly deed: Deed;
  readonly code: string;
  readonly words: string;
}

/** The tasks of this device alone have ids that no service gives. */
export const isLocal = (taskId: string) => taskId.startsWith('local-');

export function addressOf({ kind, taskId }: Pick<Deed, 'kind' | 'taskId'>): { method: string; path: string } {
  if (kind === 'create') return { method: 'POST', path: '/v1/tasks' };
  if (kind === 'edit') return { method: 'PATCH', path: `/v1/tasks/${taskId}` };
  return { method: 'POST', path: `/v1/tasks/${taskId}/${kind}` };
}

/** The tasks as they will be once the service has heard of everything. */
export function withDeeds(tasks: Readonly<Record<string, Task>>, deeds: readonly Deed[]): Record<string, Task> {
  const shown: Record<string, Task> = { ...tasks };
  for (const deed of deeds) {
    const before = deed.kind === 'create' ? newTask(deed) : shown[deed.taskId];
    if (before) shown[deed.taskId] = { ...before, ...changeBy(deed) };
  }
  return shown;
}

/** What of a task a deed changes, as far as it can be told without the service. */
export function changeBy(deed: Deed): Partial<Task> {
  const { kind, body } = deed;
  const until = 'until' in body && typeof body.until === 'string' ? body.until : null;
  switch (kind) {
    case 'create':
    case 'edit':
      return body as Partial<Task>;
    case 'complete':
      // A repeating task is away until the service says when it is due next.
      return { status: 'done', completed_at: new Date(deed.at).toISOString(), accepted_by_owner: true };
    case 'skip':
      return { status: 'skipped', skipped_at: new Date(deed.at).toISOString(), accepted_by_owner: true };
    case 'drop':
      return { status: 'dropped', next_fire_at: null };
    case 'decline':
      return { status: 'declined', next_fire_at: null };
    case 'snooze':
      return { deferred_until: until, next_fire_at: until };
    case 'accept':
      return { accepted_by_owner: true };
    case 'reopen':
      return { status: 'open', completed_at: null, skipped_at: null };
  }
}

function newTask({ taskId, userId, at, body }: Deed): Task {
  const { title, owner_id } = body as TaskCreate;
  const isAssigned = typeof owner_id === 'string' && owner_id !== userId;
  const now = new Date(at).toISOString();
  return {
    ...{ id: taskId, title, owner_id: owner_id ?? userId, assigner_id: isAssigned ? userId : null, space_id: null },
    ...{ notes: null, kind: 'todo', due_at: null, has_time: false, mode: 'escalate', break_quiet_hours: false },
    ...{ status: 'open', accepted_by_owner: !isAssigned, escalation_stage: 0, nudge_count: 0, next_fire_at: null },
    ...{ completed_at: null, recurrence: null, lead_time_days: null, deferred_until: null, skipped_at: null },
    ...{ last_nudge_at: null, created_at: now, updated_at: now },
  };
}
