/**
 * Notices the end of a provider's outage: pushes got no answer, or the provider failed, and now one is accepted. A
 * provider that asks for a pause is throttling and not out of order.
 *
 * One name may stand for many servers: people choose their own ntfy, and browsers their push services. Then a server
 * that works next to one that does not looks like an outage that ends again and again. So an end counts only once in the
 * time of the longest back-off: otherwise what waits for the broken server would use up its attempts in a minute.
 */

import { LONGEST_BACK_OFF_MS } from '../deliveries/retry-policy.ts';
import type { PushResult } from '../push/gateway.ts';

const FAILURES_OF_AN_OUTAGE = 3;

export class Outage {
  #failuresInARow = 0;
  #endedMs = Number.NEGATIVE_INFINITY;
  /** After an outage: the retries up to this moment are hastened, later ones may still wait because of it. */
  hastenedUpTo: Date | undefined;

  /** To be called with every result in order; says whether this one ends an outage. */
  ends(result: PushResult, now: Date): boolean {
    if (result.kind === 'retry' && result.afterMs === undefined && !result.isUnsent) {
      this.#failuresInARow += 1;
      if (this.#failuresInARow >= FAILURES_OF_AN_OUTAGE) this.hastenedUpTo = undefined;
    }
    if (result.kind !== 'accepted') return false;
    const isEnd = this.#failuresInARow >= FAILURES_OF_AN_OUTAGE && !this.#hasJustEnded(now);
    this.#failuresInARow = 0;
    if (!isEnd) return false;
    this.#endedMs = now.getTime();
    this.hastenedUpTo = now;
    return true;
  }

  /** A clock that was set back says nothing about it. */
  #hasJustEnded(now: Date): boolean {
    const elapsedMs = now.getTime() - this.#endedMs;
    return elapsedMs >= 0 && elapsedMs < LONGEST_BACK_OFF_MS;
  }

  /** The retries up to this moment are hastened; null if nothing waits any more. */
  hastened(upTo: Date | null): void {
    if (this.hastenedUpTo) this.hastenedUpTo = upTo ?? undefined;
  }
}
