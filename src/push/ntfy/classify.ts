/** What ntfy's answer means. Pure. */

import type { Answer } from '../../outbound/http-sender.ts';
import { askedToRetry, classifyAnswer, fieldsOf } from '../channel-answer.ts';
import type { PushResult } from '../gateway.ts';

/** A 429 does not say how long to wait. One more message is allowed after 5 s, unless the day's quota is used up. */
const REFILL_MS = 5_000;
const QUOTA_MS = 900_000;
const DAILY_QUOTA = 42908;
/** Too many wrong tokens from our address: the server refuses everybody for a while. */
const LOCKED_OUT = 42909;

export function classify(answer: Answer, now: Date, ref?: string): PushResult {
  if (answer.status !== 429) return classifyAnswer(answer, now, ref);
  const code = codeOf(answer.body);
  const afterMs = code === DAILY_QUOTA || code === LOCKED_OUT ? QUOTA_MS : REFILL_MS;
  return askedToRetry(429, afterMs);
}

/**
 * An old server, such as 2.11, cannot delete messages. Then the notification stays, and a retry would not help.
 */
export const classifyRetraction = (answer: Answer, now: Date): PushResult =>
  answer.status === 404 || answer.status === 405 ? { kind: 'accepted' } : classify(answer, now);

/** An old server accepts a message but ignores its sequence id. Then its answer does not contain the id. */
export const hasSequence = ({ body }: Answer, id: string): boolean => fieldsOf(body).sequence_id === id;

const TOO_SOON = 40005;
const TOO_FAR = 40006;

/** `too_far`: the server's operator lets it hold messages for a shorter time. */
export function classifyHeld(answer: Answer, now: Date, ref: string): PushResult {
  const code = codeOf(answer.body);
  if (code === TOO_SOON || code === TOO_FAR)
    return { kind: 'rejected', reason: code === TOO_FAR ? 'too_far' : 'too_soon' };
  return classify(answer, now, ref);
}

const codeOf = (body: string): unknown => fieldsOf(body).code;
