/**
 * A ladder: the due nudges of a run, one rung each. A rung says how long after the previous nudge it comes and how
 * strong it is; the end says what happens after the last rung. The same shape is stored, and sent through the API.
 *
 *   default   nudge    1      2       3       4       5       6 …
 *             after    0     15 m    15 m    15 m    15 m    60 m, without end
 *             stage    0      1       1       1       2       2
 */
export const HEADS_UP_STAGE = -1;

/** Minutes since the previous nudge, or a moment of the next day: the start of the owner's day, or a wall time "HH:MM". */
export type After = number | 'day_start' | `${number}:${number}`;

export interface Rung {
  readonly after: After;
  readonly stage: number;
}

export interface Ladder {
  readonly rungs: readonly Rung[];
  /** The last rungs come again, so many times or without end (`times` null). Null: the ladder stops. */
  readonly end: { readonly repeat_last: number; readonly times: number | null } | null;
}

/** The rung of this step, counted from 0; null after the end. The waits of a repeated rung come again, its stage does not fall. */
export function rungAt({ rungs, end }: Ladder, step: number): Rung | null {
  const rung = rungs[step];
  if (rung) return rung;
  if (!end) return null;
  const over = step - rungs.length;
  if (end.times !== null && over >= end.times * end.repeat_last) return null;
  const repeated = rungs[rungs.length - end.repeat_last + (over % end.repeat_last)];
  return repeated ? { ...repeated, stage: lastStageOf(rungs) } : null;
}

/** Stages never fall, so the last rung has the highest. */
const lastStageOf = (rungs: readonly Rung[]): number => rungs.at(-1)?.stage ?? 0;

/** A ladder that ended too early for its task goes on with its last rung, this many minutes apart at least. */
const LASTING_WAIT = 5;
/** If the only rung is the one at the due moment, there is no wait to repeat. */
const WAIT_AFTER_LONE_RUNG = 60;

/** The last rung once more, for a task that must not be missed although its ladder has ended. */
export function lastingRung({ rungs }: Ladder): Rung {
  const { after, stage } = rungs.at(-1) ?? { after: 0, stage: 0 };
  if (typeof after !== 'number') return { after, stage };
  return { after: after === 0 ? WAIT_AFTER_LONE_RUNG : Math.max(after, LASTING_WAIT), stage };
}

/** Waits are at least this long, in minutes, whatever the ladder says. */
export const shortestWait = (mustNotMiss: boolean): number => (mustNotMiss ? 1 : 5);

/** Whether a rung comes sooner after the previous nudge. The first one follows none. */
export const hasWaitUnder = (rungs: readonly Rung[], minutes: number): boolean =>
  rungs.slice(1).some(({ after }) => typeof after === 'number' && after < minutes);

/** Whether the nudge of this step follows another due nudge of its run. */
export const isRepeat = (stage: number, step: number): boolean => stage !== HEADS_UP_STAGE && step > 0;

/** The stages that a channel is used for, as bits: 1 for the heads-up, then 2, 4 and 8. */
export const includesStage = (bits: number, stage: number): boolean => (bits & (1 << (stage - HEADS_UP_STAGE))) !== 0;

export const toStageBits = (stages: readonly number[]): number =>
  stages.reduce((bits, stage) => bits | (1 << (stage - HEADS_UP_STAGE)), 0);

export const STAGES = [HEADS_UP_STAGE, 0, 1, 2] as const;
