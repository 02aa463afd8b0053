/**
 * Turns the second factor of an account on and off.
 *
 *           enrol              confirm (live code)
 *   off ──────────▶ enrolled ───────────────────────▶ on
 *    ▲                 │ enrol again: a new secret     │
 *    │                 └───────────◀                   │
 *    └──────────────────────────────────────────────────┘
 *                disable (TOTP or recovery code)
 *
 * Turning it off needs a code; a session alone is not enough. Every change ends the account's other
 * sessions. The operator can turn it off for a user who has lost it, which ends all sessions; an administrator only with a
 * delay (`second-factor-resets.service.ts`).
 */
import { findUser, lockUser, requireUser, updateUser } from '../accounts/users.store.ts';
import { requireLiveSession } from '../db/live-session.ts';
import type { Db } from '../db/schema.ts';
import { transact } from '../db/transact.ts';
import type { Audit } from '../lib/audit.ts';
import type { SessionCaller } from '../lib/caller.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import type { AccountNotices } from './account-notices.ts';
import type { ProofGate } from './proof-gate.ts';
import { countRecoveryCodes, deleteTotpSteps, replaceRecoveryCodes } from './second-factor.store.ts';
import { isTotpCode, type SecondFactorCodes } from './second-factor-codes.ts';
import { deleteOtherSessions, deleteSessions } from './sessions.store.ts';
import { turnOffSecondFactor } from './turn-off-second-factor.ts';

interface Parts {
  readonly db: Db;
  readonly clock: Clock;
  readonly codes: SecondFactorCodes;
  readonly gate: ProofGate;
  readonly audit: Audit;
  readonly notices: AccountNotices;
}

export class SecondFactorService {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The route asks for a recent sign-in: with an old session that was stolen, a thief could lock the owner out. */
  async enrol({ userId }: SessionCaller, address: string): Promise<{ secret: string; otpauth_uri: string }> {
    const { secret, uri } = await transact(this.#parts.db, async (trx) => {
      const user = requireUser(await lockUser(trx, userId));
      if (user.mfa_enabled_at !== null) throw new AppError('mfa_already_enabled');
      const created = this.#parts.codes.newSecret(user);
      await updateUser(trx, userId, { totp_secret: created.sealed }, this.#parts.clock.now());
      await deleteTotpSteps(trx, userId);
      return created;
    });
    this.#parts.audit.record('mfa_enrolled', { result: 'ok', address, user_id: userId });
    return { secret, otpauth_uri: uri };
  }

  /** Returns the recovery codes. They are never shown again. */
  async confirm(caller: SessionCaller, code: string, address: string): Promise<string[]> {
    const turnOn = () => transact(this.#parts.db, (trx) => this.#turnOn(trx, caller, code));
    const codes = await this.#parts.gate.check('mfa_enabled', attemptOf(caller, code, address), turnOn);
    if (!codes) throw new AppError('wrong_second_factor');
    this.#parts.notices.send(caller.userId, { kind: 'second_factor_on' });
    return codes;
  }

  async #turnOn(trx: Db, caller: SessionCaller, code: string): Promise<string[] | undefined> {
    const { userId, sessionId } = caller;
    await requireLiveSession(trx, caller);
    const user = requireUser(await lockUser(trx, userId));
    if (user.mfa_enabled_at !== null) throw new AppError('mfa_already_enabled');
    if (user.totp_secret === null) throw new AppError('mfa_not_enrolled');
    if (!(await this.#parts.codes.spendTotp(trx, user, 'confirm', code))) return undefined;
    const { codes, rows } = this.#parts.codes.newRecoveryCodes(user);
    const now = this.#parts.clock.now();
    await updateUser(trx, userId, { mfa_enabled_at: now }, now);
    await replaceRecoveryCodes(trx, userId, rows);
    await deleteOtherSessions(trx, userId, sessionId);
    return codes;
  }

  async disable(caller: SessionCaller, code: string, address: string): Promise<void> {
    const turnOff = () => transact(this.#parts.db, (trx) => this.#turnOff(trx, caller, code));
    const isOff = await this.#parts.gate.check('mfa_disabled', attemptOf(caller, code, address), turnOff);
    if (!isOff) throw new AppError('wrong_second_factor');
    this.#parts.notices.send(caller.userId, { kind: 'second_factor_off' });
  }

  async #turnOff(trx: Db, { userId, sessionId }: SessionCaller, code: string): Promise<true | undefined> {
    const user = requireUser(await lockUser(trx, userId));
    if (user.mfa_enabled_at === null) throw new AppError('mfa_not_enabled');
    if (!(await this.#parts.codes.spend(trx, user, 'disable', code))) return undefined;
    await turnOffSecondFactor(trx, userId, this.#parts.clock.now());
    await deleteOtherSessions(trx, userId, sessionId);
    return true;
  }

  /**
   * For the operator, when a user has lost the second factor. Nothing was proven, so every session ends: the
   * user signs in again with the first factor, and an intruder who had a session is out.
   */
  async disableWithoutProof(userId: string, address: string): Promise<void> {
    await transact(this.#parts.db, async (trx) => {
      const user = requireUser(await lockUser(trx, userId));
      if (user.mfa_enabled_at === null) throw new AppError('mfa_not_enabled');
      await turnOffSecondFactor(trx, userId, this.#parts.clock.now());
      await deleteSessions(trx, userId);
    });
    this.#parts.audit.record('mfa_disabled', { result: 'without_proof', address, user_id: userId });
    this.#parts.notices.send(userId, { kind: 'second_factor_off' });
  }

  async status({ userId }: SessionCaller): Promise<{ enabled: boolean; recovery_codes_remaining: number }> {
    const user = requireUser(await findUser(this.#parts.db, userId));
    return {
      enabled: user.mfa_enabled_at !== null,
      recovery_codes_remaining: await countRecoveryCodes(this.#parts.db, userId),
    };
  }
}

/** Guesses count per session, so that guesses with a stolen session do not refuse the owner in another. */
const attemptOf = ({ userId, sessionId }: SessionCaller, code: string, address: string) => ({
  account: userId,
  user_id: userId,
  address,
  guess: isTotpCode(code) ? { sessionId } : undefined,
});
