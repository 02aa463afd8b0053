/**
 * Stores the answers that `Idempotency-Key` replays: sealed, for a day, per account, and bounded in size.
 * A key without its answer is spent: a repetition is refused instead of being carried out.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Db } from '../db/schema.ts';
import { withinFirstCommit } from '../db/transact.ts';
import { answerContext } from '../keys/sealed-contexts.ts';
import type { Vault } from '../keys/vault.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { AnswerLimits, type Limits } from './answer-limits.ts';
import {
  claimKey,
  deleteKeys,
  dropAnswers,
  findKey,
  isClaimed,
  markUsed,
  RETRY,
  releaseKey,
  renewClaim,
  type StoredKey,
  storeAnswer,
} from './stored-answers.store.ts';

const KEPT_MS = 86_400_000;
/** After this long without a renewal the process has died or stands still, and the key is free again. */
const CLAIMED_MS = 6_000;
const RENEWED_EVERY_MS = 2_000;
/** Every answer with one task fits; only the report of a large import does not. */
const LARGEST_ANSWER_BYTES = 64 * 1024;
/** A person makes a few hundred keys a day, with answers of less than 1 KiB each. */
const LIMITS: Limits = { keys: 10_000, bytes: 8 * 1024 * 1024, counted: 100_000 };

export interface Keyed {
  readonly userId: string;
  readonly keyHash: string;
  /** Over the URL and the body: the same key with another request is refused. */
  readonly requestHash: string;
  /** Names this request among those with the same key. */
  readonly claim: string;
}

interface Answer<Body = string> {
  readonly status: number;
  readonly body: Body;
}

export class StoredAnswersService {
  readonly #db: Db;
  readonly #clock: Clock;
  readonly #vault: Vault;
  readonly #limits: AnswerLimits;
  readonly #renewedEveryMs: number;
  /** The requests under way, by their claim. */
  readonly #underWay = new Map<string, Keyed>();
  #renewing: Promise<void> | undefined;

  /** The options are set by tests only. */
  constructor(db: Db, clock: Clock, vault: Vault, { limits = LIMITS, renewedEveryMs = RENEWED_EVERY_MS } = {}) {
    this.#db = db;
    this.#clock = clock;
    this.#vault = vault;
    this.#limits = new AnswerLimits(limits);
    this.#renewedEveryMs = renewedEveryMs;
  }

  /**
   * The stored answer, or undefined for the first request. Throws if the key was used for another request, is in use, or
   * is spent.
   */
  async begin(keyed: Keyed): Promise<Answer | undefined> {
    const now = this.#clock.now();
    const until = after(now, CLAIMED_MS);
    const claimed = { ...claimOf(keyed), claimed_until: until, expires_at: until };
    if (await claimKey(this.#db, { ...claimed, request_hash: keyed.requestHash, status: null, answer: null }, now)) {
      this.#underWay.set(keyed.claim, keyed);
      this.#renewing ??= this.#renewAll();
      return undefined;
    }
    const stored = await findKey(this.#db, claimOf(keyed));
    if (stored && stored.request_hash !== keyed.requestHash) throw new AppError('idempotency_key_reused');
    if (!stored || isUnderWay(stored, now)) throw new AppError('request_in_progress', RETRY);
    if (!stored.status || stored.answer === null) throw new AppError('idempotency_key_spent');
    return { status: stored.status, body: this.#vault.open(contextOf(keyed), stored.answer) };
  }

  /** Without a body, or with one that is too large, the key is spent. */
  async keep(keyed: Keyed, { status, body }: Answer<string | null>): Promise<void> {
    const isKept = body !== null && Buffer.byteLength(body) <= LARGEST_ANSWER_BYTES;
    const answer = isKept ? this.#vault.seal(contextOf(keyed), body) : null;
    const expiresAt = after(this.#clock.now(), KEPT_MS);
    this.leave(keyed);
    await storeAnswer(this.#db, claimOf(keyed), { status, answer, expires_at: expiresAt });
    await this.#dropOldest(keyed, expiresAt, answer?.length ?? 0);
  }

  async #dropOldest({ userId, keyHash }: Keyed, expiresAt: Date, bytes: number): Promise<void> {
    const { answers, keys } = this.#limits.add(userId, { keyHash, expiresAt, bytes });
    await dropAnswers(this.#db, userId, answers);
    await deleteKeys(this.#db, userId, keys);
  }

  /**
   * The transaction that does the work also marks the key. After a crash between the work and its answer
   * the key counts as used, and a retry is refused instead of doing the work twice. A request whose key was taken over,
   * because its process stood still, commits nothing.
   */
  runMarked(keyed: Keyed, run: () => void): void {
    let isAgain = false;
    const mark = async (trx: Db) => {
      // The transaction runs again for many reasons; this may be the one.
      if (isAgain && !(await isClaimed(trx, claimOf(keyed)))) throw new AppError('request_in_progress', RETRY);
      isAgain = true;
      await markUsed(trx, claimOf(keyed), TOOK_EFFECT, after(this.#clock.now(), KEPT_MS));
    };
    withinFirstCommit(mark, run);
  }

  /** Frees the key, unless something was committed under it. */
  async release(keyed: Keyed): Promise<void> {
    this.leave(keyed);
    await releaseKey(this.#db, claimOf(keyed));
  }

  /** The request has ended without an answer to keep, and may still be at work: its key is free in a moment. */
  leave({ claim }: Keyed): void {
    this.#underWay.delete(claim);
  }

  /** Most requests are answered before the first renewal. */
  async #renewAll(): Promise<void> {
    while (this.#underWay.size > 0) {
      const known = [...this.#underWay.values()];
      await delay(this.#renewedEveryMs, undefined, { ref: false });
      await Promise.all(known.filter(({ claim }) => this.#underWay.has(claim)).map((keyed) => this.#renew(keyed)));
    }
    this.#renewing = undefined;
  }

  async #renew(keyed: Keyed): Promise<void> {
    const renewal = renewClaim(this.#db, claimOf(keyed), after(this.#clock.now(), CLAIMED_MS));
    // A database that is away answers no request either: the next attempt follows.
    if (!(await renewal.catch(() => true))) this.leave(keyed);
  }
}

/** The status of a key whose work is committed and whose answer is not stored yet. */
const TOOK_EFFECT = 0;

/** A request that has committed its work and renews its claim no more has no answer: its process has died. */
const isUnderWay = ({ status, claimed_until }: StoredKey, now: Date): boolean =>
  status === null || (status === TOOK_EFFECT && claimed_until !== null && claimed_until > now);

const claimOf = ({ userId, keyHash, claim }: Keyed) => ({ user_id: userId, key_hash: keyHash, claim });

const contextOf = ({ userId, keyHash }: Keyed) => answerContext(userId, keyHash);

const after = (now: Date, ms: number) => new Date(now.getTime() + ms);
