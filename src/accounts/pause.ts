/**
 * The pause of an account, stored as its start and its end, and at most one pause that is planned.
 *
 *          open             the end is reached, or the user ends it            acknowledge
 *   none ────────▶ running ───────────────────────────────────────────▶ over ─────────────▶ none
 *                    │ open again: a new end, the same start              │ open: a new pause
 *                    └──────◀                                             └──▶ running
 *
 *   planned ────────▶ running, when its start is reached
 *
 * From the end of a pause until it is acknowledged, the app shows the welcome-back card. A new pause keeps
 * it: one card covers all pauses that are over and not acknowledged, and acknowledging it never ends a
 * running pause.
 *
 * Nothing runs when a planned pause begins: each function here settles the facts it is given first, and each
 * change of the pause stores them settled. A pause that is opened now leaves the planned one as it is. If the
 * two meet, they become one when the planned one begins, with the later end and its treatment of must-not-miss tasks.
 */
export interface PauseFacts {
  readonly pause_from: Date | null;
  readonly pause_until: Date | null;
  readonly keep_must_not_miss: boolean;
  /** The pauses that were over and not acknowledged when this one was opened. */
  readonly unseen_pause_from: Date | null;
  readonly unseen_pause_until: Date | null;
  readonly planned_pause_from: Date | null;
  readonly planned_pause_until: Date | null;
  readonly planned_keep_must_not_miss: boolean | null;
}

/** A pause that is over and not acknowledged. */
export interface PastPause {
  readonly paused_from: Date;
  readonly paused_until: Date;
}

export interface PlannedPause {
  readonly from: Date;
  readonly until: Date;
  readonly keep_must_not_miss: boolean;
}

const NO_UNSEEN_PAUSE = { unseen_pause_from: null, unseen_pause_until: null };
const NO_PLANNED_PAUSE = { planned_pause_from: null, planned_pause_until: null, planned_keep_must_not_miss: null };

/** The pause as of now: a planned pause that has started becomes the pause. Drops the account's other fields. */
export function settlePause(facts: PauseFacts, now: Date): PauseFacts {
  const stored = pauseFactsOf(facts);
  const planned = plannedPauseOf(facts);
  if (!planned || planned.from > now) return stored;
  const settled = { ...stored, ...NO_PLANNED_PAUSE };
  const { pause_from, pause_until } = stored;
  if (pause_until && pause_until >= planned.until) return settled;
  const begun = { ...settled, pause_until: planned.until, keep_must_not_miss: planned.keep_must_not_miss };
  if (pause_from && pause_until && pause_until >= planned.from) return begun;
  return { ...begun, pause_from: planned.from, ...coverUnseen(stored, planned.from) };
}

/** Null if none is running. */
export function findPauseEnd(facts: PauseFacts, now: Date): Date | null {
  const { pause_until } = settlePause(facts, now);
  return pause_until && pause_until > now ? pause_until : null;
}

const isPaused = (facts: PauseFacts, now: Date): boolean => findPauseEnd(facts, now) !== null;

/** The pause that has not begun yet; null without one. */
export const findPlannedPause = (facts: PauseFacts, now: Date): PlannedPause | null =>
  plannedPauseOf(settlePause(facts, now));

/** The pauses that the welcome-back card is about, oldest first: at most two. */
export function listPastPauses(facts: PauseFacts, now: Date): PastPause[] {
  const settled = settlePause(facts, now);
  const earlier = toPastPause(settled.unseen_pause_from, settled.unseen_pause_until);
  const last = isPaused(settled, now) ? [] : toPastPause(settled.pause_from, settled.pause_until);
  return [...earlier, ...last];
}

/** From the start of the first to the end of the last; null without any. */
export function coverPauses(pauses: readonly PastPause[]): PastPause | null {
  const [first, last] = [pauses[0], pauses.at(-1)];
  return first && last ? { paused_from: first.paused_from, paused_until: last.paused_until } : null;
}

export function openPause(facts: PauseFacts, until: Date, keepMustNotMiss: boolean, now: Date): PauseFacts {
  const settled = settlePause(facts, now);
  const opened = { ...settled, pause_until: until, keep_must_not_miss: keepMustNotMiss };
  return isPaused(settled, now) ? opened : { ...opened, pause_from: now, ...coverUnseen(settled, now) };
}

export function endPause(facts: PauseFacts, now: Date): PauseFacts {
  const settled = settlePause(facts, now);
  return isPaused(settled, now) ? { ...settled, pause_until: now } : settled;
}

export function acknowledgePause(facts: PauseFacts, now: Date): PauseFacts {
  const settled = settlePause(facts, now);
  const acknowledged = { ...settled, ...NO_UNSEEN_PAUSE };
  return isPaused(settled, now) ? acknowledged : { ...acknowledged, pause_from: null, pause_until: null };
}

export const planPause = (facts: PauseFacts, planned: PlannedPause, now: Date): PauseFacts => ({
  ...settlePause(facts, now),
  planned_pause_from: planned.from,
  planned_pause_until: planned.until,
  planned_keep_must_not_miss: planned.keep_must_not_miss,
});

/** A planned pause that has begun is running, so it stays. */
export const cancelPlannedPause = (facts: PauseFacts, now: Date): PauseFacts => ({
  ...settlePause(facts, now),
  ...NO_PLANNED_PAUSE,
});

/** The pauses that are over at this moment, for the card that is shown after the next one. */
function coverUnseen(facts: PauseFacts, now: Date) {
  const unseen = coverPauses(listPastPauses({ ...facts, ...NO_PLANNED_PAUSE }, now));
  return { unseen_pause_from: unseen?.paused_from ?? null, unseen_pause_until: unseen?.paused_until ?? null };
}

const toPastPause = (paused_from: Date | null, paused_until: Date | null): PastPause[] =>
  paused_from === null || paused_until === null ? [] : [{ paused_from, paused_until }];

function plannedPauseOf(facts: PauseFacts): PlannedPause | null {
  const { planned_pause_from: from, planned_pause_until: until, planned_keep_must_not_miss } = facts;
  return from && until && { from, until, keep_must_not_miss: planned_keep_must_not_miss ?? true };
}

const pauseFactsOf = (facts: PauseFacts): PauseFacts => ({
  pause_from: facts.pause_from,
  pause_until: facts.pause_until,
  keep_must_not_miss: facts.keep_must_not_miss,
  unseen_pause_from: facts.unseen_pause_from,
  unseen_pause_until: facts.unseen_pause_until,
  planned_pause_from: facts.planned_pause_from,
  planned_pause_until: facts.planned_pause_until,
  planned_keep_must_not_miss: facts.planned_keep_must_not_miss,
});
