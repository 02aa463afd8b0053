/**
 * A clock that ran ahead and is set back leaves traces in the future: a nudge that came too early, a run that
 * starts later than now. Planned from those, a task would be silent until then. Pure.
 */
import { type NudgeTask, planNudge } from './plan-nudge.ts';
import type { PlanSettings } from './plan-settings.ts';

/** The task as if the clock had been right: a nudge sent before the task was due does not count, later ones came now. */
export function afterSetBack(task: NudgeTask, settings: PlanSettings, now: Date): NudgeTask {
  const corrected = {
    ...task,
    runStartedAt: notAfter(task.runStartedAt, now),
    lastNudgeAt: task.lastNudgeAt && notAfter(task.lastNudgeAt, now),
    headsUpAt: task.headsUpAt && task.headsUpAt > now ? null : task.headsUpAt,
  };
  const fresh = { ...corrected, step: 0 };
  const first = planNudge(fresh, settings, now);
  return first && first.wantedAt > now ? fresh : corrected;
}

const notAfter = (moment: Date, now: Date): Date => (moment > now ? now : moment);
