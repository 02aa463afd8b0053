/**
 * What a due task becomes when the engine gets to it: the next step of its ladder, the timeline's
 * entries, a delivery for each device. Pure, so that what the engine does equals what the forecast
 * said it would.
 */
import { afterNudge } from '../escalation/forecast.ts';
import { HEADS_UP_STAGE } from '../escalation/ladder.ts';
import { type NudgeSettings, type NudgeTask, type PlannedNudge, planNudge } from '../escalation/plan-nudge.ts';

export interface Fired {
  readonly stage: number;
  /** What held the nudge until now, from when on. */
  readonly held: { readonly from: Date; readonly holds: PlannedNudge['holds'] } | null;
  readonly after: NudgeTask;
  readonly next: PlannedNudge | null;
}

/** Null where the task has nothing to say at this moment after all; then `next` tells when it will. */
export type Due = { readonly fired: Fired } | { readonly fired: null; readonly next: PlannedNudge | null };

export function fire(task: NudgeTask, settings: NudgeSettings, plannedFor: Date | null, now: Date): Due {
  const nudge = planNudge(task, settings, now);
  if (!nudge || nudge.at > now) return { fired: null, next: nudge };
  const after = afterNudge(task, { at: now, stage: nudge.stage });
  const fired = { stage: nudge.stage, held: heldUntilNow(task, settings, nudge, plannedFor), after };
  return { fired: { ...fired, next: planNudge(after, settings, now) } };
}

/** A nudge that is merely late was not held: it was planned for the very moment it wanted. */
function heldUntilNow(
  task: NudgeTask,
  settings: NudgeSettings,
  { wantedAt, stage }: PlannedNudge,
  plannedFor: Date | null,
): Fired['held'] {
  if (!plannedFor || plannedFor <= wantedAt) return null;
  const asWanted = planNudge(task, settings, wantedAt);
  return asWanted?.stage === stage && asWanted.holds.length > 0 ? { from: wantedAt, holds: asWanted.holds } : null;
}

/** A heads-up counts as a nudge and does not change the stage. */
export const stageAfter = (stage: number, before: number): number => (stage === HEADS_UP_STAGE ? before : stage);
