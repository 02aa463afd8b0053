/** Which stage of a task its badge shows, and which comes next. Pure. */
import type { Task } from '../api/client.ts';
import { isSnoozed, momentOf } from '../time/due-moment.ts';

type Nudged = Pick<Task, 'escalation_stage' | 'last_nudge_at' | 'due_at' | 'deferred_until'>;

/**
 * The stage of this occurrence's last nudge, or undefined if none has come. After Done the service goes on
 * counting the nudges of the series, so its stage 0 says only where the next ladder begins.
 */
export function shownStage(task: Nudged, now: number): number | undefined {
  const { escalation_stage: stage, last_nudge_at } = task;
  if (last_nudge_at === null || isSnoozed(task, now)) return undefined;
  const moment = momentOf(task, now);
  const hasCome = stage < 0 || (moment !== undefined && Date.parse(last_nudge_at) >= moment);
  return hasCome ? stage : undefined;
}

type Planned = Nudged & Pick<Task, 'next_fire_at'>;

/** Of a task that no nudge was sent about yet; later ones depend on when they come. */
export function nextStage(task: Planned, now: number): number | undefined {
  if (task.next_fire_at === null || shownStage(task, now) !== undefined) return undefined;
  return task.deferred_until === null && Date.parse(task.next_fire_at) < Date.parse(task.due_at ?? '') ? -1 : 0;
}

/** Then nothing holds it, and the words about holds need not be loaded. */
export const ringsOnTime = ({ next_fire_at, due_at, deferred_until }: Planned): boolean =>
  next_fire_at === (deferred_until ?? due_at);
