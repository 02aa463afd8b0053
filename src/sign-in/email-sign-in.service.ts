/**
 * Sign-in with an emailed code. An address without an account gets one if it is admitted. No answer says whether
 * an address has an account or is admitted: only the mail does. An address that can still undo a change gets no account.
 */
import { findUserByEmail, insertUser } from '../accounts/users.store.ts';
import type { Db } from '../db/schema.ts';
import { RunAgain } from '../db/transact.ts';
import type { Audit } from '../lib/audit.ts';
import type { Clock } from '../lib/clock.ts';
import { normalizeEmail } from '../lib/email.ts';
import { AppError } from '../lib/errors.ts';
import { isTagged, mailboxOf } from '../lib/mailbox.ts';
import type { Mail } from '../lib/mailer.ts';
import type { ThrottleService } from '../limits/throttle.service.ts';
import { findKept } from './address/address-changes.store.ts';
import { addressKeptMail } from './address/address-mails.ts';
import type { AdmissionService } from './admission.service.ts';
import { CODE_LIFETIME_SECONDS, type EmailCodes, SHARED_CODE_LIFETIME_SECONDS } from './email-codes.ts';
import type { ProofGate } from './proof-gate.ts';
import type { Requester } from './requester.ts';
import type { SignInResult, SignInService } from './sign-in.service.ts';
import { signInMail, signUpClosedMail } from './sign-in-mail.ts';
import type { SignUpService } from './sign-up.service.ts';
import type { TakeBackLinks } from './take-back-links.ts';

interface Parts {
  readonly db: Db;
  readonly clock: Clock;
  readonly codes: EmailCodes;
  readonly signIn: SignInService;
  readonly gate: ProofGate;
  readonly throttle: ThrottleService;
  readonly signUp: SignUpService;
  readonly audit: Audit;
  readonly admission: AdmissionService;
  readonly links: TakeBackLinks;
}

export interface CodeRequest {
  /** Sent back with the code, it shows that the code comes from the client that asked for it. */
  readonly token: string;
  readonly expiresInSeconds: number;
}

export class EmailSignInService {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async requestCode(rawEmail: string, requester: Requester, invite?: string): Promise<CodeRequest> {
    const { clock, codes, gate, throttle, signUp, audit, db, admission, links } = this.#parts;
    admission.requireWay('email');
    const email = normalizeEmail(rawEmail);
    const { address } = requester;
    const sending = await gate.countCodeRequest(email, address);
    // All three are looked up for every address, so that the time reveals nothing either.
    const isAdmitted = await signUp.wouldAdmit(db, email, invite);
    const hasAccount = (await findUserByEmail(db, email)) !== undefined;
    const kept = await findKept(db, email, clock.now());
    const mayJoin = isAdmitted && !kept;
    const maySignIn = mayJoin || hasAccount;
    const mailOf = (code: string) => {
      if (maySignIn) return signInMail(email, code);
      return kept ? addressKeptMail(kept, links.urlOf('address', kept.id)) : signUpClosedMail(email);
    };
    if (!maySignIn) audit.record('sign_up', { result: 'refused', email, address });
    if (sending === 'usual') {
      const token = await this.#sendOrUncount(email, requester, mailOf);
      return { token, expiresInSeconds: CODE_LIFETIME_SECONDS };
    }
    // Strangers can invent any number of spellings of a mailbox, but not accounts that have or had such an address. A
    // spelling without a tag may be the one that its owner was given, so the first that asks gets the mail.
    const isEligible = mayJoin && !hasAccount && !isTagged(email);
    const isFirst = sending === 'sparingly' && (await throttle.allowsLongCode(email, isEligible));
    const isMailed = hasAccount || kept !== undefined || isFirst;
    const token = await codes.sendSparingly(email, requester, isMailed, mailOf);
    return { token, expiresInSeconds: SHARED_CODE_LIFETIME_SECONDS };
  }

  async #sendOrUncount(email: string, requester: Requester, mailOf: (code: string) => Mail): Promise<string> {
    const { codes, throttle } = this.#parts;
    try {
      return await codes.send(email, requester, mailOf);
    } catch (error) {
      await throttle.uncountCodeRequest(email, requester.address);
      throw error;
    }
  }

  async verify(rawEmail: string, code: string, requester: Requester, invite?: string): Promise<SignInResult> {
    const { gate, throttle, signIn, admission } = this.#parts;
    admission.requireWay('email');
    const { address } = requester;
    const email = normalizeEmail(rawEmail);
    const verify = () => admission.enter((trx) => this.#spendCode(trx, email, code, requester, invite));
    const auditFields = ({ user_id, mode, status }: SignInResult) => ({ user_id, mode, status, method: 'email' });
    const result = await gate.check('sign_in', { account: mailboxOf(email), email, address }, verify, auditFields);
    if (!result) throw new AppError('wrong_code');
    await throttle.uncountCodeRequest(email, address);
    await signIn.finish(result, requester);
    return result;
  }

  async #spendCode(
    trx: Db,
    email: string,
    code: string,
    requester: Requester,
    invite: string | undefined,
  ): Promise<SignInResult | undefined> {
    const { codes, clock, signIn, signUp } = this.#parts;
    if (!(await codes.spend(trx, email, code, requester))) return undefined;
    const known = await findUserByEmail(trx, email);
    if (known) return signIn.complete(trx, known, 'login', requester, { way: 'email' });
    if (await findKept(trx, email, clock.now())) return undefined;
    const newcomer = { way: 'email', verifiedEmail: email, isInAllowedGroup: false } as const;
    if (!(await signUp.admit(trx, newcomer, invite))) return undefined;
    const created = await insertUser(trx, { email, displayName: null }, clock.now());
    // Another request has just created the account: the next attempt finds it.
    if (!created) throw new RunAgain('The account was created by another request.');
    return signIn.complete(trx, created, 'register', requester, { way: 'email' });
  }
}
