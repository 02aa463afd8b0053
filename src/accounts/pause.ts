/**
 * The pause of an account, stored as its start and its end.
 *
 *          open             the end is reached, or the user ends it            acknowledge
 *   none ────────▶ running ───────────────────────────────────────────▶ over ─────────────▶ none
 *                    │ open again: a new end, the same start              │ open: a new pause
 *                    └──────◀                                             └──▶ running
 *
 * From the end of a pause until it is acknowledged, the app shows the welcome-back card: once per pause.
 */
export interface PauseFacts {
  readonly pause_from: Date | null;
  readonly pause_until: Date | null;
}

/** A pause that is over and not acknowledged. */
export interface PastPause {
  readonly paused_from: Date;
  readonly paused_until: Date;
}

const NONE: PauseFacts = { pause_from: null, pause_until: null };

export const isPaused = ({ pause_until }: PauseFacts, now: Date): boolean => pause_until !== null && pause_until > now;

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
