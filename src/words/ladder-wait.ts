/** The ladders that words can ask for, as the API takes them. Pure. */

/** The ladders of the service. */
export const LADDER_NAMES = ['default', 'gentle', 'persistent', 'daily', 'medication'] as const;
export type LadderName = (typeof LADDER_NAMES)[number];

/** In minutes: thirty days. */
export const LONGEST_WAIT = 43_200;

interface WaitLadder {
  readonly rungs: { after: number; stage: number }[];
  readonly end: { readonly repeat_last: number; readonly times: null };
}

const STAGES = [0, 1, 1, 1, 1, 2];
/** With a shorter wait a day would have more nudges than a ladder may, so it slows down after some of them. */
const LASTING_WAIT = 5;
const SHORT_RUNGS = 18;
const WAIT_AFTER_SHORT = 10;

/** "nag every 10 minutes": without end, as strong as the persistent ladder: stage 1 from the second nudge on, stage 2 from the sixth. */
export function ladderEvery(minutes: number): WaitLadder {
  const later =
    minutes < LASTING_WAIT ? [...Array(SHORT_RUNGS).fill(minutes), WAIT_AFTER_SHORT] : Array(5).fill(minutes);
  return {
    rungs: [0, ...later].map((after, index) => ({ after, stage: STAGES[index] ?? 2 })),
    end: { repeat_last: 1, times: null },
  };
}
