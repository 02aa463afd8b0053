/**
 * Slows down whoever guesses. The counters live in the database: they hold across processes and
 * survive a restart, since a guard that a restart forgets is no guard.
 *
 * An attempt is counted before it is judged and taken back when it was right, so that any number
 * of guesses sent at once cannot slip through between a look and a count.
 */
import { isIPv6 } from 'node:net';
import type { Kysely } from 'kysely';
import type { Database } from '../db/schema.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError, type ErrorCode } from '../lib/errors.ts';
import { hashToken } from '../lib/secrets.ts';
import { countAttempt, takeBackAttempt } from './throttle.store.ts';

interface Limit {
  readonly name: string;
  readonly most: number;
  readonly code: ErrorCode;
}

const WINDOW_MS = 15 * 60_000;

const CODES_PER_EMAIL: Limit = { name: 'codes per email', most: 10, code: 'too_many_requests' };
const INVITES_PER_ACCOUNT: Limit = { name: 'invites per account', most: 50, code: 'too_many_requests' };
const CODES_PER_ADDRESS: Limit = { name: 'codes per address', most: 600, code: 'too_many_requests' };
const PROOFS_PER_ACCOUNT: Limit = { name: 'proofs per account', most: 10, code: 'too_many_attempts' };
const PROOFS_PER_ADDRESS: Limit = { name: 'proofs per address', most: 100, code: 'too_many_attempts' };

export class ThrottleService {
  readonly #db: Kysely<Database>;
  readonly #clock: Clock;

  constructor(db: Kysely<Database>, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  async countCodeRequest(email: string, address: string): Promise<void> {
    await this.#count(CODES_PER_ADDRESS, networkOf(address));
    await this.#count(CODES_PER_EMAIL, email);
  }

  /** An invitation may be mailed to anyone, so an account cannot send them without end. */
  async countInvite(userId: string): Promise<void> {
    await this.#count(INVITES_PER_ACCOUNT, userId);
  }

  /** Judges a proof that someone may be guessing at; only wrong ones (undefined) stay counted. */
  async guard<T>(
    account: string | undefined,
    address: string,
    judge: () => Promise<T | undefined>,
  ): Promise<T | undefined> {
    const counters: [Limit, string][] = [[PROOFS_PER_ADDRESS, networkOf(address)]];
    if (account !== undefined) counters.push([PROOFS_PER_ACCOUNT, account]);
    for (const [limit, subject] of counters) await this.#count(limit, subject);
    const takeBack = async () => {
      for (const [limit, subject] of counters) await takeBackAttempt(this.#db, keyOf(limit, subject));
    };
    try {
      const verdict = await judge();
      if (verdict !== undefined) await takeBack();
      return verdict;
    } catch (error) {
      // What could not be judged was no guess; a dead sign-in that is tried again may be one.
      if (!(error instanceof AppError && error.code === 'sign_in_expired')) await takeBack();
      throw error;
    }
  }

  async #count(limit: Limit, subject: string): Promise<void> {
    const now = this.#clock.now();
    const tally = await countAttempt(this.#db, keyOf(limit, subject), now, new Date(now.getTime() + WINDOW_MS));
    if (tally.count <= limit.most) return;
    const waitMs = tally.resets_at.getTime() - now.getTime();
    throw new AppError(limit.code, { retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1_000)) });
  }
}

/** Hashed, so that the table is no list of addresses. */
const keyOf = ({ name }: Limit, subject: string) => hashToken(`${name}: ${subject}`);

/** One household has a whole /64 of IPv6 to itself, and would otherwise have as many tries as it has addresses. */
function networkOf(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
  if (!isIPv6(plain)) return plain;
  const [head = '', tail] = plain.split('%')[0]?.split('::') ?? [];
  const left = head.split(':').filter(Boolean);
  const right = tail?.split(':').filter(Boolean) ?? [];
  const groups = [...left, ...Array(Math.max(0, 8 - left.length - right.length)).fill('0'), ...right];
  return groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}
