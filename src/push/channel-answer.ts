/** What an HTTP answer means if a provider has no rule of its own for it. Pure. */
import { parseRetryAfter } from '../lib/retry-after.ts';
import type { Answer } from '../outbound/http-sender.ts';
import type { PushResult } from './gateway.ts';

/** The fields of a JSON object. None if the body is anything else. */
export function fieldsOf<T extends object = Record<string, unknown>>(body: string): Partial<T> {
  try {
    const parsed: unknown = JSON.parse(body);
    return typeof parsed === 'object' && parsed !== null ? (parsed as Partial<T>) : {};
  } catch {
    return {};
  }
}

const RETRYABLE = [408, 425, 429];

/** `ref` goes into an accepted result. 401 and 403 refuse what the person entered, so they reject this channel only. */
export function classifyAnswer({ status, headers }: Answer, now: Date, ref?: string): PushResult {
  const reason = `http_${status}`;
  if (status >= 200 && status < 300) return ref === undefined ? { kind: 'accepted' } : { kind: 'accepted', ref };
  if (status === 401 || status === 403) return { kind: 'rejected', reason: 'credentials_refused', isCredentials: true };
  if (status < 500 && !RETRYABLE.includes(status)) return { kind: 'rejected', reason };
  return askedToRetry(status, parseRetryAfter(headers['retry-after'], now));
}

/** The server answered and asked for another attempt, so it does not count as silent. */
export const askedToRetry = (status: number, afterMs?: number): PushResult => ({
  kind: 'retry',
  reason: `http_${status}`,
  isAnswered: true,
  ...(afterMs !== undefined && { afterMs }),
});
