import type { Clock } from '../lib/clock.ts';

/** A stretch of time in which something is not tried again. */
export class Cooldown {
  readonly #clock: Clock;
  #startedAtMs = 0;
  #lengthMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  start(lengthMs: number): void {
    this.#startedAtMs = this.#clock.now().getTime();
    this.#lengthMs = lengthMs;
  }

  /** Zero once it is over. A clock that was set back ends it, instead of stretching it by as much. */
  remainingMs(): number {
    const elapsedMs = this.#clock.now().getTime() - this.#startedAtMs;
    return elapsedMs < 0 ? 0 : Math.max(0, this.#lengthMs - elapsedMs);
  }
}
