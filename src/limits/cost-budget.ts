/**
 * A budget per account for calls that cost more the more an account stores: lists, sync, exports, imports.
 * It is counted in rows, as a bucket that refills steadily. A call is allowed while the balance is positive, and
 * its true cost is subtracted afterwards, so nothing has to be estimated and one large call always succeeds.
 *
 * Like the limit on requests it is counted in memory and per process: it protects capacity, not a secret.
 */
import type { Clock } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';

const MINUTE_MS = 60_000;

interface Bucket {
  /** Negative if the last call cost more than was left. */
  balance: number;
  at: number;
  /** When a sync was last answered although the balance was spent. */
  sparedAt?: number | undefined;
}

export class CostBudget {
  readonly #rowsPerMinute: number;
  readonly #clock: Clock;
  readonly #buckets = new Map<string, Bucket>();
  #cleanedAt = 0;

  constructor(rowsPerMinute: number, clock: Clock) {
    this.#rowsPerMinute = rowsPerMinute;
    this.#clock = clock;
  }

  /** Refuses if the account has spent its budget. */
  check(userId: string): void {
    const { balance } = this.#refilled(userId);
    if (balance > 0) return;
    const retryAfterSeconds = Math.ceil(((1 - balance) / this.#rowsPerMinute) * (MINUTE_MS / 1_000));
    throw new AppError('too_many_requests', { sentence: SPENT, retryAfterSeconds });
  }

  /**
   * Tasks of other people count against a second budget, so that a member of a space cannot use up another member's
   * budget by changing shared tasks. While it is spent, a sync of changes is still answered every few seconds.
   */
  checkOthers(userId: string, isSyncOfChanges: boolean): void {
    const key = othersOf(userId);
    const bucket = this.#refilled(key);
    if (!isSyncOfChanges) this.check(key);
    if (bucket.balance > 0) return;
    const waitMs = (bucket.sparedAt ?? -SPARED_EVERY_MS) + SPARED_EVERY_MS - bucket.at;
    // A longer wait means that the clock was set back. Nobody waits because of that.
    if (waitMs > 0 && waitMs <= SPARED_EVERY_MS)
      throw new AppError('too_many_requests', { sentence: SPENT, retryAfterSeconds: Math.ceil(waitMs / 1_000) });
    this.#buckets.set(key, { ...bucket, sparedAt: bucket.at });
  }

  chargeOthers(userId: string, rows: number): void {
    this.charge(othersOf(userId), rows);
  }

  charge(userId: string, rows: number): void {
    if (rows === 0) return;
    const bucket = this.#refilled(userId);
    bucket.balance -= rows;
    this.#buckets.set(userId, bucket);
    this.#clean(bucket.at);
  }

  #refilled(userId: string): Bucket {
    const now = this.#clock.now().getTime();
    const bucket: Bucket = this.#buckets.get(userId) ?? { balance: this.#rowsPerMinute, at: now };
    // If the clock was set back, the difference is negative, and nothing is refilled.
    const refill = (Math.max(0, now - bucket.at) / MINUTE_MS) * this.#rowsPerMinute;
    return { ...bucket, balance: Math.min(this.#rowsPerMinute, bucket.balance + refill), at: now };
  }

  /** Forgets full buckets once a minute. */
  #clean(now: number): void {
    if (Math.abs(now - this.#cleanedAt) < MINUTE_MS) return;
    this.#cleanedAt = now;
    for (const userId of this.#buckets.keys()) {
      if (this.#refilled(userId).balance === this.#rowsPerMinute) this.#buckets.delete(userId);
    }
  }
}

const SPARED_EVERY_MS = 5_000;
const othersOf = (userId: string): string => `others of ${userId}`;
const SPENT = 'This account has read or changed a great many rows within the last minute. Try again later.';
