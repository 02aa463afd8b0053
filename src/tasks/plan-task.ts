/** Computes the fields that depend on a task's other fields: its next nudge, when it is overdue, its list position. */
import { forecastNudges } from '../escalation/forecast.ts';
import { type NudgeTask, type PlannedNudge, planNudge } from '../escalation/plan-nudge.ts';
import { dueInstant, dueOf, overdueFrom } from './due.ts';
import type { Task } from './task-state.ts';
import type { Owner } from './tasks.store.ts';

export type PlannedFields = Pick<
  Task,
  'next_fire_at' | 'wanted_at' | 'overdue_at' | 'list_rank' | 'list_key' | 'plan_version'
>;
/** `due_at` is derived too: without a time, it depends on the owner's zone. */
type DerivedFields = PlannedFields & Pick<Task, 'due_at'>;
type UnplannedTask = PlannerFields & Pick<Task, 'closed_at' | 'created_at'>;

export function deriveFields(task: UnplannedTask, owner: Owner, now: Date): DerivedFields {
  const nudgeTask = toNudgeTask(task);
  const next = planNudge(nudgeTask, owner, now);
  const due_at = dueInstant(task, owner.timezone);
  return {
    due_at,
    next_fire_at: next?.at ?? null,
    wanted_at: next?.wantedAt ?? null,
    overdue_at: overdueFrom(nudgeTask.due, owner.timezone),
    ...listPositionOf({ ...task, due_at }),
    plan_version: owner.plan_version,
  };
}

/** The owner's settings have changed since the task was planned, and no slice has planned it again yet. */
export const isStale = ({ status, plan_version }: Pick<Task, 'status' | 'plan_version'>, version: number): boolean =>
  status === 'open' && plan_version !== version;

/** A stale task as it is planned now, still at its stored position in the list. */
export function withCurrentPlan<T extends Task>(task: T, owner: Owner, now: Date): T {
  if (!isStale(task, owner.plan_version)) return task;
  const { list_rank, list_key } = task;
  return { ...task, ...deriveFields(task, owner, now), list_rank, list_key };
}

/** The next nudges, provided that the task and the settings do not change. */
export const forecastTask = (task: UnplannedTask, owner: Owner, now: Date, limit: number): PlannedNudge[] =>
  forecastNudges(toNudgeTask(task), owner, now, limit);

type PlannerFields = Pick<
  Task,
  | 'status'
  | 'accepted_by_owner'
  | 'mode'
  | 'break_quiet_hours'
  | 'has_time'
  | 'due_at'
  | 'due_written'
  | 'lead_time_days'
  | 'deferred_until'
  | 'run_started_at'
  | 'step'
  | 'last_nudge_at'
  | 'heads_up_at'
  | 'max_stage'
>;

export function toNudgeTask(task: PlannerFields): NudgeTask {
  return {
    isOpen: task.status === 'open',
    isAccepted: task.accepted_by_owner,
    mode: task.mode,
    mustNotMiss: task.break_quiet_hours,
    due: dueOf(task),
    leadTimeDays: task.lead_time_days,
    deferredUntil: task.deferred_until,
    runStartedAt: task.run_started_at,
    step: task.step,
    lastNudgeAt: task.last_nudge_at,
    headsUpAt: task.heads_up_at,
    maxStage: task.max_stage,
  };
}

const OPEN_DATED = 0;
const OPEN_UNDATED = 1;
const CLOSED = 2;

/** Lists open tasks by due date or snooze, then open tasks without either, then closed ones, last closed first. */
function listPositionOf(task: UnplannedTask): Pick<Task, 'list_rank' | 'list_key'> {
  if (task.status !== 'open') return { list_rank: CLOSED, list_key: -(task.closed_at?.getTime() ?? 0) };
  const moments = [task.due_at, task.deferred_until].flatMap((moment) => (moment ? [moment.getTime()] : []));
  if (moments.length === 0) return { list_rank: OPEN_UNDATED, list_key: task.created_at.getTime() };
  return { list_rank: OPEN_DATED, list_key: Math.max(...moments) };
}
