/**
 * A generous limit on requests per account and minute, against a client that has gone wild. It is
 * counted in memory and per process: it guards capacity, not a secret, and must cost nothing.
 */
import type { Clock } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';

const WINDOW_MS = 60_000;

export class AccountRate {
  readonly #most: number;
  readonly #clock: Clock;
  #counts = new Map<string, number>();
  #windowEndsAt = 0;

  constructor(most: number, clock: Clock) {
    this.#most = most;
    this.#clock = clock;
  }

  count(userId: string): void {
    const now = this.#clock.now().getTime();
    // The bound on the other side is for a clock that was set back.
    if (now >= this.#windowEndsAt || now < this.#windowEndsAt - WINDOW_MS) {
      this.#counts = new Map();
      this.#windowEndsAt = now + WINDOW_MS;
    }
    const count = (this.#counts.get(userId) ?? 0) + 1;
    this.#counts.set(userId, count);
    if (count <= this.#most) return;
    const retryAfterSeconds = Math.max(1, Math.ceil((this.#windowEndsAt - now) / 1_000));
    throw new AppError('too_many_requests', { retryAfterSeconds });
  }
}
