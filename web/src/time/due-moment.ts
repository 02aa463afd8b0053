/** When a task is to be done next. Pure. */
import type { Task } from '../api/client.ts';

type Dated = Pick<Task, 'due_at' | 'deferred_until'>;

export const isSnoozed = ({ deferred_until }: Pick<Task, 'deferred_until'>, now: number): boolean =>
  deferred_until !== null && Date.parse(deferred_until) > now;

/**
 * A snooze that has ended no longer counts, except for a task without a date: its nudges began when the snooze ended.
 * A task that has never had a date has no moment.
 */
export function momentOf(task: Dated, now: number): number | undefined {
  const moment = isSnoozed(task, now) ? task.deferred_until : (task.due_at ?? task.deferred_until);
  return moment === null ? undefined : Date.parse(moment);
}
