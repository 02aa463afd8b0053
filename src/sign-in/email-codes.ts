/**
 * Emailed single-use codes: six digits, valid for ten minutes and five tries, only the newest of an
 * address. Codes are stored under a keyed hash. Sending never checks whether the address has an account.
 */
import { randomInt } from 'node:crypto';
import type { Db } from '../db/schema.ts';
import type { Vault } from '../keys/vault.ts';
import type { Clock } from '../lib/clock.ts';
import type { Mailer } from '../lib/mailer.ts';
import { isEqualSecret } from '../lib/secrets.ts';
import { countEmailCodeTry, replaceEmailCode, spendEmailCode } from './email-codes.store.ts';
import { signInMail, signUpClosedMail } from './sign-in-mail.ts';

export const CODE_LIFETIME_SECONDS = 600;
const MAX_TRIES = 5;
const PURPOSE = 'email code';

export class EmailCodes {
  readonly #db: Db;
  readonly #clock: Clock;
  readonly #vault: Vault;
  readonly #mailer: Mailer;

  constructor(db: Db, clock: Clock, vault: Vault, mailer: Mailer) {
    this.#db = db;
    this.#clock = clock;
    this.#vault = vault;
    this.#mailer = mailer;
  }

  /**
   * Stores the code before it is mailed, so that every mailed code is valid. An address that is not admitted gets
   * a mail that says so instead; all else, and so the time that the call takes, is the same.
   */
  async send(email: string, isAdmitted: boolean): Promise<void> {
    const code = randomInt(1_000_000).toString().padStart(6, '0');
    const expiresAt = new Date(this.#clock.now().getTime() + CODE_LIFETIME_SECONDS * 1_000);
    await replaceEmailCode(this.#db, email, this.#vault.hash(PURPOSE, email, code), expiresAt);
    await this.#mailer.send(isAdmitted ? signInMail(email, code) : signUpClosedMail(email));
  }

  /** Counts a try even if the code is wrong, so the transaction must commit either way. */
  async spend(trx: Db, email: string, code: string): Promise<boolean> {
    const expected = await countEmailCodeTry(trx, email, this.#clock.now(), MAX_TRIES);
    // A code sent before a key rotation stays valid. All hashes are compared, so that timing reveals nothing.
    const given = this.#vault.hashes(PURPOSE, email, code.replaceAll(/\s/g, ''));
    if (expected === undefined || !given.map((hash) => isEqualSecret(expected, hash)).includes(true)) return false;
    return spendEmailCode(trx, email, expected);
  }
}
