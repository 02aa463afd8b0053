/**
 * The end of every sign-in: a session at once, or a challenge for the second factor and the session
 * after that alone. How the first proof was given makes no difference.
 */
import type { Kysely } from 'kysely';
import type { Database } from '../db/schema.ts';
import { transact } from '../db/transact.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { hashToken, newToken } from '../lib/secrets.ts';
import type { ProofGate } from './proof-gate.ts';
import {
  countRecoveryCodes,
  findChallenge,
  insertChallenge,
  spendChallenge,
  takeChallengeTry,
} from './second-factor.store.ts';
import type { SecondFactor } from './second-factor.ts';
import type { SessionsService } from './sessions.service.ts';
import { findUser, lockUser, type User } from './users.store.ts';

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
const MOST_TRIES = 5;

export class SignInService {
  readonly #db: Kysely<Database>;
  readonly #clock: Clock;
  readonly #sessions: SessionsService;
  readonly #secondFactor: SecondFactor;
  readonly #gate: ProofGate;

  constructor(
    db: Kysely<Database>,
    clock: Clock,
    sessions: SessionsService,
    secondFactor: SecondFactor,
    gate: ProofGate,
  ) {
    this.#db = db;
    this.#clock = clock;
    this.#sessions = sessions;
    this.#secondFactor = secondFactor;
    this.#gate = gate;
  }

  /** To be called when the first proof was right, inside the transaction that spent it. */
  async complete(trx: Kysely<Database>, { id }: User, mode: SignInMode): Promise<SignInResult> {
    // Locked: a second factor that is being turned on in this moment counts already.
    const user = await lockUser(trx, id);
    if (!user) throw new AppError('sign_in_expired');
    return user.mfa_enabled_at === null ? this.#openSession(trx, user.id, mode) : this.#challenge(trx, user, mode);
  }

  async verifySecondFactor(mfaToken: string, code: string, address: string): Promise<SignInResult> {
    const tokenHash = hashToken(mfaToken);
    const account = (await findChallenge(this.#db, tokenHash))?.user_id;
    const judge = () => transact(this.#db, (trx) => this.#spendChallenge(trx, tokenHash, code));
    const result = await this.#gate.judge('second_factor', { account, user_id: account, address }, judge);
    if (!result) throw new AppError('wrong_code');
    return result;
  }

  async #spendChallenge(trx: Kysely<Database>, tokenHash: string, code: string): Promise<SignInResult | undefined> {
    const challenge = await takeChallengeTry(trx, tokenHash, this.#clock.now(), MOST_TRIES);
    const user = challenge && (await findUser(trx, challenge.user_id));
    if (!user) throw new AppError('sign_in_expired');
    if (!(await this.#secondFactor.isRight(trx, user, 'verify', code))) return undefined;
    await spendChallenge(trx, tokenHash);
    return this.#openSession(trx, user.id, challenge.mode as SignInMode);
  }

  async #openSession(trx: Kysely<Database>, userId: string, mode: SignInMode): Promise<SignInResult> {
    const session_token = await this.#sessions.open(trx, userId);
    return {
      status: 'authenticated',
      mode,
      created: mode === 'register',
      user_id: userId,
      session_token,
      mfa_token: null,
      methods: null,
    };
  }

  /** Who the account belongs to is not told before the second factor is given. */
  async #challenge(trx: Kysely<Database>, user: User, mode: SignInMode): Promise<SignInResult> {
    const mfa_token = newToken('mt_');
    const expires_at = new Date(this.#clock.now().getTime() + CHALLENGE_LIFETIME_MS);
    await insertChallenge(trx, { token_hash: hashToken(mfa_token), user_id: user.id, mode, tries: 0, expires_at });
    const methods = (await countRecoveryCodes(trx, user.id)) > 0 ? ['totp', 'recovery_code'] : ['totp'];
    return { status: 'mfa_required', mode, created: false, user_id: null, session_token: null, mfa_token, methods };
  }
}
