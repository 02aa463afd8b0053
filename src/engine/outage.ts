/**
 * Notices the end of a provider's outage: pushes got no answer, or the provider failed, and now one is accepted. A
 * provider that asks for a pause is throttling and not out of order.
 */
import type { PushResult } from '../push/gateway.ts';

const FAILURES_OF_AN_OUTAGE = 3;

export class Outage {
  #failuresInARow = 0;
  /** Deliveries may still wait because of the outage. */
  isOver = false;

  /** To be called with every result in order; says whether this one ends an outage. */
  ends(result: PushResult): boolean {
    if (result.kind === 'retry' && result.afterMs === undefined) {
      this.#failuresInARow += 1;
      if (this.#failuresInARow >= FAILURES_OF_AN_OUTAGE) this.isOver = false;
    }
    if (result.kind !== 'accepted') return false;
    const isEnd = this.#failuresInARow >= FAILURES_OF_AN_OUTAGE;
    this.#failuresInARow = 0;
    if (isEnd) this.isOver = true;
    return isEnd;
  }

  /** Nothing waits any more. */
  recovered(): void {
    this.isOver = false;
  }
}
