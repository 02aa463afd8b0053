import type { Clock } from '../lib/clock.ts';

/**
 * Caches the result of `load` for `forMs`, so that frequent scrapes do not load the database. Concurrent
 * callers share one call. The result is undefined if `load` failed.
 */
export function cachedFor<T>(clock: Clock, forMs: number, load: () => Promise<T>): () => Promise<T | undefined> {
  let loadedAtMs = Number.NEGATIVE_INFINITY;
  let result: Promise<T | undefined> = Promise.resolve(undefined);
  return () => {
    const nowMs = clock.now().getTime();
    // The second condition is for a clock that was set back.
    if (nowMs - loadedAtMs < forMs && nowMs >= loadedAtMs) return result;
    loadedAtMs = nowMs;
    result = load().catch(() => undefined);
    return result;
  };
}
