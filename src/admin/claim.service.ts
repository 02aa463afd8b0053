/**
 * How a service without an administrator gets its first one: by a word that only its terminal shows. Each start prints
 * it, `crescendo claim` shows it, and the person who enters it in the app administers from then on. Coming first proves
 * nothing: a page in a browser of the same network can come first.
 *
 * The database has a random number, and the word is its keyed hash. So all processes and starts have the same word, a
 * copy of the database does not tell it, and it ends with the number.
 */
import { randomBytes } from 'node:crypto';
import { addFact, deleteFact, findFact } from '../db/installation.ts';
import type { Db } from '../db/schema.ts';
import { transact } from '../db/transact.ts';
import type { Vault } from '../keys/vault.ts';
import type { Audit } from '../lib/audit.ts';
import type { SessionCaller } from '../lib/caller.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { isEqualSecret } from '../lib/secrets.ts';
import { formatTypedCode, normalizeTypedCode } from '../lib/typed-code.ts';
import type { ThrottleService } from '../limits/throttle.service.ts';
import { type AdminRules, findAdminReason } from './administrators.ts';
import { listAdminCandidates, setAdmin } from './people.store.ts';

interface Parts {
  readonly db: Db;
  readonly clock: Clock;
  readonly vault: Vault;
  readonly rules: AdminRules;
  readonly throttle: ThrottleService;
  readonly audit: Audit;
}

const PURPOSE = 'claim';
const WORD_LENGTH = 20;
const GROUP_LENGTH = 5;

export class ClaimService {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Undefined if the service has an administrator, or ADMINS names one. */
  async findWord(): Promise<string | undefined> {
    const { db, clock, vault } = this.#parts;
    if (await this.#isClaimed(db)) {
      await deleteFact(db, 'claim');
      return undefined;
    }
    await addFact(db, 'claim', randomBytes(16).toString('base64url'), clock.now());
    const number = await findFact(db, 'claim');
    return number && toWord(vault.hash(PURPOSE, number.value));
  }

  /** Cheap, for the app: the number is there as long as there is nobody who administers. */
  async canClaim(): Promise<boolean> {
    return (await findFact(this.#parts.db, 'claim')) !== undefined;
  }

  async claim({ userId }: SessionCaller, word: string, address: string): Promise<void> {
    const { db, throttle, audit } = this.#parts;
    const record = (result: string) =>
      audit.record('admin_action', { result, action: 'claim', user_id: userId, address });
    try {
      await transact(db, (trx) => this.#spend(trx, userId, normalizeTypedCode(word))).catch(async (error: unknown) => {
        // Only wrong words count: the right one is too long to guess, and is never refused.
        if (error instanceof AppError && error.code === 'wrong_claim_word') await throttle.enforce('claims', userId);
        throw error;
      });
    } catch (error) {
      record(error instanceof AppError ? error.code : 'failed');
      throw error;
    }
    record('ok');
  }

  async #spend(trx: Db, userId: string, given: string): Promise<void> {
    const number = await findFact(trx, 'claim');
    if (!number) throw new AppError('already_claimed');
    // A word that was shown before a key rotation stays right. All are compared, so that timing reveals nothing.
    const words = this.#parts.vault.hashes(PURPOSE, number.value).map((hash) => normalizeTypedCode(toWord(hash)));
    if (!words.map((word) => isEqualSecret(word, given)).includes(true)) throw new AppError('wrong_claim_word');
    const isFree = !(await this.#isClaimed(trx)) && (await deleteFact(trx, 'claim'));
    if (!isFree) throw new AppError('already_claimed');
    await setAdmin(trx, userId, true);
  }

  async #isClaimed(db: Db): Promise<boolean> {
    const { rules } = this.#parts;
    if (rules.admins.length > 0) return true;
    return (await listAdminCandidates(db, [])).some((person) => findAdminReason(person, rules) !== null);
  }
}

const toWord = (hash: string) => formatTypedCode(Buffer.from(hash, 'base64url').subarray(0, WORD_LENGTH), GROUP_LENGTH);
