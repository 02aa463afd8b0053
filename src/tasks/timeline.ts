/** What a change of a task leaves in its timeline. */
import type { Action, Task } from './task-state.ts';

/** What people do to a task, as its timeline tells it. Nudges, holds and acknowledgements are told elsewhere. */
type DeedKind =
  | 'created'
  | 'accepted'
  | 'declined'
  | 'snoozed'
  | 'done'
  | 'skipped'
  | 'dropped'
  | 'reopened'
  | 'rescheduled';

const KIND_OF: Readonly<Record<Action['name'], DeedKind>> = {
  complete: 'done',
  skip: 'skipped',
  snooze: 'snoozed',
  drop: 'dropped',
  accept: 'accepted',
  decline: 'declined',
  reopen: 'reopened',
};

export interface Deed {
  readonly kind: DeedKind;
  readonly until: Date | null;
  /** The occurrence it concerned. */
  readonly occurrence_due_at: Date | null;
}

/** An edit is told where the ladder begins anew; a changed word is nobody's history. */
export function deedsOf(before: Task, changes: Partial<Task>, action: Action['name'] | 'edit'): Deed[] {
  const occurrence_due_at = before.due_at;
  if (action === 'edit') {
    const { due_at = before.due_at } = changes;
    return keepsRun(changes) ? [] : [{ kind: 'rescheduled', until: null, occurrence_due_at: due_at }];
  }
  const until = action === 'snooze' ? (changes.deferred_until ?? null) : null;
  const deed = { kind: KIND_OF[action], until, occurrence_due_at };
  // Whoever closes a request has accepted it with the same touch.
  const acceptedWithIt = (action === 'complete' || action === 'skip') && !before.accepted_by_owner;
  return acceptedWithIt ? [{ kind: 'accepted', until: null, occurrence_due_at }, deed] : [deed];
}

/** Whether what is on its way to a device is still worth sending. */
export const keepsRun = ({ status = 'open', run_started_at }: Partial<Task>): boolean =>
  status === 'open' && run_started_at === undefined;
