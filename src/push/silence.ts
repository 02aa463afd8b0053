/**
 * Somebody who gives no answer is left alone for a while, except by one push now and then that tries again. What waits
 * meanwhile is looked at less often the longer the silence lasts, because each look reads and writes the database.
 */
import { withJitter } from '../lib/back-off.ts';
import type { Clock } from '../lib/clock.ts';
import { Cooldown } from './cooldown.ts';

const PAUSE_MS = 15_000;
const LONGEST_WAIT_MS = 300_000;

export class Silence {
  readonly #clock: Clock;
  readonly #cooldown: Cooldown;
  #since: Date | undefined;
  #isProbed = false;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#cooldown = new Cooldown(clock);
  }

  start(): void {
    this.#since ??= this.#clock.now();
    this.#cooldown.start(PAUSE_MS);
  }

  end(): void {
    this.#since = undefined;
  }

  /** How long a push should wait; undefined if it may be sent. */
  findWaitMs(): number | undefined {
    if (!this.#since) return undefined;
    const remainingMs = this.#cooldown.remainingMs();
    if (remainingMs === 0 && !this.#isProbed) return undefined;
    return Math.max(remainingMs, waitAfter(this.#since, this.#clock.now()));
  }

  /** To be called when a push is sent; returns what is called when that push has ended. */
  probe(): () => void {
    if (!this.#since || this.#isProbed) return () => undefined;
    this.#isProbed = true;
    return () => {
      this.#isProbed = false;
    };
  }
}

/** A quarter of the time that the trouble has lasted at most, so that a push comes at most that much later than it could. */
export function waitAfter(since: Date, now: Date): number {
  const lastedMs = Math.max(0, now.getTime() - since.getTime());
  return Math.round(withJitter(Math.min(lastedMs / 4, LONGEST_WAIT_MS), Math.random()));
}
