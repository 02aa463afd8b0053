/**
 * Admits people who have no account yet. One invitation admits one account, even before it is accepted: a link
 * that leaked does not let a crowd in.
 */
import type { Db } from '../db/schema.ts';
import type { Clock } from '../lib/clock.ts';
import { hashToken } from '../lib/secrets.ts';
import { areInvitesAdmitted, isAddressAdmitted, policyOf, type SignUpPolicy, type SignUpRules } from './admission.ts';
import { hasSignedUpWith, spendInviteForSignUp } from './sign-up.store.ts';

/** Finds out whether an invitation can still be accepted, and until when; undefined if it cannot. */
export type FindOpenInvite = (db: Db, token: string) => Promise<{ readonly expires_at: Date } | undefined>;

export class SignUpService {
  readonly #rules: SignUpRules;
  readonly #clock: Clock;
  readonly #findOpenInvite: FindOpenInvite;

  constructor(rules: SignUpRules, clock: Clock, findOpenInvite: FindOpenInvite) {
    this.#rules = rules;
    this.#clock = clock;
    this.#findOpenInvite = findOpenInvite;
  }

  get policy(): SignUpPolicy {
    return policyOf(this.#rules);
  }

  /** Whether `admit` would admit this address once it is verified. */
  async wouldAdmit(db: Db, email: string, invite: string | undefined): Promise<boolean> {
    if (isAddressAdmitted(this.#rules, email)) return true;
    return (await this.#findInvite(db, invite)) !== undefined;
  }

  /** Called in the transaction that creates the account: a rollback gives the invitation back. */
  async admit(trx: Db, verifiedEmail: string | undefined, invite: string | undefined): Promise<boolean> {
    if (isAddressAdmitted(this.#rules, verifiedEmail)) return true;
    const found = await this.#findInvite(trx, invite);
    return found !== undefined && spendInviteForSignUp(trx, found.tokenHash, found.expiresAt);
  }

  async #findInvite(db: Db, token: string | undefined): Promise<{ tokenHash: string; expiresAt: Date } | undefined> {
    if (token === undefined || !areInvitesAdmitted(this.#rules)) return undefined;
    const tokenHash = hashToken(token);
    const invite = await this.#findOpenInvite(db, token);
    if (!invite || (await hasSignedUpWith(db, tokenHash, this.#clock.now()))) return undefined;
    return { tokenHash, expiresAt: invite.expires_at };
  }
}
