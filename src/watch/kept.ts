import type { Clock } from '../lib/clock.ts';

/**
 * Asks at most once in a while, and whoever comes meanwhile gets the same answer, so that a scrape
 * never costs the database more than it was worth. Undefined where the asking failed.
 */
export function keptFor<T>(clock: Clock, forMs: number, ask: () => Promise<T>): () => Promise<T | undefined> {
  let askedAt = Number.NEGATIVE_INFINITY;
  let answer: Promise<T | undefined> = Promise.resolve(undefined);
  return () => {
    const now = clock.now().getTime();
    // The other bound is for a clock that was set back.
    if (now - askedAt < forMs && now >= askedAt) return answer;
    askedAt = now;
    answer = ask().catch(() => undefined);
    return answer;
  };
}
