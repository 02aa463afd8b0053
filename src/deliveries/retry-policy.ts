/** When a push that was not accepted is sent again. */
import { type BackOff, backOffMs, withJitter } from '../lib/back-off.ts';

export const LONGEST_BACK_OFF_MS = 300_000;

const BACK_OFF: BackOff = { firstMs: 2_000, longestMs: LONGEST_BACK_OFF_MS };

/** The longest wait, even if a provider asks for more: a reminder is worth another attempt by then. */
export const LONGEST_ASKED_MS = 900_000;

/** Enough for some hours. Usually retries end sooner: the next nudge supersedes this one, or the task is closed. */
export const MOST_ATTEMPTS = 50;

/**
 * A push that was not sent because it waited for others uses no attempt. After a day it does, so that a delivery to a
 * server that never comes back ends some hours later.
 */
export const UNSENT_COUNTS_AFTER_MS = 86_400_000;

/** 4 to 8 s. The wait of an unsent push does not grow, and each check costs two commits; a gateway may ask for more. */
export const UNSENT_WAITS_LIKE_ATTEMPT = 3;

/** With back-off and jitter, and never sooner than the provider asked for. */
export function pauseBeforeRetryMs(attempts: number, askedMs: number | undefined, random: number): number {
  const askedFor = Math.min(askedMs ?? 0, LONGEST_ASKED_MS);
  return Math.max(askedFor, withJitter(backOffMs(BACK_OFF, attempts), random));
}
