/**
 * Limits guessing, and the sending of mail. The counters are in the database, so that they hold across
 * processes and restarts.
 *
 * An attempt is counted before it is verified and uncounted if it was right. Counting first means that
 * guesses sent at the same time cannot all pass before one of them is counted.
 */
import { isIPv6 } from 'node:net';
import type { Db } from '../db/schema.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError, type ErrorCode } from '../lib/errors.ts';
import { hashToken } from '../lib/secrets.ts';
import { countAttempt, uncountAttempt } from './throttle.store.ts';

interface Limit {
  /** Part of the key of the counter. */
  readonly name: string;
  readonly max: number;
  readonly code: ErrorCode;
  /** A quarter of an hour by default. */
  readonly windowMs?: number;
}

const WINDOW_MS = 15 * 60_000;

const CODES_PER_EMAIL: Limit = { name: 'codes per email', max: 10, code: 'too_many_requests' };
const INVITES_PER_ACCOUNT: Limit = { name: 'invites per account', max: 50, code: 'too_many_requests' };
const TEST_PUSHES_PER_ACCOUNT: Limit = {
  name: 'test pushes per account',
  max: 5,
  code: 'too_many_requests',
  windowMs: 60_000,
};
const CODES_PER_NETWORK: Limit = { name: 'codes per address', max: 600, code: 'too_many_requests' };
const PROOFS_PER_ACCOUNT: Limit = { name: 'proofs per account', max: 10, code: 'too_many_attempts' };
const PROOFS_PER_NETWORK: Limit = { name: 'proofs per address', max: 100, code: 'too_many_attempts' };

export class ThrottleService {
  readonly #db: Db;
  readonly #clock: Clock;

  constructor(db: Db, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  async limitCodeRequests(email: string, address: string): Promise<void> {
    await this.#enforce(CODES_PER_NETWORK, networkOf(address));
    await this.#enforce(CODES_PER_EMAIL, email);
  }

  /** An invitation can be mailed to any address, so their number is limited. */
  async limitInvites(userId: string): Promise<void> {
    await this.#enforce(INVITES_PER_ACCOUNT, userId);
  }

  /** A test push goes to every device of the account and takes capacity from everybody's nudges. */
  async limitTestPushes(userId: string): Promise<void> {
    await this.#enforce(TEST_PUSHES_PER_ACCOUNT, userId);
  }

  /** `verify` resolves with undefined for a wrong proof. Only wrong proofs stay counted. */
  async limitWrongProofs<T>(
    account: string | undefined,
    address: string,
    verify: () => Promise<T | undefined>,
  ): Promise<T | undefined> {
    const counters: [Limit, string][] = [[PROOFS_PER_NETWORK, networkOf(address)]];
    if (account !== undefined) counters.push([PROOFS_PER_ACCOUNT, account]);
    for (const [limit, subject] of counters) await this.#enforce(limit, subject);
    const uncount = async () => {
      for (const [limit, subject] of counters) await uncountAttempt(this.#db, keyOf(limit, subject));
    };
    try {
      const result = await verify();
      if (result !== undefined) await uncount();
      return result;
    } catch (error) {
      // A proof that could not be verified was no guess. A further try on an expired sign-in may be one.
      if (!(error instanceof AppError && error.code === 'sign_in_expired')) await uncount();
      throw error;
    }
  }

  async #enforce(limit: Limit, subject: string): Promise<void> {
    const now = this.#clock.now();
    const windowEndsAt = new Date(now.getTime() + (limit.windowMs ?? WINDOW_MS));
    const { count, resets_at } = await countAttempt(this.#db, keyOf(limit, subject), now, windowEndsAt);
    if (count <= limit.max) return;
    const waitMs = resets_at.getTime() - now.getTime();
    throw new AppError(limit.code, { retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1_000)) });
  }
}

/** Hashed, so that the table does not contain email or IP addresses. */
const keyOf = ({ name }: Limit, subject: string) => hashToken(`${name}: ${subject}`);

/** The /64 of an IPv6 address: one household has a whole /64, and could otherwise try from each address in it. */
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
