/** Computes the fields that depend on a task's other fields: its next nudge, when it is overdue, its list position. */
import { chooseLadder } from '../escalation/choose-ladder.ts';
import { forecastNudges } from '../escalation/forecast.ts';
import type { Ladder } from '../escalation/ladder.ts';
import { type HeadsUp, type NudgeTask, type PlannedNudge, planNudge } from '../escalation/plan-nudge.ts';
import { dueInstant, dueOf, overdueFrom } from './due.ts';
import type { Task } from './task-state.ts';
import type { Owner } from './tasks.store.ts';

export type PlannedFields = Pick<
  Task,
  'next_fire_at' | 'wanted_at' | 'overdue_at' | 'list_rank' | 'list_key' | 'plan_version'
>;
/** `due_at` is derived too: without a time, it depends on the owner's zone. */
type DerivedFields = PlannedFields & Pick<Task, 'due_at'>;
export type UnplannedTask = PlannerFields & Pick<Task, 'closed_at' | 'created_at'>;

export function deriveFields(task: UnplannedTask, owner: Owner, now: Date): DerivedFields {
  const nudgeTask = toNudgeTask(task, owner);
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
  forecastNudges(toNudgeTask(task, owner), owner, now, limit);

/** Whether the task has another ladder by a change of its own choice or of its label. */
export function isOtherLadder(before: Task, after: Task, { ladders }: Pick<Owner, 'ladders'>): boolean {
  const names = ['ladder', 'kind', 'ladder_label'] as const;
  if (names.every((name) => before[name] === after[name])) return false;
  return textOf(chooseLadder(before, ladders).ladder) !== textOf(chooseLadder(after, ladders).ladder);
}

const textOf = ({ rungs, end }: Ladder): string => JSON.stringify({ rungs, end });

/** Besides the one of `lead_time_days`. */
export const MOST_HEADS_UPS = 5;
export const LONGEST_LEAD_DAYS = 30;

/** The first due nudge, and before it the end of a snooze and the heads-ups. */
const NEXT_MOMENTS = 3 + MOST_HEADS_UPS;

/** Whether one of the next nudges is wanted at exactly this moment, and can still pass the holds. */
export const canRingAt = (task: UnplannedTask, owner: Owner, at: Date, now: Date): boolean =>
  forecastTask({ ...task, rings_anyway_at: at }, owner, now, NEXT_MOMENTS).some(
    ({ wantedAt, holds }) => wantedAt.getTime() === at.getTime() && holds.length === 0,
  );

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
  | 'shortest_wait'
  | 'kind'
  | 'ladder'
  | 'ladder_label'
  | 'heads_ups'
  | 'rings_anyway_at'
>;

export function toNudgeTask(task: PlannerFields, { ladders }: Pick<Owner, 'ladders'>): NudgeTask {
  return {
    isOpen: task.status === 'open',
    isAccepted: task.accepted_by_owner,
    mode: task.mode,
    mustNotMiss: task.break_quiet_hours,
    due: dueOf(task),
    ladder: chooseLadder(task, ladders).ladder,
    leadTimeDays: task.lead_time_days,
    headsUps: task.heads_ups === null ? [] : (JSON.parse(task.heads_ups) as HeadsUp[]),
    deferredUntil: task.deferred_until,
    runStartedAt: task.run_started_at,
    step: task.step,
    lastNudgeAt: task.last_nudge_at,
    headsUpAt: task.heads_up_at,
    maxStage: task.max_stage,
    shortestWait: task.shortest_wait,
    ringsAnywayAt: task.rings_anyway_at,
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
