/**
 * Emailed single-use codes: six digits, ten minutes, five tries, the newest only. They are stored
 * under a keyed hash, and whether the address has an account is never asked.
 */
import { randomInt } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Database } from '../db/schema.ts';
import type { Clock } from '../lib/clock.ts';
import type { Mailer } from '../lib/mailer.ts';
import { isEqualSecret, type Vault } from '../lib/secrets.ts';
import { putEmailCode, spendEmailCode, takeEmailCodeTry } from './email-codes.store.ts';
import { signInMail } from './sign-in-mail.ts';

export const CODE_LIFETIME_SECONDS = 600;
const MOST_TRIES = 5;
const PURPOSE = 'email code';

export class EmailCodes {
  readonly #db: Kysely<Database>;
  readonly #clock: Clock;
  readonly #vault: Vault;
  readonly #mailer: Mailer;

  constructor(db: Kysely<Database>, clock: Clock, vault: Vault, mailer: Mailer) {
    this.#db = db;
    this.#clock = clock;
    this.#vault = vault;
    this.#mailer = mailer;
  }

  /** The code counts before the mail leaves, so that no mail ever arrives with one that does not. */
  async send(email: string): Promise<void> {
    const code = randomInt(1_000_000).toString().padStart(6, '0');
    const expiresAt = new Date(this.#clock.now().getTime() + CODE_LIFETIME_SECONDS * 1_000);
    await putEmailCode(this.#db, email, this.#vault.hash(PURPOSE, email, code), expiresAt);
    await this.#mailer.send(signInMail(email, code));
  }

  /** A wrong code uses up a try, so the transaction must commit either way. */
  async spend(trx: Kysely<Database>, email: string, code: string): Promise<boolean> {
    const expected = await takeEmailCodeTry(trx, email, this.#clock.now(), MOST_TRIES);
    // Sent before the key changed, it still counts; all are compared, so that the time tells nothing.
    const given = this.#vault.hashes(PURPOSE, email, code.replaceAll(/\s/g, ''));
    if (expected === undefined || !given.map((hash) => isEqualSecret(expected, hash)).includes(true)) return false;
    return spendEmailCode(trx, email, expected);
  }
}
