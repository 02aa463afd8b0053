/**
 * The ladder: how strong each nudge of a run is, and how long after it the next one comes.
 *
 *   step      0      1       2       3       4       5 …
 *   stage     0      1       1       1       2       2
 *   wait     15 m   15 m    15 m    15 m    60 m    60 m, without end
 */
export const HEADS_UP_STAGE = -1;

const MINUTE_MS = 60_000;
const SHORT_WAITS = 4;

/** `maxStage` limits the stage, not the waits. */
export function stageOfStep(step: number, maxStage: number | null = null): number {
  const stage = step === 0 ? 0 : step < SHORT_WAITS ? 1 : 2;
  return maxStage === null ? stage : Math.min(stage, maxStage);
}

/** How long to wait after the nudge of this step. */
export const waitAfterStepMs = (step: number): number => (step < SHORT_WAITS ? 15 : 60) * MINUTE_MS;

/** The stages that a channel is used for, as bits: 1 for the heads-up, then 2, 4 and 8. */
export const includesStage = (bits: number, stage: number): boolean => (bits & (1 << (stage - HEADS_UP_STAGE))) !== 0;

export const toStageBits = (stages: readonly number[]): number =>
  stages.reduce((bits, stage) => bits | (1 << (stage - HEADS_UP_STAGE)), 0);

export const STAGES = [HEADS_UP_STAGE, 0, 1, 2] as const;
