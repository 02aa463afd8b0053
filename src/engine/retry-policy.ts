/** When a push that was not taken is tried again. */
const FIRST_PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 300_000;

/** No pause is longer, even where a provider asks for it: a reminder is worth another try by then. */
export const LONGEST_ASKED_MS = 900_000;

/**
 * Some hours' worth. Usually it ends sooner: the next nudge of the task supersedes this one, and
 * dealing with the task calls it back.
 */
export const MOST_ATTEMPTS = 50;

/** Twice as long each time, never sooner than the provider asked for; spread, so that a whole batch does not return at once. */
export function pauseBeforeRetryMs(attempts: number, askedMs: number | undefined, random: number): number {
  const grown = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(attempts - 1, 20));
  const askedFor = Math.min(askedMs ?? 0, LONGEST_ASKED_MS);
  return Math.max(askedFor, grown * (0.5 + random / 2));
}
