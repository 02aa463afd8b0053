/**
 * Emailed single-use codes, valid for ten minutes and stored under a keyed hash. Sending never reveals whether
 * the address has an account.
 *
 * A code of six digits belongs to the sign-in request that asked for it. A try is compared with exactly one code, and
 * counts for it alone: five tries with the token of the request, five without it from the network that asked, and five
 * from all other networks together. So nobody else can use up the tries of a requester. The arithmetic is in ADR 15.
 *
 * What a code proves is its subject: the address that it signs in, or the account that gets the address. A code of one
 * subject is worth nothing for another.
 *
 * A long code cannot be guessed, so its tries are not counted, and it belongs to the subject: one row for all
 * requests of five minutes. However often strangers ask, their requests add no rows.
 */
import { randomInt } from 'node:crypto';
import type { Db } from '../db/schema.ts';
import { lockUntilCommit, transact } from '../db/transact.ts';
import type { Vault } from '../keys/vault.ts';
import type { BackgroundMail } from '../lib/background-mail.ts';
import type { Clock } from '../lib/clock.ts';
import { newId } from '../lib/ids.ts';
import type { Mail, Mailer } from '../lib/mailer.ts';
import { networkOf } from '../lib/network.ts';
import { hashToken, isEqualSecret, newToken } from '../lib/secrets.ts';
import {
  countEmailCodeTry,
  deleteCodeOfRequest,
  deleteEmailCode,
  deleteEmailCodesTo,
  findReusableCode,
  findTriedCode,
  insertEmailCode,
  insertLongCode,
  listLongCodes,
} from './email-codes.store.ts';
import type { Requester } from './requester.ts';

export const CODE_LIFETIME_SECONDS = 600;
/** A shared code is valid at least this long after each request that gets it. */
export const SHARED_CODE_LIFETIME_SECONDS = 300;
const MAX_TRIES = 5;
const SHORT_DIGITS = 6;
const LONG_DIGITS = 16;
const PURPOSE = 'email code';
const REQUEST_PREFIX = 'sr_';

interface Parts {
  readonly db: Db;
  readonly clock: Clock;
  readonly vault: Vault;
  readonly mailer: Mailer;
  readonly backgroundMail: BackgroundMail;
}

export class EmailCodes {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Mails a six-digit code. Stores it first, so that every mailed code is valid. An address that may not have the code gets
   * another mail (`mailOf`); everything else is the same, so that the time of the call reveals nothing. Returns the token
   * of the request.
   */
  async send(subject: string, requester: Requester, mailOf: (code: string) => Mail): Promise<string> {
    const { db, vault, mailer } = this.#parts;
    const code = newDigits(SHORT_DIGITS);
    const token = newToken(REQUEST_PREFIX);
    const code_hash = vault.hash(PURPOSE, subject, code);
    await transact(db, async (trx) => {
      // A requester has one code per request: asking again with the token replaces the code of that token.
      if (requester.token !== undefined) await deleteCodeOfRequest(trx, hashToken(requester.token));
      const network_hash = this.#networkHash(requester);
      await insertEmailCode(trx, { ...this.#newCode(subject, token, code_hash), network_hash });
    });
    try {
      await mailer.send(mailOf(code));
    } catch (error) {
      await deleteEmailCode(db, subject, code_hash);
      throw error;
    }
    return token;
  }

  /**
   * For an address or a network with many requests: mails a code too long to be guessed, at most every five minutes,
   * which serves the requests in between too. Answers without waiting for the mail, and in the same way if none is
   * sent, so that the time of the answer does not reveal who has an account.
   */
  async sendSparingly(
    subject: string,
    requester: Requester,
    isMailed: boolean,
    mailOf: (code: string) => Mail,
  ): Promise<string> {
    const { db, clock, vault, backgroundMail } = this.#parts;
    const code = newDigits(LONG_DIGITS);
    const token = newToken(REQUEST_PREFIX);
    const code_hash = vault.hash(PURPOSE, subject, code);
    const isNew = await transact(db, async (trx) => {
      await lockUntilCommit(trx, `code for ${subject}`);
      const isNew = isMailed && (await findReusableCode(trx, subject, clock.now())) === undefined;
      // Every request stores a row, so that the time reveals nothing. If the subject needs no new code, that row
      // belongs to the network, under a name that is no subject.
      const stored = isNew ? subject : `network ${this.#networkHash(requester)}`;
      if (!isNew) await deleteEmailCodesTo(trx, stored);
      const reusable_until = this.#secondsFromNow(CODE_LIFETIME_SECONDS - SHARED_CODE_LIFETIME_SECONDS);
      await insertLongCode(trx, { ...this.#newCode(stored, token, code_hash), reusable_until });
      return isNew;
    });
    if (isNew) {
      backgroundMail.send(
        async () => mailOf(code),
        () => deleteEmailCode(db, subject, code_hash),
      );
    }
    return token;
  }

  #newCode(email: string, token: string, code_hash: string) {
    const expires_at = this.#secondsFromNow(CODE_LIFETIME_SECONDS);
    return { id: newId(), email, request_hash: hashToken(token), code_hash, expires_at };
  }

  #secondsFromNow(seconds: number): Date {
    return new Date(this.#parts.clock.now().getTime() + seconds * 1_000);
  }

  /** Counts a try even if the code is wrong, so the transaction must commit either way. */
  async spend(trx: Db, subject: string, code: string, requester: Requester): Promise<boolean> {
    // A code sent before a key rotation stays valid. All hashes are compared, so that timing reveals nothing.
    const digits = code.replaceAll(/\s/g, '');
    const given = this.#parts.vault.hashes(PURPOSE, subject, digits);
    const isGiven = (expected: string) => given.map((hash) => isEqualSecret(expected, hash)).includes(true);
    const expected =
      digits.length === LONG_DIGITS
        ? await this.#longCodesOf(trx, subject)
        : await this.#countTry(trx, subject, requester);
    const [spent] = expected.filter(isGiven);
    return spent !== undefined && deleteEmailCode(trx, subject, spent);
  }

  async #longCodesOf(trx: Db, subject: string): Promise<string[]> {
    // Without the lock, a request at this moment would get a code that is already spent.
    await lockUntilCommit(trx, `code for ${subject}`);
    return listLongCodes(trx, subject, this.#parts.clock.now());
  }

  /** The code to compare with, or none if no try is left. */
  async #countTry(trx: Db, subject: string, requester: Requester): Promise<string[]> {
    const requestHash = requester.token === undefined ? undefined : hashToken(requester.token);
    const networkHash = this.#networkHash(requester);
    const tried = await findTriedCode(trx, { email: subject, requestHash, networkHash }, this.#parts.clock.now());
    const isCounted = tried && (await countEmailCodeTry(trx, tried.code.id, tried.triedBy, MAX_TRIES));
    return isCounted ? [tried.code.code_hash] : [];
  }

  #networkHash({ address }: Requester): string {
    return this.#parts.vault.hash('network', networkOf(address));
  }
}

const newDigits = (length: number) => Array.from({ length }, () => randomInt(10)).join('');
