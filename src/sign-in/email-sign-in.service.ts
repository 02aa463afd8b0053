/**
 * Sign-in with an emailed code. An address without an account gets one if it is admitted. No answer says whether
 * an address has an account or is admitted: only the mail does.
 */
import { findUserByEmail, insertUser } from '../accounts/users.store.ts';
import type { Db } from '../db/schema.ts';
import { RunAgain, transact } from '../db/transact.ts';
import type { Audit } from '../lib/audit.ts';
import type { Clock } from '../lib/clock.ts';
import { normalizeEmail } from '../lib/email.ts';
import { AppError } from '../lib/errors.ts';
import type { EmailCodes } from './email-codes.ts';
import type { ProofGate } from './proof-gate.ts';
import type { SignInResult, SignInService } from './sign-in.service.ts';
import type { SignUpService } from './sign-up.service.ts';

interface Parts {
  readonly db: Db;
  readonly clock: Clock;
  readonly codes: EmailCodes;
  readonly signIn: SignInService;
  readonly gate: ProofGate;
  readonly signUp: SignUpService;
  readonly audit: Audit;
}

export class EmailSignInService {
  readonly #db: Db;
  readonly #clock: Clock;
  readonly #codes: EmailCodes;
  readonly #signIn: SignInService;
  readonly #gate: ProofGate;
  readonly #signUp: SignUpService;
  readonly #audit: Audit;

  constructor({ db, clock, codes, signIn, gate, signUp, audit }: Parts) {
    this.#db = db;
    this.#clock = clock;
    this.#codes = codes;
    this.#signIn = signIn;
    this.#gate = gate;
    this.#signUp = signUp;
    this.#audit = audit;
  }

  async requestCode(rawEmail: string, address: string, invite?: string): Promise<void> {
    const email = normalizeEmail(rawEmail);
    await this.#gate.allowCodeRequest(email, address);
    // Both are looked up for every address, so that the time tells nothing either.
    const isAdmitted = await this.#signUp.wouldAdmit(this.#db, email, invite);
    const account = await findUserByEmail(this.#db, email);
    const maySignIn = isAdmitted || account !== undefined;
    if (!maySignIn) this.#audit.record('sign_up', { result: 'refused', email, address });
    await this.#codes.send(email, maySignIn);
  }

  async verify(rawEmail: string, code: string, address: string, invite?: string): Promise<SignInResult> {
    const email = normalizeEmail(rawEmail);
    const verify = () => transact(this.#db, (trx) => this.#spendCode(trx, email, code, invite));
    const auditFields = ({ user_id, mode, status }: SignInResult) => ({ user_id, mode, status, method: 'email' });
    const result = await this.#gate.check('sign_in', { account: email, email, address }, verify, auditFields);
    if (!result) throw new AppError('wrong_code');
    return result;
  }

  async #spendCode(trx: Db, email: string, code: string, invite?: string): Promise<SignInResult | undefined> {
    if (!(await this.#codes.spend(trx, email, code))) return undefined;
    const known = await findUserByEmail(trx, email);
    if (known) return this.#signIn.complete(trx, known, 'login');
    if (!(await this.#signUp.admit(trx, email, invite))) return undefined;
    const created = await insertUser(trx, { email, displayName: null }, this.#clock.now());
    // Another request has just created the account: the next attempt finds it.
    if (!created) throw new RunAgain('The account was created by another request.');
    return this.#signIn.complete(trx, created, 'register');
  }
}
