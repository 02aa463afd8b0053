/**
 * Turning the second factor on and off.
 *
 *           enrol              confirm (live code)
 *   off ──────────▶ enrolled ───────────────────────▶ on
 *    ▲                 │ enrol again: a new secret     │
 *    │                 └───────────◀                   │
 *    └──────────────────────────────────────────────────┘
 *                disable (TOTP or recovery code)
 *
 * A session alone can never turn it off, and every change ends the account's other sessions. Whoever
 * runs the service can turn it off for somebody who has lost it, which ends all of them.
 */
import type { Kysely } from 'kysely';
import type { Database } from '../db/schema.ts';
import { transact } from '../db/transact.ts';
import type { SessionCaller } from '../lib/caller.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import type { Audit } from './audit.ts';
import type { ProofGate } from './proof-gate.ts';
import { countRecoveryCodes, deleteChallenges, replaceRecoveryCodes } from './second-factor.store.ts';
import type { SecondFactor } from './second-factor.ts';
import { deleteOtherSessions, deleteSessions } from './sessions.store.ts';
import { findUser, lockUser, type User, updateUser } from './users.store.ts';

export class SecondFactorService {
  readonly #db: Kysely<Database>;
  readonly #clock: Clock;
  readonly #secondFactor: SecondFactor;
  readonly #gate: ProofGate;
  readonly #audit: Audit;

  constructor(db: Kysely<Database>, clock: Clock, secondFactor: SecondFactor, gate: ProofGate, audit: Audit) {
    this.#db = db;
    this.#clock = clock;
    this.#secondFactor = secondFactor;
    this.#gate = gate;
    this.#audit = audit;
  }

  async enrol({ userId }: SessionCaller, address: string): Promise<{ secret: string; otpauth_uri: string }> {
    const { secret, uri } = await transact(this.#db, async (trx) => {
      const user = await this.#lock(trx, userId);
      if (user.mfa_enabled_at !== null) throw new AppError('mfa_already_enabled');
      const made = this.#secondFactor.newSecret(user);
      await updateUser(trx, userId, { totp_secret: made.sealed }, this.#clock.now());
      return made;
    });
    this.#audit.record('mfa_enrolled', { result: 'ok', address, user_id: userId });
    return { secret, otpauth_uri: uri };
  }

  /** Returns the recovery codes, for the only time. */
  async confirm(caller: SessionCaller, code: string, address: string): Promise<string[]> {
    const judge = () => transact(this.#db, (trx) => this.#turnOn(trx, caller, code));
    const codes = await this.#gate.judge('mfa_enabled', proverOf(caller, address), judge);
    if (!codes) throw new AppError('wrong_second_factor');
    return codes;
  }

  async #turnOn(
    trx: Kysely<Database>,
    { userId, sessionId }: SessionCaller,
    code: string,
  ): Promise<string[] | undefined> {
    const user = await this.#lock(trx, userId);
    if (user.mfa_enabled_at !== null) throw new AppError('mfa_already_enabled');
    if (user.totp_secret === null) throw new AppError('mfa_not_enrolled');
    if (!(await this.#secondFactor.isRightTotp(trx, user, 'confirm', code))) return undefined;
    const { codes, kept } = this.#secondFactor.newRecoveryCodes(user);
    const now = this.#clock.now();
    await updateUser(trx, userId, { mfa_enabled_at: now }, now);
    await replaceRecoveryCodes(trx, userId, kept);
    await deleteOtherSessions(trx, userId, sessionId);
    return codes;
  }

  async disable(caller: SessionCaller, code: string, address: string): Promise<void> {
    const judge = () => transact(this.#db, (trx) => this.#turnOff(trx, caller, code));
    const done = await this.#gate.judge('mfa_disabled', proverOf(caller, address), judge);
    if (!done) throw new AppError('wrong_second_factor');
  }

  async #turnOff(trx: Kysely<Database>, { userId, sessionId }: SessionCaller, code: string): Promise<true | undefined> {
    const user = await this.#lock(trx, userId);
    if (user.mfa_enabled_at === null) throw new AppError('mfa_not_enabled');
    if (!(await this.#secondFactor.isRight(trx, user, 'disable', code))) return undefined;
    await this.#forget(trx, userId);
    await deleteOtherSessions(trx, userId, sessionId);
    return true;
  }

  /**
   * For somebody who has lost it, by whoever runs the service. Nothing was proven, so nobody stays
   * signed in: its owner comes back through the first proof, and whoever else was there does not.
   */
  async disableWithoutProof(userId: string, address: string): Promise<void> {
    await transact(this.#db, async (trx) => {
      const user = await this.#lock(trx, userId);
      if (user.mfa_enabled_at === null) throw new AppError('mfa_not_enabled');
      await this.#forget(trx, userId);
      await deleteSessions(trx, userId);
    });
    this.#audit.record('mfa_disabled', { result: 'without_proof', address, user_id: userId });
  }

  async #forget(trx: Kysely<Database>, userId: string): Promise<void> {
    await updateUser(trx, userId, { mfa_enabled_at: null, totp_secret: null }, this.#clock.now());
    await replaceRecoveryCodes(trx, userId, []);
    await deleteChallenges(trx, userId);
  }

  async status({ userId }: SessionCaller): Promise<{ enabled: boolean; recovery_codes_remaining: number }> {
    const user = await findUser(this.#db, userId);
    if (!user) throw new AppError('unauthenticated');
    return {
      enabled: user.mfa_enabled_at !== null,
      recovery_codes_remaining: await countRecoveryCodes(this.#db, userId),
    };
  }

  async #lock(trx: Kysely<Database>, userId: string): Promise<User> {
    const user = await lockUser(trx, userId);
    // The account was deleted while this request was under way.
    if (!user) throw new AppError('unauthenticated');
    return user;
  }
}

const proverOf = ({ userId }: SessionCaller, address: string) => ({ account: userId, user_id: userId, address });
