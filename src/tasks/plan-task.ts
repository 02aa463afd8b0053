/** Everything about a task that follows from its other fields: when it wakes, when it is overdue, where it is listed. */
import { forecast } from '../escalation/forecast.ts';
import { type NudgeSettings, type NudgeTask, type PlannedNudge, planNudge } from '../escalation/plan-nudge.ts';
import { dueDate, overdueFrom } from './due.ts';
import type { Task } from './task-state.ts';
import type { Owner } from './tasks.store.ts';

type Derived = Pick<Task, 'next_fire_at' | 'wanted_at' | 'overdue_at' | 'list_rank' | 'list_key'>;
type Planned = Omit<Task, keyof Derived | 'changed_at'>;

export function derive(task: Planned, owner: Owner, now: Date): Derived {
  const next = planNudge(toNudgeTask(task), toNudgeSettings(owner), now);
  return {
    next_fire_at: next?.at ?? null,
    wanted_at: next?.wantedAt ?? null,
    overdue_at: overdueFrom(task, owner.timezone),
    ...placeInList(task),
  };
}

/** The nudges to come, if nothing happens meanwhile. */
export const forecastOf = (task: Planned, owner: Owner, now: Date, most: number): PlannedNudge[] =>
  forecast(toNudgeTask(task), toNudgeSettings(owner), now, most);

/** What the planner reads of a task. */
export type LadderFields = Pick<
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

export function toNudgeTask(task: LadderFields): NudgeTask {
  return {
    isOpen: task.status === 'open',
    isAccepted: task.accepted_by_owner,
    mode: task.mode,
    mustNotMiss: task.break_quiet_hours,
    due: task.has_time ? task.due_at : dueDate(task),
    leadTimeDays: task.lead_time_days,
    deferredUntil: task.deferred_until,
    runStartedAt: task.run_started_at,
    step: task.step,
    lastNudgeAt: task.last_nudge_at,
    headsUpAt: task.heads_up_at,
    maxStage: task.max_stage,
  };
}

export function toNudgeSettings(owner: Owner): NudgeSettings {
  return {
    timezone: owner.timezone,
    quietHoursStart: owner.quiet_hours_start,
    quietHoursEnd: owner.quiet_hours_end,
    dayStart: owner.day_start,
    pausedFrom: owner.pause_from,
    pausedUntil: owner.pause_until,
    keepMustNotMiss: owner.keep_must_not_miss,
  };
}

const OPEN_DATED = 0;
const OPEN_UNDATED = 1;
const CLOSED = 2;

/** Open tasks by their next moment, the undated after them, closed ones by when they were closed, newest first. */
function placeInList(task: Planned): Pick<Task, 'list_rank' | 'list_key'> {
  if (task.status !== 'open') return { list_rank: CLOSED, list_key: -(task.closed_at?.getTime() ?? 0) };
  const moments = [task.due_at, task.deferred_until].flatMap((moment) => (moment ? [moment.getTime()] : []));
  if (moments.length === 0) return { list_rank: OPEN_UNDATED, list_key: task.created_at.getTime() };
  return { list_rank: OPEN_DATED, list_key: Math.max(...moments) };
}
