/**
 * Admits people who have no account yet. One invitation admits one account, even before it is accepted: a link
 * that leaked does not let a crowd in.
 */
import type { Db } from '../db/schema.ts';
import type { Clock } from '../lib/clock.ts';
import { hashToken } from '../lib/secrets.ts';
import { areInvitesAdmitted, isAddressAdmitted, policyOf, type SignUpPolicy, type SignUpRules } from './admission.ts';
import { addKey, hasKey } from './expiring-keys.store.ts';

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
    return found !== undefined && addKey(trx, found.spentKey, found.expiresAt);
  }

  /** `spentKey` is stored once the invitation has admitted an account. */
  async #findInvite(db: Db, token: string | undefined): Promise<{ spentKey: string; expiresAt: Date } | undefined> {
    if (token === undefined || !areInvitesAdmitted(this.#rules)) return undefined;
    const spentKey = `sign-up with invite: ${hashToken(token)}`;
    const invite = await this.#findOpenInvite(db, token);
    if (!invite || (await hasKey(db, spentKey, this.#clock.now()))) return undefined;
    return { spentKey, expiresAt: invite.expires_at };
  }
}
