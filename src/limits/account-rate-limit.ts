/**
 * A generous limit on requests per account and minute, against a client that runs wild. Requests are
 * counted in memory and per process: the limit protects capacity, not a secret, and must cost little.
 */
import type { Clock } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';

const WINDOW_MS = 60_000;

export class AccountRateLimit {
  readonly #maxPerMinute: number;
  readonly #clock: Clock;
  #counts = new Map<string, number>();
  #windowEndsAt = 0;

  constructor(maxPerMinute: number, clock: Clock) {
    this.#maxPerMinute = maxPerMinute;
    this.#clock = clock;
  }

  countRequest(userId: string): void {
    const now = this.#clock.now().getTime();
    // The second condition is for a clock that was set back.
    if (now >= this.#windowEndsAt || now < this.#windowEndsAt - WINDOW_MS) {
      this.#counts = new Map();
      this.#windowEndsAt = now + WINDOW_MS;
    }
    const count = (this.#counts.get(userId) ?? 0) + 1;
    this.#counts.set(userId, count);
    if (count <= this.#maxPerMinute) return;
    const retryAfterSeconds = Math.max(1, Math.ceil((this.#windowEndsAt - now) / 1_000));
    throw new AppError('too_many_requests', { retryAfterSeconds });
  }
}
