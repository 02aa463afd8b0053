/** The nudges to come, if nothing happens meanwhile: the planner, run forward. */
import { HEADS_UP_STAGE } from './ladder.ts';
import { type NudgeSettings, type NudgeTask, type PlannedNudge, planNudge } from './plan-nudge.ts';

export function forecast(task: NudgeTask, settings: NudgeSettings, now: Date, most: number): PlannedNudge[] {
  const nudges: PlannedNudge[] = [];
  let current = task;
  let moment = now;
  while (nudges.length < most) {
    const next = planNudge(current, settings, moment);
    if (!next) break;
    nudges.push(next);
    current = afterNudge(current, next);
    moment = next.at;
  }
  return nudges;
}

/** What a nudge leaves behind: a heads-up does not climb the ladder, a due nudge does. */
export function afterNudge(task: NudgeTask, { at, stage }: Pick<PlannedNudge, 'at' | 'stage'>): NudgeTask {
  if (stage === HEADS_UP_STAGE) return { ...task, headsUpAt: at, lastNudgeAt: at };
  return { ...task, step: task.step + 1, lastNudgeAt: at };
}
