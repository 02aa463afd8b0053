/**
 * Emailed single-use codes, valid for ten minutes and stored under a keyed hash. Sending never reveals whether
 * the address has an account.
 *
 * A code belongs to the sign-in request that asked for it. A try is compared with exactly one code, and counts for
 * it alone: five tries with the token of the request, five without it from the network that asked, and five from all
 * other networks together. So nobody else can use up the tries of a requester. The arithmetic is in ADR 15.
 */
import { randomInt } from 'node:crypto';
import type { Db } from '../db/schema.ts';
import { lockUntilCommit, transact } from '../db/transact.ts';
import type { Vault } from '../keys/vault.ts';
import type { BackgroundMail } from '../lib/background-mail.ts';
import type { Clock } from '../lib/clock.ts';
import { newId } from '../lib/ids.ts';
import type { Mailer } from '../lib/mailer.ts';
import { hashToken, isEqualSecret, newToken } from '../lib/secrets.ts';
import {
  countEmailCodeTry,
  deleteCodeOfRequest,
  deleteEmailCode,
  findReusableCode,
  findTriedCode,
  insertEmailCode,
} from './email-codes.store.ts';
import { networkOf, type Requester } from './requester.ts';
import { signInMail, signUpClosedMail } from './sign-in-mail.ts';

export const CODE_LIFETIME_SECONDS = 600;
/** A shared code is valid at least this long after each request that gets it. */
export const SHARED_CODE_LIFETIME_SECONDS = 300;
const MAX_TRIES = 5;
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
   * Mails a six-digit code. Stores it first, so that every mailed code is valid. An address that may not sign in gets
   * a mail that says so instead; all else, and so the time that the call takes, is the same. Returns the token of the
   * request.
   */
  async send(email: string, requester: Requester, maySignIn: boolean): Promise<string> {
    const { db, vault, mailer } = this.#parts;
    const code = newDigits(6);
    const codeHash = vault.hash(PURPOSE, email, code);
    const stored = { codeHash, expiresAt: this.#lifetime().expiresAt, reusableUntil: null };
    const token = await transact(db, (trx) => this.#insert(trx, email, requester, stored));
    try {
      await mailer.send(maySignIn ? signInMail(email, code) : signUpClosedMail(email));
    } catch (error) {
      await deleteEmailCode(db, email, codeHash);
      throw error;
    }
    return token;
  }

  /**
   * For an address or a network with many requests: mails a code too long to be guessed, at most every five
   * minutes, and the requests in between get the same code. Answers without waiting for the mail, and alike
   * if none is sent, so that the time of the answer does not reveal who has an account.
   */
  async sendSparingly(email: string, requester: Requester, isMailed: boolean): Promise<string> {
    const { db, clock, vault, backgroundMail } = this.#parts;
    const code = newDigits(16);
    const codeHash = vault.hash(PURPOSE, email, code);
    const { token, isShared } = await transact(db, async (trx) => {
      await lockUntilCommit(trx, `code for ${email}`);
      const shared = await findReusableCode(trx, email, clock.now());
      const { expiresAt, reusableUntil } = this.#lifetime();
      const stored = shared
        ? { codeHash: shared.code_hash, expiresAt: shared.expires_at, reusableUntil: shared.reusable_until }
        : { codeHash, expiresAt, reusableUntil: isMailed ? reusableUntil : null };
      return { token: await this.#insert(trx, email, requester, stored), isShared: shared !== undefined };
    });
    if (isMailed && !isShared) {
      backgroundMail.send(
        async () => signInMail(email, code),
        () => deleteEmailCode(db, email, codeHash),
      );
    }
    return token;
  }

  #lifetime(): { expiresAt: Date; reusableUntil: Date } {
    const now = this.#parts.clock.now().getTime();
    return {
      expiresAt: new Date(now + CODE_LIFETIME_SECONDS * 1_000),
      reusableUntil: new Date(now + (CODE_LIFETIME_SECONDS - SHARED_CODE_LIFETIME_SECONDS) * 1_000),
    };
  }

  /** A requester has one code per request: asking again with the token replaces the code of that token. */
  async #insert(
    trx: Db,
    email: string,
    requester: Requester,
    { codeHash, expiresAt, reusableUntil }: { codeHash: string; expiresAt: Date; reusableUntil: Date | null },
  ): Promise<string> {
    const token = newToken(REQUEST_PREFIX);
    if (requester.token !== undefined) await deleteCodeOfRequest(trx, hashToken(requester.token));
    await insertEmailCode(trx, {
      id: newId(),
      email,
      request_hash: hashToken(token),
      network_hash: this.#networkHash(requester),
      code_hash: codeHash,
      reusable_until: reusableUntil,
      expires_at: expiresAt,
    });
    return token;
  }

  /** Counts a try even if the code is wrong, so the transaction must commit either way. */
  async spend(trx: Db, email: string, code: string, requester: Requester): Promise<boolean> {
    const { vault, clock } = this.#parts;
    const requestHash = requester.token === undefined ? undefined : hashToken(requester.token);
    const networkHash = this.#networkHash(requester);
    const tried = await findTriedCode(trx, { email, requestHash, networkHash }, clock.now());
    // Each request deletes the shared code of all of them, so without the lock two would wait for each other, and a
    // request that comes at this moment would get a code that is spent.
    if (tried?.code.reusable_until) await lockUntilCommit(trx, `code for ${email}`);
    const isCounted = tried && (await countEmailCodeTry(trx, tried.code.id, tried.triedBy, MAX_TRIES));
    // A code sent before a key rotation stays valid. All hashes are compared, so that timing reveals nothing.
    const given = vault.hashes(PURPOSE, email, code.replaceAll(/\s/g, ''));
    const expected = tried?.code.code_hash ?? '';
    if (!isCounted || !given.map((hash) => isEqualSecret(expected, hash)).includes(true)) return false;
    return deleteEmailCode(trx, email, expected);
  }

  #networkHash({ address }: Requester): string {
    return this.#parts.vault.hash('network', networkOf(address));
  }
}

const newDigits = (length: number) => Array.from({ length }, () => randomInt(10)).join('');
