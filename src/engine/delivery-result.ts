/** What a provider's answer means for a delivery: done, failed, or another attempt later. */
import type { PushResult } from '../push/gateway.ts';
import type { DeliveryResultRow } from './dispatch.store.ts';
import { MOST_ATTEMPTS, pauseBeforeRetryMs } from './retry-policy.ts';

export type DeliveryResult = Pick<DeliveryResultRow, 'status' | 'reason'> & {
  readonly ref?: string | null;
  /** The wait before the next attempt, if there is one. */
  readonly retryInMs?: number;
};

export function toDeliveryResult(result: PushResult, attempt: number, random: number): DeliveryResult {
  switch (result.kind) {
    case 'accepted':
      return { status: 'sent', reason: null, ...(result.ref !== undefined && { ref: result.ref }) };
    case 'gone':
    case 'rejected':
      return { status: 'failed_permanent', reason: result.reason };
    case 'misconfigured':
    case 'retry': {
      const { reason } = result;
      if (attempt >= MOST_ATTEMPTS) return { status: 'failed_transient', reason };
      const askedMs = result.kind === 'retry' ? result.afterMs : undefined;
      return { status: 'pending', reason, retryInMs: pauseBeforeRetryMs(attempt, askedMs, random) };
    }
  }
}
