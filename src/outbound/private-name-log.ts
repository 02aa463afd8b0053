/**
 * Tells the operator which hosts were not called because their names lead into a private network. The person who chose
 * the address only learns that there is no such server. People choose the names, so few lines are written.
 */
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/logger.ts';
import type { OnPrivateName } from './public-lookup.ts';

const PERIOD_MS = 3_600_000;
const MOST_LINES = 20;

/** `setting` is the one that can allow such a host. */
export function privateNameLog(logger: Logger, clock: Clock, setting?: string): OnPrivateName {
  const named = new Set<string>();
  let periodEndsAtMs = 0;
  return (host) => {
    const nowMs = clock.now().getTime();
    // Also if the clock was set back.
    if (nowMs >= periodEndsAtMs || nowMs < periodEndsAtMs - PERIOD_MS) {
      named.clear();
      periodEndsAtMs = nowMs + PERIOD_MS;
    }
    if (named.has(host) || named.size >= MOST_LINES) return;
    named.add(host);
    logger.warn(
      { host, ...(setting && { setting }) },
      'a host that somebody chose is in a private network and is not called',
    );
  };
}
