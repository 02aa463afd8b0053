/** Keeps the answers that `Idempotency-Key` promises: sealed, for a day, per account. */
import type { Kysely } from 'kysely';
import type { Database } from '../db/schema.ts';
import { withMark } from '../db/transact.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import type { Vault } from '../lib/secrets.ts';
import { claimKey, findKey, releaseKey, storeAnswer } from './answers.store.ts';
import { answerContext } from './sealed-contexts.ts';

const KEPT_MS = 86_400_000;
/** A request that has not answered by then died with its process; its key is free again. */
const UNDER_WAY_MS = 60_000;

interface Keyed {
  readonly userId: string;
  readonly keyHash: string;
  readonly requestHash: string;
}

interface Answer {
  readonly status: number;
  readonly body: string;
}

export class AnswersService {
  readonly #db: Kysely<Database>;
  readonly #clock: Clock;
  readonly #vault: Vault;

  constructor(db: Kysely<Database>, clock: Clock, vault: Vault) {
    this.#db = db;
    this.#clock = clock;
    this.#vault = vault;
  }

  async begin(keyed: Keyed): Promise<Answer | undefined> {
    const now = this.#clock.now();
    const claim = { ...identityOf(keyed), request_hash: keyed.requestHash, status: null, answer: null };
    if (await claimKey(this.#db, { ...claim, expires_at: after(now, UNDER_WAY_MS) }, now)) return undefined;
    const stored = await findKey(this.#db, identityOf(keyed));
    if (stored && stored.request_hash !== keyed.requestHash) throw new AppError('idempotency_key_reused');
    if (!stored?.status || stored.answer === null) {
      throw new AppError('request_in_progress', { retryAfterSeconds: 1 });
    }
    return { status: stored.status, body: this.#vault.open(contextOf(keyed), stored.answer) };
  }

  async keep(keyed: Keyed, { status, body }: Answer): Promise<void> {
    const answer = this.#vault.seal(contextOf(keyed), body);
    await storeAnswer(this.#db, identityOf(keyed), { status, answer, expires_at: after(this.#clock.now(), KEPT_MS) });
  }

  /**
   * The mark is written by the transaction that does the work: after a crash between the work and its
   * answer, the key is known to be used, and a retry is refused instead of doing the work again.
   */
  marking(keyed: Keyed, run: () => void): void {
    const mark = (trx: Kysely<Database>) =>
      storeAnswer(trx, identityOf(keyed), {
        status: TOOK_EFFECT,
        answer: null,
        expires_at: after(this.#clock.now(), KEPT_MS),
      });
    withMark(mark, run);
  }

  async release(keyed: Keyed): Promise<void> {
    await releaseKey(this.#db, identityOf(keyed));
  }
}

/** Stands where the status will be, while only the work is certain and not yet its answer. */
const TOOK_EFFECT = 0;

const identityOf = ({ userId, keyHash }: Keyed) => ({ user_id: userId, key_hash: keyHash });

const contextOf = ({ userId, keyHash }: Keyed) => answerContext(userId, keyHash);

const after = (now: Date, ms: number) => new Date(now.getTime() + ms);
