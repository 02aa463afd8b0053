/**
 * Stores the answers that `Idempotency-Key` replays: sealed, for a day, per account, and bounded in size.
 * A key without its answer is spent: a repetition is refused instead of being carried out.
 */
import type { Db } from '../db/schema.ts';
import { withinFirstCommit } from '../db/transact.ts';
import { answerContext } from '../keys/sealed-contexts.ts';
import type { Vault } from '../keys/vault.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { AnswerLimits, type Limits } from './answer-limits.ts';
import { claimKey, deleteKeys, dropAnswers, findKey, releaseKey, storeAnswer } from './stored-answers.store.ts';

const KEPT_MS = 86_400_000;
/** After this long without an answer the process must have died, and the key is free again. */
const IN_PROGRESS_MS = 60_000;
/** Every answer with one task fits; only the report of a large import does not. */
const LARGEST_ANSWER_BYTES = 64 * 1024;
/** A person makes a few hundred keys a day, with answers of less than 1 KiB each. */
const LIMITS: Limits = { keys: 10_000, bytes: 8 * 1024 * 1024, counted: 100_000 };

export interface Keyed {
  readonly userId: string;
  readonly keyHash: string;
  /** Over the URL and the body: the same key with another request is refused. */
  readonly requestHash: string;
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

  constructor(db: Db, clock: Clock, vault: Vault, limits = LIMITS) {
    this.#db = db;
    this.#clock = clock;
    this.#vault = vault;
    this.#limits = new AnswerLimits(limits);
  }

  /**
   * The stored answer, or undefined for the first request. Throws if the key was used for another request, is in use, or
   * is spent.
   */
  async begin(keyed: Keyed): Promise<Answer | undefined> {
    const now = this.#clock.now();
    const claim = { ...identityOf(keyed), request_hash: keyed.requestHash, status: null, answer: null };
    if (await claimKey(this.#db, { ...claim, expires_at: after(now, IN_PROGRESS_MS) }, now)) return undefined;
    const stored = await findKey(this.#db, identityOf(keyed));
    if (stored && stored.request_hash !== keyed.requestHash) throw new AppError('idempotency_key_reused');
    if (!stored?.status) throw new AppError('request_in_progress', { retryAfterSeconds: 1 });
    if (stored.answer === null) throw new AppError('idempotency_key_spent');
    return { status: stored.status, body: this.#vault.open(contextOf(keyed), stored.answer) };
  }

  /** Without a body, or with one that is too large, the key is spent. */
  async keep(keyed: Keyed, { status, body }: Answer<string | null>): Promise<void> {
    const isKept = body !== null && Buffer.byteLength(body) <= LARGEST_ANSWER_BYTES;
    const answer = isKept ? this.#vault.seal(contextOf(keyed), body) : null;
    const expiresAt = after(this.#clock.now(), KEPT_MS);
    await storeAnswer(this.#db, identityOf(keyed), { status, answer, expires_at: expiresAt });
    await this.#dropOldest(keyed, expiresAt, answer?.length ?? 0);
  }

  async #dropOldest({ userId, keyHash }: Keyed, expiresAt: Date, bytes: number): Promise<void> {
    const { answers, keys } = this.#limits.add(userId, { keyHash, expiresAt, bytes });
    await dropAnswers(this.#db, userId, answers);
    await deleteKeys(this.#db, userId, keys);
  }

  /**
   * The transaction that does the work also marks the key. After a crash between the work and its answer
   * the key counts as used, and a retry is refused instead of doing the work twice.
   */
  runMarked(keyed: Keyed, run: () => void): void {
    const markUsed = (trx: Db) =>
      storeAnswer(trx, identityOf(keyed), {
        status: TOOK_EFFECT,
        answer: null,
        expires_at: after(this.#clock.now(), KEPT_MS),
      });
    withinFirstCommit(markUsed, run);
  }

  /** Frees the key, unless something was committed under it. */
  async release(keyed: Keyed): Promise<void> {
    await releaseKey(this.#db, identityOf(keyed));
  }
}

/** The status of a key whose work is committed and whose answer is not stored yet. */
const TOOK_EFFECT = 0;

const identityOf = ({ userId, keyHash }: Keyed) => ({ user_id: userId, key_hash: keyHash });

const contextOf = ({ userId, keyHash }: Keyed) => answerContext(userId, keyHash);

const after = (now: Date, ms: number) => new Date(now.getTime() + ms);
