/**
 * The global pause of an account, as two facts: since when and until when.
 *
 *          open                  its end comes, or is brought forward          acknowledge
 *   none ────────▶ running ───────────────────────────────────────────▶ over ─────────────▶ none
 *                    │ open again: a new end, the beginning stays         │ open: a new pause
 *                    └──────◀                                             └──▶ running
 *
 * While it is over and not acknowledged, the welcome-back card is shown: exactly once per pause.
 */
export interface PauseFacts {
  readonly pause_from: Date | null;
  readonly pause_until: Date | null;
}

/** The pause that is over and not acknowledged. */
export interface PastPause {
  readonly paused_from: Date;
  readonly paused_until: Date;
}

const NONE: PauseFacts = { pause_from: null, pause_until: null };

export const isPaused = ({ pause_until }: PauseFacts, now: Date): boolean => pause_until !== null && pause_until > now;

/** Set from the end of a pause until it is acknowledged. */
export function pastPauseOf(facts: PauseFacts, now: Date): PastPause | null {
  const { pause_from, pause_until } = facts;
  if (pause_from === null || pause_until === null || isPaused(facts, now)) return null;
  return { paused_from: pause_from, paused_until: pause_until };
}

export function openPause(facts: PauseFacts, until: Date, now: Date): PauseFacts {
  return isPaused(facts, now) ? { ...facts, pause_until: until } : { pause_from: now, pause_until: until };
}

export const endPause = (facts: PauseFacts, now: Date): PauseFacts =>
  isPaused(facts, now) ? { ...facts, pause_until: now } : facts;

export const acknowledgePause = (facts: PauseFacts, now: Date): PauseFacts => (isPaused(facts, now) ? facts : NONE);
