/**
 * The last step of every sign-in, by email code, identity provider or passkey: opens a session, or, if the account
 * has a second factor, issues a challenge and opens the session once a code has been verified. A passkey is two factors
 * already: the authenticator, and the fingerprint or PIN that unlocked it.
 */
import { findUser, type User } from '../accounts/users.store.ts';
import type { Db } from '../db/schema.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { hashToken, newToken } from '../lib/secrets.ts';
import type { ThrottleService } from '../limits/throttle.service.ts';
import type { AccountNotices } from './account-notices.ts';
import type { AdmissionService, Admitted, Proof } from './admission.service.ts';
import type { ProofGate } from './proof-gate.ts';
import type { Requester } from './requester.ts';
import {
  countChallengeTry,
  countRecoveryCodes,
  findChallenge,
  insertChallenge,
  spendChallenge,
} from './second-factor.store.ts';
import { isTotpCode, type SecondFactorCodes } from './second-factor-codes.ts';
import type { SecondFactorResets } from './second-factor-resets.service.ts';
import { deleteReset } from './second-factor-resets.store.ts';
import { OWN, type SessionSource, type SessionsService } from './sessions.service.ts';

export type SignInMode = 'login' | 'register' | 'link';

export interface SignInResult {
  readonly status: 'authenticated' | 'mfa_required';
  readonly mode: SignInMode;
  readonly created: boolean;
  readonly user_id: string | null;
  readonly session_token: string | null;
  readonly mfa_token: string | null;
  readonly methods: string[] | null;
}

const CHALLENGE_LIFETIME_MS = 5 * 60_000;
const MAX_TRIES = 5;
const WRONG_CODES_PER_NOTICE = 5;

interface Parts {
  readonly db: Db;
  readonly clock: Clock;
  readonly sessions: SessionsService;
  readonly codes: SecondFactorCodes;
  readonly gate: ProofGate;
  readonly throttle: ThrottleService;
  readonly notices: AccountNotices;
  readonly admission: AdmissionService;
  readonly resets: SecondFactorResets;
}

export class SignInService {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Called after the first proof was accepted, in the transaction that spent it. */
  async complete(
    trx: Db,
    { id }: Pick<User, 'id'>,
    mode: SignInMode,
    requester: Requester,
    proof: Proof,
    source: SessionSource = OWN,
  ): Promise<SignInResult> {
    const user = await this.#parts.admission.requireEntry(trx, id, proof);
    const isEnough = proof.way === 'passkey' || user.mfa_enabled_at === null;
    if (!isEnough) return this.#challenge(trx, user, mode, source);
    return this.#openSession(trx, user, mode, source, requester);
  }

  async verifySecondFactor(mfaToken: string, code: string, requester: Requester): Promise<SignInResult> {
    const tokenHash = hashToken(mfaToken);
    const { db, gate, admission } = this.#parts;
    const { address } = requester;
    const account = (await findChallenge(db, tokenHash))?.user_id;
    const guess = isTotpCode(code) ? { sessionId: undefined } : undefined;
    let isResetStopped = false;
    const verify = () =>
      admission.enter(async (trx) => {
        const entered = await this.#spendChallenge(trx, tokenHash, code, requester);
        isResetStopped = entered?.user_id != null && (await deleteReset(trx, entered.user_id));
        return entered;
      });
    const result = await gate.check('second_factor', { account, user_id: account, address, guess }, verify);
    if (!result) {
      if (account !== undefined) await this.#noticeGuessing(account);
      throw new AppError('wrong_code');
    }
    await this.finish(result, requester);
    await this.#noticeRecoveryCode(result, code);
    if (isResetStopped && result.user_id !== null)
      this.#parts.resets.recordStopped(result.user_id, 'second_factor', address);
    return result;
  }

  /** Called after the commit of a sign-in. True if the account had not signed in from this network before. */
  async finish({ user_id }: SignInResult, { address }: Requester): Promise<boolean> {
    return user_id !== null && (await this.#parts.throttle.rememberNetwork(user_id, address));
  }

  /** The first factor was right, so the guesses come from the owner, or from a person who reads the owner's mail. */
  async #noticeGuessing(userId: string): Promise<void> {
    const { throttle, notices } = this.#parts;
    const wrongCodes = await throttle.countWrongSecondFactor(userId);
    if (wrongCodes % WRONG_CODES_PER_NOTICE === 0) notices.send(userId, { kind: 'second_factor_guessed', wrongCodes });
  }

  async #noticeRecoveryCode({ user_id }: SignInResult, code: string): Promise<void> {
    if (user_id === null || isTotpCode(code)) return;
    const left = await countRecoveryCodes(this.#parts.db, user_id);
    this.#parts.notices.send(user_id, { kind: 'recovery_code_used', left });
  }

  async #spendChallenge(
    trx: Db,
    tokenHash: string,
    code: string,
    requester: Requester,
  ): Promise<SignInResult | undefined> {
    const challenge = await countChallengeTry(trx, tokenHash, this.#parts.clock.now(), MAX_TRIES);
    const user = challenge && (await findUser(trx, challenge.user_id));
    if (!user) throw new AppError('sign_in_expired');
    if (!(await this.#parts.codes.spend(trx, user, 'verify', code))) return undefined;
    // The rules may have changed since the first factor. Who has lost the group meanwhile has lost the challenge too.
    const proof: Proof = challenge.identity_id === null ? { way: 'email' } : { way: 'provider', isInGroup: true };
    const admitted = await this.#parts.admission.requireEntry(trx, user.id, proof);
    await spendChallenge(trx, tokenHash);
    return this.#openSession(trx, admitted, challenge.mode as SignInMode, challenge, requester);
  }

  async #openSession(
    trx: Db,
    user: Admitted,
    mode: SignInMode,
    source: SessionSource,
    { userAgent }: Requester,
  ): Promise<SignInResult> {
    const session_token = await this.#parts.sessions.open(trx, user, source, userAgent);
    return {
      status: 'authenticated',
      mode,
      created: mode === 'register',
      user_id: user.id,
      session_token,
      mfa_token: null,
      methods: null,
    };
  }

  /** The answer does not contain the user id: the second factor is not verified yet. */
  async #challenge(trx: Db, user: User, mode: SignInMode, source: SessionSource): Promise<SignInResult> {
    const mfa_token = newToken('mt_');
    const expires_at = new Date(this.#parts.clock.now().getTime() + CHALLENGE_LIFETIME_MS);
    const { identity_id, provider_sid } = source;
    await insertChallenge(trx, {
      token_hash: hashToken(mfa_token),
      user_id: user.id,
      mode,
      tries: 0,
      expires_at,
      identity_id,
      provider_sid,
    });
    const methods = (await countRecoveryCodes(trx, user.id)) > 0 ? ['totp', 'recovery_code'] : ['totp'];
    return { status: 'mfa_required', mode, created: false, user_id: null, session_token: null, mfa_token, methods };
  }
}
