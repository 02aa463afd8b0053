/** Decides which timeline events a change of a task records. */
import type { Action, Task } from '../task-state.ts';

/** What people do to a task. The engine records nudges and holds, and `devices/` records acknowledgements. */
type EventKind =
  | 'created'
  | 'accepted'
  | 'declined'
  | 'snoozed'
  | 'done'
  | 'skipped'
  | 'dropped'
  | 'reopened'
  | 'rescheduled'
  | 'assigner_removed';

const KIND_OF: Readonly<Record<Action['name'], EventKind>> = {
  complete: 'done',
  skip: 'skipped',
  snooze: 'snoozed',
  drop: 'dropped',
  accept: 'accepted',
  decline: 'declined',
  reopen: 'reopened',
};

export interface TimelineEvent {
  readonly kind: EventKind;
  readonly until: Date | null;
  readonly occurrence_due_at: Date | null;
}

/** An edit is recorded only if it starts a new run, or ends the say of the assigner. */
export function eventsOf(before: Task, changes: Partial<Task>, action: Action['name'] | 'edit'): TimelineEvent[] {
  const occurrence_due_at = before.due_at;
  if (action === 'edit') {
    const { due_at = before.due_at, assigner_id = before.assigner_id } = changes;
    const ended = { kind: 'assigner_removed', until: null, occurrence_due_at } as const;
    const moved = { kind: 'rescheduled', until: null, occurrence_due_at: due_at } as const;
    return [...(assigner_id === before.assigner_id ? [] : [ended]), ...(keepsRun(changes) ? [] : [moved])];
  }
  const until = action === 'snooze' ? (changes.deferred_until ?? null) : null;
  const event = { kind: KIND_OF[action], until, occurrence_due_at };
  // Closing a request also accepts it.
  const isAlsoAccepted = (action === 'complete' || action === 'skip') && !before.accepted_by_owner;
  return isAlsoAccepted ? [{ kind: 'accepted', until: null, occurrence_due_at }, event] : [event];
}

/** Whether the run goes on, so that its pending deliveries are still worth sending. */
export const keepsRun = ({ status = 'open', run }: Partial<Task>): boolean => status === 'open' && run === undefined;
