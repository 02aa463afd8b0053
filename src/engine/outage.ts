/**
 * Notices the end of a provider's outage: pushes got no answer, or the provider failed, and now one is accepted. A
 * provider that asks for a pause throttles us; that is no outage.
 *
 * One provider may have many servers: people choose their own ntfy server, and browsers their push service. If one
 * server works and another does not, that looks like an outage that ends again and again. So an end counts at most once
 * per longest back-off. Otherwise the deliveries to the broken server would use up their attempts within a minute.
 */

import { LONGEST_BACK_OFF_MS } from '../deliveries/retry-policy.ts';
import type { PushResult } from '../push/gateway.ts';

const FAILURES_OF_AN_OUTAGE = 3;

export class Outage {
  #failuresInARow = 0;
  #endedMs = Number.NEGATIVE_INFINITY;
  /** Set after an outage: retries up to this moment are hastened, later ones may still wait because of the outage. */
  hastenedUpTo: Date | undefined;

  /** Call this with every result, in order. Returns whether this one ends an outage. */
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

  /** False if the clock was set back, since the time of the last end is then unknown. */
  #hasJustEnded(now: Date): boolean {
    const elapsedMs = now.getTime() - this.#endedMs;
    return elapsedMs >= 0 && elapsedMs < LONGEST_BACK_OFF_MS;
  }

  /** Records that retries up to this moment are hastened; null if no more are waiting. */
  hastened(upTo: Date | null): void {
    if (this.hastenedUpTo) this.hastenedUpTo = upTo ?? undefined;
  }
}
