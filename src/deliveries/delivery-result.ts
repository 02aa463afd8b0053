/** What a provider's answer means for a delivery: done, failed, or another attempt later. */
import type { WaitsFor } from '../db/tables/deliveries.ts';
import type { PushResult } from '../push/gateway.ts';
import type { DeliveryResultRow } from './outbox.store.ts';
import {
  MOST_ATTEMPTS,
  pauseBeforeRetryMs,
  UNSENT_COUNTS_AFTER_MS,
  UNSENT_WAITS_LIKE_ATTEMPT,
} from './retry-policy.ts';

export type DeliveryResult = Pick<DeliveryResultRow, 'status' | 'reason'> & {
  /** Set if it is still pending. */
  readonly waitsFor?: WaitsFor;
  readonly ref?: string | null;
  /** The wait before the next attempt, if there is one. */
  readonly retryInMs?: number;
};

/** How many attempts a delivery has used after this one. */
export const attemptsUsed = (result: PushResult, attempt: number, ageMs: number): number =>
  isUnsent(result) && ageMs < UNSENT_COUNTS_AFTER_MS ? attempt - 1 : attempt;

const isUnsent = (result: PushResult): boolean => result.kind === 'retry' && result.isUnsent === true;

export function toDeliveryResult(result: PushResult, attempts: number, random: number): DeliveryResult {
  switch (result.kind) {
    case 'accepted':
      return { status: 'sent', reason: null, ...(result.ref !== undefined && { ref: result.ref }) };
    case 'gone':
    case 'rejected':
      return { status: 'failed_permanent', reason: result.reason };
    case 'misconfigured':
    case 'retry': {
      const { reason } = result;
      if (attempts >= MOST_ATTEMPTS) return { status: 'failed_transient', reason };
      const askedMs = result.kind === 'retry' ? result.afterMs : undefined;
      const failures = isUnsent(result) ? Math.max(attempts, UNSENT_WAITS_LIKE_ATTEMPT) : attempts;
      return {
        status: 'pending',
        waitsFor: 'retry',
        reason,
        retryInMs: pauseBeforeRetryMs(failures, askedMs, random),
      };
    }
  }
}
