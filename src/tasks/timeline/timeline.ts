/** Decides which timeline events a change of a task records. */
import type { PassedOver } from '../due.ts';
import type { Action, Task } from '../task-state.ts';
import { changedFields, isScheduleChanged } from './changes.ts';

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
  | 'assigner_removed'
  | 'rings_anyway'
  | 'rings_anyway_undone'
  | 'snooze_undone'
  | 'edited'
  | 'missed';

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
  readonly fields?: string;
  readonly missed?: number;
}

/** `missed`: the occurrences that passed while the closed one was open. */
export function eventsOf(
  before: Task,
  changes: Partial<Task>,
  action: Action['name'] | 'edit',
  missed?: PassedOver,
): TimelineEvent[] {
  if (action === 'edit') return editsOf(before, changes);
  const occurrence_due_at = before.due_at;
  const events: TimelineEvent[] = [];
  // Closing a request also accepts it.
  const isAlsoAccepted = (action === 'complete' || action === 'skip') && !before.accepted_by_owner;
  if (isAlsoAccepted) events.push({ kind: 'accepted', until: null, occurrence_due_at });
  if (missed)
    events.push({ kind: 'missed', until: missed.last, occurrence_due_at: missed.first, missed: missed.count });
  const until = action === 'snooze' ? (changes.deferred_until ?? null) : null;
  events.push({ kind: KIND_OF[action], until, occurrence_due_at });
  return events;
}

function editsOf(before: Task, changes: Partial<Task>): TimelineEvent[] {
  const { due_at: occurrence_due_at, assigner_id } = { ...before, ...changes };
  const events: TimelineEvent[] = [];
  if (assigner_id !== before.assigner_id)
    events.push({ kind: 'assigner_removed', until: null, occurrence_due_at: before.due_at });
  const { rings_anyway_at: until } = changes;
  if (until !== undefined)
    events.push({ kind: until ? 'rings_anyway' : 'rings_anyway_undone', until, occurrence_due_at });
  const fields = changedFields(before, changes);
  const kind = isScheduleChanged(fields) ? 'rescheduled' : 'edited';
  if (fields.length > 0) events.push({ kind, until: null, occurrence_due_at, fields: fields.join() });
  // A new date ends a snooze too, and says so by itself.
  else if (changes.deferred_until === null && before.deferred_until)
    events.push({ kind: 'snooze_undone', until: before.deferred_until, occurrence_due_at });
  return events;
}

/** Whether the run goes on, so that its pending deliveries are still worth sending. */
export const keepsRun = ({ status = 'open', run }: Partial<Task>): boolean => status === 'open' && run === undefined;
