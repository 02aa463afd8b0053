/** Which stage of a task its badge shows. Pure. */
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
