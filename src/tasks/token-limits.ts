/**
 * Applies the limits of an access token to the tasks that it changes.
 *
 * `max_stage`: if a change by the token can bring nudges that the task would not have had, or not so early, the task
 * gets the token's ceiling, unless it has a lower one. Such changes are: escalating instead of notifying once, a
 * date where there was none, an earlier one, a new rule, a shorter snooze, accepting and reopening. A change that
 * brings no nudges, such as renaming, postponing or completing, leaves the ceiling as it is: an agent must not weaken
 * what its user has set up. If a token undoes its own change, the ceiling stays as it is, too. The ceiling ends when
 * the owner changes the mode of the task with a session.
 *
 * `max_open_tasks`: a task counts for the token that created it, or for the limited token that last reopened it.
 */
import type { Caller, TaskCaller } from '../lib/caller.ts';
import { type Action, closedByToken, type Task } from './task-state.ts';

type ChangeName = Action['name'] | 'edit';
type Limits = Pick<Task, 'max_stage' | 'created_by_token'>;

const STRONGEST_STAGE = 2;

export function limitsAfter(before: Task, after: Task, caller: TaskCaller, change: ChangeName): Limits {
  const isReopened = before.status !== 'open' && after.status === 'open';
  const counts = isReopened && caller.kind === 'token' && caller.maxOpenTasks !== null;
  return {
    max_stage: ceilingAfter(before, after, caller, change),
    created_by_token: counts ? caller.tokenId : before.created_by_token,
  };
}

function ceilingAfter(before: Task, after: Task, caller: TaskCaller, change: ChangeName): number | null {
  if (caller.kind !== 'token') {
    const isModeChosen = caller.userId === after.owner_id && after.mode !== before.mode;
    return isModeChosen ? null : before.max_stage;
  }
  const { maxStage, tokenId } = caller;
  // Not if the owner has postponed the task since.
  const isOwnUndo = change === 'reopen' && closedByToken(before) === tokenId && before.deferred_until === null;
  const isCapped = maxStage !== null && after.mode === 'escalate' && !isOwnUndo && bringsNudges(before, after, change);
  return isCapped ? Math.min(maxStage, before.max_stage ?? maxStage) : before.max_stage;
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

/** A token with a ceiling makes no task louder than its user's quiet hours. */
export const mayBreakQuietHours = (caller: Caller): boolean =>
  caller.kind === 'session' || caller.maxStage === null || caller.maxStage === STRONGEST_STAGE;
