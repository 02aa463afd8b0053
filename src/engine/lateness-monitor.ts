/** Knows when the last sweep ran, and logs one line when the engine falls behind and one when it has caught up. */
import { LogOnChange } from '../lib/log-on-change.ts';
import type { Logger } from '../lib/logger.ts';

/** A nudge sent later than this after its moment is late. */
export const LATE_MS = 10_000;
/** Well below `LATE_MS`, so that the log does not flip while the engine works off a backlog. */
const ON_TIME_MS = 1_000;

export class LatenessMonitor {
  readonly #log: LogOnChange;
  lastSweepAt: Date | null = null;

  constructor(logger: Logger) {
    this.#log = new LogOnChange(logger, { failing: 'the engine is late', working: 'the engine has caught up' });
  }

  swept(at: Date, lateMs: number): void {
    this.lastSweepAt = at;
    const lag_seconds = Math.round(lateMs / 1_000);
    if (lateMs > LATE_MS) this.#log.failed({ lag_seconds });
    else if (lateMs <= ON_TIME_MS) this.#log.worked({ lag_seconds });
  }
}
