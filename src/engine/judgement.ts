/** What a provider's answer means for a delivery. */
import type { PushResult } from '../push/gateway.ts';
import type { Outcome } from './dispatch.store.ts';
import { MOST_ATTEMPTS, pauseBeforeRetryMs } from './retry-policy.ts';

export type Judgement = Pick<Outcome, 'status' | 'reason'> & {
  /** How long to wait before the next attempt, where there is one. */
  readonly retryInMs?: number;
};

export function judge(result: PushResult, attempt: number, random: number): Judgement {
  switch (result.kind) {
    case 'accepted':
      return { status: 'sent', reason: null };
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
