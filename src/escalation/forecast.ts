/** Forecasts the next nudges, provided that the task and the settings do not change, by running the planner forward. */
import { HEADS_UP_STAGE } from './ladder.ts';
import { type NudgeTask, type PlannedNudge, planNudge } from './plan-nudge.ts';
import type { PlanSettings } from './plan-settings.ts';

export function forecastNudges(task: NudgeTask, settings: PlanSettings, now: Date, limit: number): PlannedNudge[] {
  const nudges: PlannedNudge[] = [];
  let current = task;
  let moment = now;
  while (nudges.length < limit) {
    const next = planNudge(current, settings, moment);
    if (!next) break;
    nudges.push(next);
    current = afterNudge(current, next);
    moment = next.at;
  }
  return nudges;
}

/** The task after the nudge was sent. A due nudge raises the step, a heads-up does not. */
export function afterNudge(task: NudgeTask, { at, stage }: Pick<PlannedNudge, 'at' | 'stage'>): NudgeTask {
  if (stage === HEADS_UP_STAGE) return { ...task, headsUpAt: at, lastNudgeAt: at };
  return { ...task, step: task.step + 1, lastNudgeAt: at };
}
