import type { Clock } from '../lib/clock.ts';

/** A period during which something is not tried again. */
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

  /** Zero when the cooldown is over. Setting the clock back ends the cooldown; otherwise it would last that much longer. */
  remainingMs(): number {
    const elapsedMs = this.#clock.now().getTime() - this.#startedAtMs;
    return elapsedMs < 0 ? 0 : Math.max(0, this.#lengthMs - elapsedMs);
  }
}
