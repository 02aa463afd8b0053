/**
 * What firing does to a due task: the next step of its ladder and the plan for the nudge after it.
 * Pure, so that the engine does exactly what the forecast predicted.
 */
import { afterNudge } from '../escalation/forecast.ts';
import { HEADS_UP_STAGE } from '../escalation/ladder.ts';
import { type NudgeTask, type PlannedNudge, planNudge } from '../escalation/plan-nudge.ts';
import type { PlanSettings } from '../escalation/plan-settings.ts';

export interface Fired {
  readonly stage: number;
  /** The holds that delayed the nudge until now, and since when. */
  readonly held: { readonly from: Date; readonly holds: PlannedNudge['holds'] } | null;
  readonly after: NudgeTask;
}

interface Firing {
  /** Null if no nudge is due now after all. */
  readonly fired: Fired | null;
  readonly next: PlannedNudge | null;
}

export function fire(task: NudgeTask, settings: PlanSettings, plannedFor: Date | null, now: Date): Firing {
  const nudge = planNudge(task, settings, now);
  if (!nudge || nudge.at > now) return { fired: null, next: nudge };
  const after = afterNudge(task, { at: now, stage: nudge.stage });
  const held = findHold(task, settings, nudge, plannedFor);
  return { fired: { stage: nudge.stage, held, after }, next: planNudge(after, settings, now) };
}

/** Null for a nudge that is merely late: it was planned for its own moment, not for the end of a hold. */
function findHold(
  task: NudgeTask,
  settings: PlanSettings,
  { wantedAt, stage }: PlannedNudge,
  plannedFor: Date | null,
): Fired['held'] {
  if (!plannedFor || plannedFor <= wantedAt) return null;
  const asWanted = planNudge(task, settings, wantedAt);
  return asWanted?.stage === stage && asWanted.holds.length > 0 ? { from: wantedAt, holds: asWanted.holds } : null;
}

/** A heads-up counts as a nudge but does not change the stage. */
export const stageAfter = (stage: number, before: number): number => (stage === HEADS_UP_STAGE ? before : stage);
