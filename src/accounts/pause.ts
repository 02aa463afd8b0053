/**
 * The pause of an account, stored as its start and its end.
 *
 *          open             the end is reached, or the user ends it            acknowledge
 *   none ────────▶ running ───────────────────────────────────────────▶ over ─────────────▶ none
 *                    │ open again: a new end, the same start              │ open: a new pause
 *                    └──────◀                                             └──▶ running
 *
 * From the end of a pause until it is acknowledged, the app shows the welcome-back card. A new pause keeps
 * it: one card covers all pauses that are over and not acknowledged, and acknowledging it never ends a
 * running pause.
 */
export interface PauseFacts {
  readonly pause_from: Date | null;
  readonly pause_until: Date | null;
  /** The pauses that were over and not acknowledged when this one was opened. */
  readonly unseen_pause_from: Date | null;
  readonly unseen_pause_until: Date | null;
}

/** A pause that is over and not acknowledged. */
export interface PastPause {
  readonly paused_from: Date;
  readonly paused_until: Date;
}

const NO_UNSEEN_PAUSE = { unseen_pause_from: null, unseen_pause_until: null };
const NONE: PauseFacts = { pause_from: null, pause_until: null, ...NO_UNSEEN_PAUSE };

export const isPaused = ({ pause_until }: PauseFacts, now: Date): boolean => pause_until !== null && pause_until > now;

/** The pauses that the welcome-back card is about, oldest first: at most two. */
export function listPastPauses(facts: PauseFacts, now: Date): PastPause[] {
  const earlier = toPastPause(facts.unseen_pause_from, facts.unseen_pause_until);
  const last = isPaused(facts, now) ? [] : toPastPause(facts.pause_from, facts.pause_until);
  return [...earlier, ...last];
}

/** From the start of the first to the end of the last; null without any. */
export function coverPauses(pauses: readonly PastPause[]): PastPause | null {
  const [first, last] = [pauses[0], pauses.at(-1)];
  return first && last ? { paused_from: first.paused_from, paused_until: last.paused_until } : null;
}

export function openPause(facts: PauseFacts, until: Date, now: Date): PauseFacts {
  if (isPaused(facts, now)) return { ...pauseFactsOf(facts), pause_until: until };
  const unseen = coverPauses(listPastPauses(facts, now));
  return {
    pause_from: now,
    pause_until: until,
    unseen_pause_from: unseen?.paused_from ?? null,
    unseen_pause_until: unseen?.paused_until ?? null,
  };
}

export const endPause = (facts: PauseFacts, now: Date): PauseFacts =>
  isPaused(facts, now) ? { ...pauseFactsOf(facts), pause_until: now } : pauseFactsOf(facts);

export const acknowledgePause = (facts: PauseFacts, now: Date): PauseFacts =>
  isPaused(facts, now) ? { ...pauseFactsOf(facts), ...NO_UNSEEN_PAUSE } : NONE;

const toPastPause = (paused_from: Date | null, paused_until: Date | null): PastPause[] =>
  paused_from === null || paused_until === null ? [] : [{ paused_from, paused_until }];

/** Without the other fields of an account. */
const pauseFactsOf = ({ pause_from, pause_until, unseen_pause_from, unseen_pause_until }: PauseFacts): PauseFacts => ({
  pause_from,
  pause_until,
  unseen_pause_from,
  unseen_pause_until,
});
