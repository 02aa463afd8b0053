/**
 * Limits guessing, and the sending of mail. The counters are in the database, so that they count across
 * processes and restarts.
 *
 * Strangers can never make the service refuse the owner of an account. Three rules ensure it (ADR 15 has the
 * arithmetic):
 * - Emailed codes limit their own tries, so the counters here never refuse a right code, a recovery code or an
 *   identity token. They only answer wrong ones with 429 instead of 401.
 * - A request for a code is never refused. Over the limit, codes become too long to guess, and mails fewer.
 * - TOTP codes are short, cannot be made longer, and can be tried only by a person who passed the first factor. Their
 *   tries are limited per account and network, and over all networks from which the account never signed in.
 */
import type { Db } from '../db/schema.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError, type ErrorCode } from '../lib/errors.ts';
import { fairShare } from '../lib/fair-share.ts';
import { mailboxOf } from '../lib/mailbox.ts';
import { networkOf } from '../lib/network.ts';
import { hashToken } from '../lib/secrets.ts';
import { addKeyAgain, extendKey, hasKey } from './expiring-keys.store.ts';
import { DAY_MS, LIMITS, type Limit } from './limit-table.ts';
import { countAttempt, uncountAttempt } from './throttle.store.ts';

type Counter = readonly [limit: Limit, subject: string];

/** As long as an unused session lives: then no session from this network is left. */
const KNOWN_NETWORK_MS = 90 * DAY_MS;

/** The subject of limits for answers that an identity provider is asked about. */
const PROVIDER = 'identity provider';

/** Errors that say what is wrong with a proof. They count like a wrong proof. */
const WRONG_PROOFS: ReadonlySet<ErrorCode> = new Set(['sign_in_expired', 'unknown_passkey', 'copied_passkey']);

/**
 * How a code is sent. `sparingly`: see `EmailCodes`. `to_accounts`: the same, and only to addresses with an account.
 */
export type CodeSending = 'usual' | 'sparingly' | 'to_accounts';

export interface ProofSubject {
  /** The user id or mailbox that the proof is for, if known. */
  readonly account?: string | undefined;
  /** The IP address of the request. */
  readonly address: string;
  /** Set if the proof is short enough to be guessed: the session that tries it, or undefined for a sign-in. */
  readonly guess?: { readonly sessionId: string | undefined } | undefined;
  /** Set if the service asks an identity provider about the proof. */
  readonly asksProvider?: true | undefined;
}

export class ThrottleService {
  readonly #db: Db;
  readonly #clock: Clock;

