/**
 * The global pause of an account, as three facts: since when, until when, how much was held back.
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
  readonly pause_held: number;
}

export interface WelcomeBack {
  readonly paused_from: Date;
  readonly paused_until: Date;
  readonly held: number;
}

const NONE: PauseFacts = { pause_from: null, pause_until: null, pause_held: 0 };

export const isPaused = ({ pause_until }: PauseFacts, now: Date): boolean => pause_until !== null && pause_until > now;

/** Set from the end of a pause until it is acknowledged. */
export function welcomeBackOf(facts: PauseFacts, now: Date): WelcomeBack | null {
  const { pause_from, pause_until, pause_held } = facts;
  if (pause_from === null || pause_until === null || isPaused(facts, now)) return null;
  return { paused_from: pause_from, paused_until: pause_until, held: pause_held };
}

export function openPause(facts: PauseFacts, until: Date, now: Date): PauseFacts {
  return isPaused(facts, now)
    ? { ...facts, pause_until: until }
    : { pause_from: now, pause_until: until, pause_held: 0 };
}

export const endPause = (facts: PauseFacts, now: Date): PauseFacts =>
  isPaused(facts, now) ? { ...facts, pause_until: now } : facts;

export const acknowledgePause = (facts: PauseFacts, now: Date): PauseFacts => (isPaused(facts, now) ? facts : NONE);
