/** Sign-in with an emailed code. An address without an account gets one. */
import { findUserByEmail, insertUser } from '../accounts/users.store.ts';
import type { Db } from '../db/schema.ts';
import { transact } from '../db/transact.ts';
import type { Clock } from '../lib/clock.ts';
import { normalizeEmail } from '../lib/email.ts';
import { AppError } from '../lib/errors.ts';
import type { EmailCodes } from './email-codes.ts';
import type { ProofGate } from './proof-gate.ts';
import type { SignInResult, SignInService } from './sign-in.service.ts';

export class EmailSignInService {
  readonly #db: Db;
  readonly #clock: Clock;
  readonly #codes: EmailCodes;
  readonly #signIn: SignInService;
  readonly #gate: ProofGate;

  constructor(db: Db, clock: Clock, codes: EmailCodes, signIn: SignInService, gate: ProofGate) {
    this.#db = db;
    this.#clock = clock;
    this.#codes = codes;
    this.#signIn = signIn;
    this.#gate = gate;
  }

  async requestCode(rawEmail: string, address: string): Promise<void> {
    const email = normalizeEmail(rawEmail);
    await this.#gate.allowCodeRequest(email, address);
    await this.#codes.send(email);
  }

  async verify(rawEmail: string, code: string, address: string): Promise<SignInResult> {
    const email = normalizeEmail(rawEmail);
    const verify = () => transact(this.#db, (trx) => this.#spendCode(trx, email, code));
    const auditFields = ({ user_id, mode, status }: SignInResult) => ({ user_id, mode, status, method: 'email' });
    const result = await this.#gate.check('sign_in', { account: email, email, address }, verify, auditFields);
    if (!result) throw new AppError('wrong_code');
    return result;
  }

  async #spendCode(trx: Db, email: string, code: string): Promise<SignInResult | undefined> {
    if (!(await this.#codes.spend(trx, email, code))) return undefined;
    const created = await insertUser(trx, { email, displayName: null }, this.#clock.now());
    const user = created ?? (await findUserByEmail(trx, email));
    // The account was deleted after `insertUser` found it.
    if (!user) return undefined;
    return this.#signIn.complete(trx, user, created ? 'register' : 'login');
  }
}
