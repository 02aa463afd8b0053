/** Turns the answer of a push service into a push result, by RFC 8030 and the habits of the large services. Pure. */
import { parseRetryAfter } from '../../lib/retry-after.ts';
import type { Answer } from '../../outbound/http-sender.ts';
import { askedToRetry } from '../channel-answer.ts';
import type { PushResult } from '../gateway.ts';

/** 429 is from the RFC, 408 is a timeout, and 406 is how Microsoft's service throttles. */
const RETRYABLE = [429, 408, 406];
/** Google's service answers this if it cannot read the token in the endpoint: zaru/webpush issue 52. */
const MALFORMED_ENDPOINT = /\bInvalidTokenFormat\b/;

export function classify({ status, headers, body }: Answer, now: Date): PushResult {
  const reason = `http_${status}`;
  if (status >= 200 && status < 300) return { kind: 'accepted' };
  if (status === 404 || status === 410) return { kind: 'gone', reason };
  if (status === 400 && MALFORMED_ENDPOINT.test(body)) return { kind: 'gone', reason: 'InvalidTokenFormat' };
  if (status === 401 || status === 403) return { kind: 'misconfigured', reason };
  if (status < 500 && !RETRYABLE.includes(status)) return { kind: 'rejected', reason };
  return askedToRetry(status, parseRetryAfter(headers['retry-after'], now));
}
