/** What Pushover's answer means. Pure. */

import type { Answer } from '../../outbound/http-sender.ts';
import { askedToRetry, fieldsOf } from '../channel-answer.ts';
import type { PushResult } from '../gateway.ts';

/** Pushover asks senders to wait at least this long after a fault of its own. */
const WAIT_MS = 5_000;

interface PushoverAnswer {
  readonly receipt?: unknown;
  /** 1 for yes. */
  readonly acknowledged?: unknown;
  /** `invalid` if the request was refused because of this field. */
  readonly user?: unknown;
  readonly token?: unknown;
  /** How many messages are left this month. */
  readonly remaining?: unknown;
}

export function classify(answer: Answer): PushResult {
  const { status } = answer;
  const reason = `http_${status}`;
  const { receipt, user, token } = fieldsOf<PushoverAnswer>(answer.body);
  if (status === 200) return { kind: 'accepted', ...(typeof receipt === 'string' && { ref: receipt }) };
  if (status >= 500) return askedToRetry(status, WAIT_MS);
  // 429: the quota of the operator's account is used up until the end of the month.
  if (status === 401 || status === 429 || token === 'invalid') return { kind: 'misconfigured', reason };
  // The person has unsubscribed, or has no device any more.
  if (status === 400 && user === 'invalid') return { kind: 'gone', reason: 'subscription_ended' };
  // Pushover blocks senders that repeat a request which it refused.
  return { kind: 'rejected', reason };
}

/** An alarm that was acknowledged or has expired cannot be cancelled, and need not be. */
export function classifyCancel(answer: Answer): PushResult {
  const result = classify(answer);
  return result.kind === 'rejected' ? { kind: 'accepted' } : result;
}

export function classifyLimits(answer: Answer): PushResult {
  const { remaining } = fieldsOf<PushoverAnswer>(answer.body);
  return remaining === 0 ? { kind: 'misconfigured', reason: 'quota_used_up' } : classify(answer);
}

export const isAcknowledged = ({ body }: Answer): boolean => fieldsOf<PushoverAnswer>(body).acknowledged === 1;