  constructor(db: Db, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  /** Counts something that only one limit applies to. Throws the error of the limit if there were too many. */
  async enforce(limit: keyof typeof LIMITS, subject: string): Promise<void> {
    await this.#enforce([LIMITS[limit], subject]);
  }

  async countCodeRequest(email: string, address: string): Promise<CodeSending> {
    const [ofNetwork, ofMailbox] = codeCounters(email, address);
    // A busy network gets only long codes. Counting them per mailbox would let it fill the table with invented
    // mailboxes.
    if ((await this.#count(ofNetwork)).isOver) return 'to_accounts';
    return (await this.#count(ofMailbox)).isOver ? 'sparingly' : 'usual';
  }

  /**
   * Whether a long code may go to an address without an account. Every request counts, so that the time reveals nothing,
   * but one that gets no mail anyway (`isEligible`) uses up nothing.
   */
  async allowsLongCode(email: string, isEligible: boolean): Promise<boolean> {
    const subject = isEligible ? mailboxOf(email) : `no mail to ${mailboxOf(email)}`;
    return !(await this.#count([LIMITS.longCodesPerMailbox, subject])).isOver && isEligible;
  }

  /** Whether a long code for a new address of an account may go to this address. */
  async allowsAddressCode(userId: string, email: string): Promise<boolean> {
    const mailbox = mailboxOf(email);
    const subject = `${userId} ${mailbox}`;
    if ((await this.#count([LIMITS.longAddressCodes, subject])).isOver) return false;
    const ofAccount = await this.#count([LIMITS.longAddressCodesOfAccount, subject]);
    const toMailbox: Counter = [LIMITS.longAddressCodesPerMailbox, mailbox];
    const { count } = await this.#count(toMailbox);
    if (!ofAccount.isOver && count <= fairShare(ofAccount.count, LIMITS.longAddressCodesPerMailbox.max)) return true;
    await this.#uncount([toMailbox]);
    return false;
  }

  /** For a code that signed somebody in, or that was not mailed: only unused codes count. */
  async uncountCodeRequest(email: string, address: string): Promise<void> {
    await this.#uncount(codeCounters(email, address));
  }

  /** An invitation can be mailed to any address, so their number is limited per sender and over all senders. */
  async limitInviteMails<T>(userId: string, email: string, send: () => Promise<T>): Promise<T> {
    const mailbox = mailboxOf(email);
    const counters: Counter[] = [
      [LIMITS.inviteMailsPerSender, `${userId} ${mailbox}`],
      [LIMITS.inviteMails, mailbox],
    ];
    for (const counter of counters) await this.#enforce(counter);
    try {
      return await send();
    } catch (error) {
      await this.#uncount(counters);
      throw error;
    }
  }

  /** Returns how many there were today. */
  async countWrongSecondFactor(userId: string): Promise<number> {
    return (await this.#count([LIMITS.wrongSecondFactors, userId])).count;
  }

  /** A thief with a session could fill the owner's mailbox with notices of one kind. */
  async allowsNotice(userId: string, kind: string): Promise<boolean> {
    return !(await this.#count([LIMITS.notices, `${userId} ${kind}`])).isOver;
  }

  /**
   * A message with a code can go to any address, so their number is limited per account, and over all accounts except
   * the one that signs in with the address (`isOwn`): strangers must not lock it out.
   */
  async limitConfirmations(userId: string, address: string, isOwn: boolean): Promise<void> {
    await this.#enforce([LIMITS.confirmations, userId]);
    await this.#enforce([LIMITS.confirmationsOfAddress, `${userId} ${address}`]);
    if (!isOwn) await this.#enforce([LIMITS.confirmationsToAddress, address]);
  }

  async limitTestMessages(userId: string): Promise<void> {
    await this.#enforce([LIMITS.testMessages, userId]);
    await this.#enforce([LIMITS.testMessagesPerDay, userId]);
  }

  /** Throws `too_many_requests`. What is refused uses up nothing, and the last ones are for accounts that sent little. */
  async limitUnproven(userId: string, host: string): Promise<void> {
    const counters: Counter[] = [
      [LIMITS.unprovenOfAccountPerHour, `${userId} ${host}`],
      [LIMITS.unprovenToHostPerHour, host],
      [LIMITS.unprovenOfAccount, `${userId} ${host}`],
      [LIMITS.unprovenToHost, host],
    ];
    let ofAccount = 0;
    for (const [index, counter] of counters.entries()) {
      const [limit, subject] = counter;
      const { count, waitMs } = await this.#count(counter);
      const isWithin = count <= (subject === host ? fairShare(ofAccount, limit.max) : limit.max);
      if (subject !== host) ofAccount = count;
      if (isWithin) continue;
      await this.#uncount(counters.slice(0, index + 1));
      throw tooMany(limit, waitMs);
    }
  }

  /** Counts a nudge to a host that nobody has proven to be theirs. The last ones are for accounts that sent little. */
  async allowsUnprovenNudge(userId: string, host: string): Promise<boolean> {
    const ofAccount = await this.#count([LIMITS.unprovenNudgesOfAccount, `${userId} ${host}`]);
    if (ofAccount.isOver) return false;
    const toHost: Counter = [LIMITS.unprovenNudgesToHost, host];
    const { count } = await this.#count(toHost);
    if (count <= fairShare(ofAccount.count, LIMITS.unprovenNudgesToHost.max)) return true;
    await this.#uncount([toHost]);
    return false;
  }

  /**
   * Whether a host may be shown a token that it has not accepted yet. If the channel is confirmed, the wrong tokens of
   * strangers do not count, as long as the account has shown none.
   */
  async allowsToken(userId: string, host: string, isConfirmed: boolean): Promise<boolean> {
    const { refusedTokens, refusedTokensOfHost } = LIMITS;
    const { count } = await this.#count([refusedTokens, `${userId} ${host}`], 0);
    if (count >= refusedTokens.max) return false;
    if (count === 0 && isConfirmed) return true;
    return (await this.#count([refusedTokensOfHost, host], 0)).count < refusedTokensOfHost.max;
  }

  async countRefusedToken(userId: string, host: string): Promise<void> {
    await this.#count([LIMITS.refusedTokens, `${userId} ${host}`]);
    await this.#count([LIMITS.refusedTokensOfHost, host]);
  }

  /** For text messages: their caps depend on settings (`push/sms/sms-caps.ts`). Returns the counter's new value. */
  async countMessages(counter: string, amount: number, windowMs: number): Promise<number> {
    const now = this.#clock.now();
    const windowEndsAt = new Date(now.getTime() + windowMs);
    return (await countAttempt(this.#db, hashToken(counter), now, windowEndsAt, amount)).count;
  }

  /** For servers that take so many messages in a day of UTC. Returns the counter's new value; `amount` may be 0. */
  async countOfDay(key: string, amount: number): Promise<number> {
    const day = this.#clock.now().toISOString().slice(0, 10);
    return this.countMessages(`day ${day} ${key}`, amount, DAY_MS);
  }

  async uncountMessages(counter: string, amount: number): Promise<void> {
    await uncountAttempt(this.#db, hashToken(counter), amount);
  }

  /**
   * `verify` resolves with undefined for a wrong proof. A guess is counted before it is verified and uncounted if
   * it was right, so that guesses sent at the same time cannot all pass before one of them is counted.
   */
  async limitWrongProofs<T>(subject: ProofSubject, verify: () => Promise<T | undefined>): Promise<T | undefined> {
    const guesses = await this.#guessCounters(subject);
    for (const counter of guesses) await this.#enforce(counter);
    const { result, refusal } = await this.#verify(guesses, verify);
    if (result !== undefined) {
      if (subject.asksProvider) await this.rememberNetwork(PROVIDER, subject.address);
      return result;
    }
    await this.#countWrongProof(subject);
    if (refusal) throw refusal;
    return undefined;
  }

  async #verify<T>(
    guesses: readonly Counter[],
    verify: () => Promise<T | undefined>,
  ): Promise<{ result?: T | undefined; refusal?: AppError }> {
    try {
      const result = await verify();
      if (result !== undefined) await this.#uncount(guesses);
      return { result };
    } catch (error) {
      // A further try on an expired sign-in may be a guess. A proof that could not be verified was not a guess.
      if (error instanceof AppError && WRONG_PROOFS.has(error.code)) return { refusal: error };
      await this.#uncount(guesses);
      throw error;
    }
  }

  async #guessCounters({ account, address, guess, asksProvider }: ProofSubject): Promise<readonly Counter[]> {
    if (asksProvider) return this.#answerCounters(address);
    if (account === undefined || guess === undefined) return [];
    const subject = `${account} ${guess.sessionId ?? networkOf(address)}`;
    const counters: Counter[] = [
      [LIMITS.guesses, subject],
      [LIMITS.guessesPerDay, subject],
    ];
    const isKnown = guess.sessionId !== undefined || (await this.#isKnownNetwork(account, address));
    return isKnown ? counters : [...counters, [LIMITS.guessesOfStrangers, account]];
  }

  /** Networks from which people sign in at the provider are not refused because of strangers, there or elsewhere. */
  async #answerCounters(address: string): Promise<readonly Counter[]> {
    if (await this.#isKnownNetwork(PROVIDER, address)) return [];
    return [
      [LIMITS.answersPerNetwork, networkOf(address)],
      [LIMITS.answers, PROVIDER],
    ];
  }

  async #countWrongProof({ account, address }: ProofSubject): Promise<void> {
    const network = networkOf(address);
    await this.#enforce([LIMITS.wrongPerNetwork, network]);
    if (account !== undefined) await this.#enforce([LIMITS.wrongPerAccount, `${account} ${network}`]);
  }

  /** Remembers that the account has signed in from this network. True if it had not within the last 90 days. */
  async rememberNetwork(userId: string, address: string): Promise<boolean> {
    const key = knownNetworkKey(userId, address);
    const now = this.#clock.now();
    const until = new Date(now.getTime() + KNOWN_NETWORK_MS);
    const isNew = await addKeyAgain(this.#db, key, now, until);
    if (!isNew) await extendKey(this.#db, key, until);
    return isNew;
  }

  #isKnownNetwork(userId: string, address: string): Promise<boolean> {
    return hasKey(this.#db, knownNetworkKey(userId, address), this.#clock.now());
  }

  async #enforce(counter: Counter): Promise<void> {
    const { isOver, waitMs } = await this.#count(counter);
    if (isOver) throw tooMany(counter[0], waitMs);
  }

  async #count([limit, subject]: Counter, amount = 1): Promise<{ count: number; isOver: boolean; waitMs: number }> {
    const now = this.#clock.now();
    const windowEndsAt = new Date(now.getTime() + limit.windowMs);
    const { count, resets_at } = await countAttempt(this.#db, keyOf([limit, subject]), now, windowEndsAt, amount);
    return { count, isOver: count > limit.max, waitMs: resets_at.getTime() - now.getTime() };
  }

  async #uncount(counters: readonly Counter[]): Promise<void> {
    for (const counter of counters) await uncountAttempt(this.#db, keyOf(counter));
  }
}

const codeCounters = (email: string, address: string): readonly [Counter, Counter] => [
  [LIMITS.codesPerNetwork, networkOf(address)],
  [LIMITS.codesPerMailbox, mailboxOf(email)],
];

const tooMany = ({ code }: Limit, waitMs: number) =>
  new AppError(code, { retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1_000)) });

/** Hashed, so that the table does not contain email or IP addresses. */
const keyOf = ([{ name }, subject]: Counter) => hashToken(`${name}: ${subject}`);

const knownNetworkKey = (userId: string, address: string) =>
  hashToken(`known network: ${userId} ${networkOf(address)}`);
