import type { SessionCaller, TokenCaller } from '../lib/caller.ts';
import { newId } from '../lib/ids.ts';
import { toDueFields } from './due.ts';
import type { PlannedFields } from './plan-task.ts';
import { checkRuleRecurs, parseDueAt, serialiseRecurrence, type TaskCreation } from './task-input.ts';
import type { Task } from './task-state.ts';
import type { Owner } from './tasks.store.ts';

/** Builds a new task: a request if the caller is not the owner, otherwise an accepted task. */
export function newTask(
  owner: Owner,
  caller: Pick<SessionCaller, 'kind' | 'userId'> | TokenCaller,
  input: TaskCreation,
  now: Date,
): Omit<Task, keyof PlannedFields> {
  const due = toDueFields(parseDueAt(input.due_at ?? null), input.has_time, owner.timezone);
  const assignerId = caller.userId === owner.id ? null : caller.userId;
  const token = caller.kind === 'token' ? caller : null;
  const recurrence = serialiseRecurrence(input.recurrence ?? null);
  checkRuleRecurs(recurrence, due);
  return {
    id: newId(),
    owner_id: owner.id,
    assigner_id: assignerId,
    space_id: input.space_id ?? null,
    title: input.title,
    notes: input.notes ?? null,
    kind: input.kind,
    ...due,
    recurrence,
    occurrence_number: 1,
    occurrence_started_at: now,
    lead_time_days: input.lead_time_days ?? null,
    mode: input.mode,
    break_quiet_hours: input.break_quiet_hours,
    status: 'open',
    accepted_by_owner: assignerId === null,
    deferred_until: null,
    completed_at: null,
    skipped_at: null,
    closed_at: null,
    undo: null,
    run: 1,
    run_started_at: now,
    step: 0,
    heads_up_at: null,
    rings_anyway_at: null,
    escalation_stage: 0,
    nudge_count: 0,
    last_nudge_at: null,
    created_by_token: token?.tokenId ?? null,
    max_stage: token?.maxStage ?? null,
    shortest_wait: token?.shortestWait ?? null,
    ladder: null,
    ladder_label: null,
    heads_ups: null,
    created_at: now,
    updated_at: now,
  };
}
