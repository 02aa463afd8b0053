/** The engine keeps an eye on itself: one line when it falls behind, one when it has caught up. */
import type { Logger } from '../lib/logger.ts';

/** A nudge that comes later than this after its moment is late. */
export const LATE_MS = 10_000;
/** Well below, so that a backlog that is being worked off is not reported again and again. */
const PUNCTUAL_MS = 1_000;

export class SelfWatch {
  readonly #logger: Logger;
  #late = false;
  /** When the last sweep was, and what it did since the start. */
  lastSweepAt: Date | null = null;
  nudges = 0;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  swept(at: Date, lateMs: number, nudges: number): void {
    this.lastSweepAt = at;
    this.nudges += nudges;
    const late = lateMs > (this.#late ? PUNCTUAL_MS : LATE_MS);
    if (late === this.#late) return;
    this.#late = late;
    const lag_seconds = Math.round(lateMs / 1_000);
    if (late) this.#logger.warn({ lag_seconds }, 'the engine is late');
    else this.#logger.info({ lag_seconds }, 'the engine has caught up');
  }
}
