/** Signing in with an emailed code. The code is the proof; an address without an account gets one. */
import type { Kysely } from 'kysely';
import type { Database } from '../db/schema.ts';
import { transact } from '../db/transact.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { normalEmail } from './email-address.ts';
import type { EmailCodes } from './email-codes.ts';
import type { ProofGate } from './proof-gate.ts';
import type { SignInResult, SignInService } from './sign-in.service.ts';
import { findUserByEmail, insertUser } from './users.store.ts';

export class EmailSignInService {
  readonly #db: Kysely<Database>;
  readonly #clock: Clock;
  readonly #codes: EmailCodes;
  readonly #signIn: SignInService;
  readonly #gate: ProofGate;

  constructor(db: Kysely<Database>, clock: Clock, codes: EmailCodes, signIn: SignInService, gate: ProofGate) {
    this.#db = db;
    this.#clock = clock;
    this.#codes = codes;
    this.#signIn = signIn;
    this.#gate = gate;
  }

  async requestCode(written: string, address: string): Promise<void> {
    const email = normalEmail(written);
    await this.#gate.admitCodeRequest(email, address);
    await this.#codes.send(email);
  }

  async verify(written: string, code: string, address: string): Promise<SignInResult> {
    const email = normalEmail(written);
    const judge = () => transact(this.#db, (trx) => this.#spendCode(trx, email, code));
    const describe = ({ user_id, mode, status }: SignInResult) => ({ user_id, mode, status, method: 'email' });
    const result = await this.#gate.judge('sign_in', { account: email, email, address }, judge, describe);
    if (!result) throw new AppError('wrong_code');
    return result;
  }

  async #spendCode(trx: Kysely<Database>, email: string, code: string): Promise<SignInResult | undefined> {
    if (!(await this.#codes.spend(trx, email, code))) return undefined;
    const created = await insertUser(trx, { email, displayName: null }, this.#clock.now());
    const user = created ?? (await findUserByEmail(trx, email));
    // Deleted in this very moment: the account is gone, and the code with it.
    if (!user) return undefined;
    return this.#signIn.complete(trx, user, created ? 'register' : 'login');
  }
}
