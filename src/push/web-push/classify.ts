/** What a push service's answer means: RFC 8030, and what the large services do beyond it. Pure. */
import { parseRetryAfter } from '../../lib/retry-after.ts';
import type { PushResult } from '../gateway.ts';
import type { Answer } from '../http-sender.ts';

/** Beside the 429 of the RFC: a time-out, and what Microsoft's service calls its throttle. */
const NOT_NOW = [429, 408, 406];

export function classify({ status, headers }: Pick<Answer, 'status' | 'headers'>, now: Date): PushResult {
  const reason = `http_${status}`;
  if (status >= 200 && status < 300) return { kind: 'accepted' };
  if (status === 404 || status === 410) return { kind: 'gone', reason };
  if (status === 401 || status === 403) return { kind: 'misconfigured', reason };
  if (status < 500 && !NOT_NOW.includes(status)) return { kind: 'rejected', reason };
  const afterMs = parseRetryAfter(headers['retry-after'], now);
  return afterMs === undefined ? { kind: 'retry', reason } : { kind: 'retry', reason, afterMs };
}
