/**
 * Applies the limits of an access token to the tasks that it changes.
 *
 * `max_stage` and `shortest_wait`: if a change by the token can bring nudges that the task would not have had, or not so
 * early, the task gets the token's ceiling and shortest wait, unless it has stricter ones. Such changes are: escalating
 * instead of notifying once, another ladder, must-not-miss, a date where there was none, an earlier one, a new rule, a
 * shorter snooze, accepting and reopening. A change that brings no nudges, such as renaming, postponing or completing,
 * leaves both as they are: an agent must not weaken what its user has set up. If a token undoes its own change, they stay
 * as they are, too. They end when the owner changes the mode or chooses the ladder of the task with a session, even the
 * one that it has.
 *
 * `max_open_tasks`: a task counts for the token that created it, or for the limited token that last reopened it.
 */
import { hasWaitUnder, type Ladder } from '../escalation/ladder.ts';
import type { Caller, TaskCaller } from '../lib/caller.ts';
import { AppError } from '../lib/errors.ts';
import { type Action, closedByToken, type Task } from './task-state.ts';

type ChangeName = Action['name'] | 'edit';
type Limits = Pick<Task, 'max_stage' | 'shortest_wait' | 'created_by_token'>;

const STRONGEST_STAGE = 2;

export interface LadderChange {
  /** The task has another ladder now, chosen for itself or by its label. */
  readonly isNew: boolean;
  /** The caller said which ladder the task has, maybe the one that it had. */
  readonly isChosen: boolean;
}

export function limitsAfter(
  before: Task,
  after: Task,
  caller: TaskCaller,
  change: ChangeName,
  ladder: LadderChange,
): Limits {
  const isReopened = before.status !== 'open' && after.status === 'open';
  const counts = isReopened && caller.kind === 'token' && caller.maxOpenTasks !== null;
  return {
    ...boundsAfter(before, after, caller, change, ladder),
    created_by_token: counts ? caller.tokenId : before.created_by_token,
  };
}

function boundsAfter(
  before: Task,
  after: Task,
  caller: TaskCaller,
  change: ChangeName,
  ladder: LadderChange,
): Omit<Limits, 'created_by_token'> {
  const { max_stage, shortest_wait } = before;
  if (caller.kind !== 'token') {
    const isOwnersWord = caller.userId === after.owner_id && (ladder.isChosen || after.mode !== before.mode);
    return isOwnersWord ? { max_stage: null, shortest_wait: null } : { max_stage, shortest_wait };
  }
  const { maxStage, shortestWait, tokenId } = caller;
  // Not if the owner has postponed the task since.
  const isOwnUndo = change === 'reopen' && closedByToken(before) === tokenId && before.deferred_until === null;
  const bringsMore = ladder.isNew || (after.break_quiet_hours && !before.break_quiet_hours);
  const isBound = after.mode === 'escalate' && !isOwnUndo && (bringsMore || bringsNudges(before, after, change));
  if (!isBound) return { max_stage, shortest_wait };
  return {
    max_stage: maxStage === null ? max_stage : Math.min(maxStage, max_stage ?? maxStage),
    shortest_wait: shortestWait === null ? shortest_wait : Math.max(shortestWait, shortest_wait ?? 0),
  };
}

function bringsNudges(before: Task, after: Task, change: ChangeName): boolean {
  if (after.mode !== before.mode) return true;
  const [was, is] = [startOfNudges(before), startOfNudges(after)];
  if (is === null || was === null) return is !== null;
  // The next occurrence of a series comes as its owner has set it up, unless the owner had snoozed for longer.
  if (change === 'complete' || change === 'skip') return before.deferred_until !== null && is < was;
  return is < was || after.recurrence !== before.recurrence || after.has_time !== before.has_time;
}

/** Null for a task that gets no nudges: closed, not accepted, or without a date. */
function startOfNudges({ status, accepted_by_owner, due_at, deferred_until }: Task): number | null {
  if (status !== 'open' || !accepted_by_owner || (due_at === null && deferred_until === null)) return null;
  return Math.max(due_at?.getTime() ?? 0, deferred_until?.getTime() ?? 0);
}

/** A token chooses no ladder with shorter waits than its own, also where the planner would lengthen them. */
export function checkShortestWait(caller: Caller, { rungs }: Ladder): void {
  const least = caller.kind === 'token' ? (caller.shortestWait ?? 0) : 0;
  if (!hasWaitUnder(rungs, least)) return;
  const sentence = `This access token chooses no waits under ${least} minutes between nudges. Choose longer ones.`;
  throw new AppError('not_allowed', { sentence });
}

/** A token with a ceiling makes no task louder than its user's quiet hours. */
export const mayBreakQuietHours = (caller: Caller): boolean =>
  caller.kind === 'session' || caller.maxStage === null || caller.maxStage === STRONGEST_STAGE;
