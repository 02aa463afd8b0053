/** Runs checks once a minute, one after the other. */
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/logger.ts';
import { Loop } from '../lib/loop.ts';

const MINUTE_MS = 60_000;

type Check = (stopped: AbortSignal) => Promise<void>;

export function minuteChecks(clock: Clock, logger: Logger, checks: readonly Check[]): Loop {
  let dueAt = Number.POSITIVE_INFINITY;
  return new Loop({
    name: 'minute checks',
    clock,
    logger,
    checkEveryMs: MINUTE_MS,
    work: async (stopped) => {
      const now = clock.now().getTime();
      if (now >= dueAt) for (const check of checks) if (!stopped.aborted) await runCheck(check, stopped, logger);
      // The first checks are due after a minute. If the clock was set back, they are due after a minute too.
      if (now >= dueAt || dueAt > now + MINUTE_MS) dueAt = now + MINUTE_MS;
      return new Date(dueAt);
    },
  });
}

/** A failed check is repeated in a minute. During a database outage other parts log the outage. */
async function runCheck(check: Check, stopped: AbortSignal, logger: Logger): Promise<void> {
  await check(stopped).catch((error) => logger.debug({ err: error }, 'a check of the service failed'));
}
