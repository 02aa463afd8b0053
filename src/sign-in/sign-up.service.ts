/**
 * Admits people who have no account yet. One invitation to a space admits one account, even before it is accepted: a
 * link that leaked does not let a crowd in. An administrator's invitation admits the owner of one address: its mail
 * holds no secret.
 */
import { findUserByEmail } from '../accounts/users.store.ts';
import { findFact, setFact } from '../db/installation.ts';
import type { Db } from '../db/schema.ts';
import { transact } from '../db/transact.ts';
import type { Clock } from '../lib/clock.ts';
import { normalizeEmail } from '../lib/email.ts';
import { AppError } from '../lib/errors.ts';
import { newId } from '../lib/ids.ts';
import { hashToken } from '../lib/secrets.ts';
import { addKey, hasKey } from '../limits/expiring-keys.store.ts';
import {
  areInvitesAdmitted,
  isAddressAdmitted,
  isNewcomerAdmitted,
  mayAccountHave,
  type Newcomer,
  policyOf,
  type SignUpPolicy,
  type SignUpRules,
} from './admission.ts';
import {
  type AdmittedAddress,
  admitAddress,
  countAdmitted,
  deleteAdmitted,
  isAdmitted,
  listAdmitted,
  takeAdmitted,
} from './sign-up.store.ts';

/** Finds out whether an invitation can still be accepted, and until when; undefined if it cannot. */
export type FindOpenInvite = (db: Db, token: string) => Promise<{ readonly expires_at: Date } | undefined>;

export interface SignUpParts {
  readonly db: Db;
  readonly clock: Clock;
  /** Without `signUp`, the switch that administrators have decides. */
  readonly rules: Omit<SignUpRules, 'signUp'> & { readonly signUp: SignUpRules['signUp'] | undefined };
  readonly findOpenInvite: FindOpenInvite;
  /** Mails the invitation of an administrator; throws if the sender or the mailbox has had too many. */
  readonly mailInvitation: (sender: string, email: string) => Promise<void>;
}

const INVITATION_LIFETIME_MS = 14 * 86_400_000;
const MAX_INVITATIONS = 200;

export class SignUpService {
  readonly #parts: SignUpParts;

  constructor(parts: SignUpParts) {
    this.#parts = parts;
  }

  /** Whether the setting decides, so that the switch has no effect. */
  get isFixed(): boolean {
    return this.#parts.rules.signUp !== undefined;
  }

  async policy(): Promise<SignUpPolicy> {
    return policyOf(await this.#rules(this.#parts.db));
  }

  async setSwitch(signUp: SignUpRules['signUp']): Promise<void> {
    if (this.isFixed) throw new AppError('sign_up_fixed');
    await setFact(this.#parts.db, 'sign_up', signUp, this.#parts.clock.now());
  }

  /** Whether `admit` would admit this address once it is verified. */
  async wouldAdmit(db: Db, email: string, invite: string | undefined): Promise<boolean> {
    const rules = await this.#rules(db);
    if (isAddressAdmitted(rules, email) || (await isAdmitted(db, email, this.#parts.clock.now()))) return true;
    return (await this.#findInvite(db, rules, invite)) !== undefined;
  }

  /** Called in the transaction that creates the account: a rollback gives the invitation back. */
  async admit(trx: Db, newcomer: Newcomer, invite: string | undefined): Promise<boolean> {
    const { way, verifiedEmail } = newcomer;
    const rules = await this.#rules(trx);
    if (way === 'provider' && !rules.byProvider) return false;
    const isInvited = verifiedEmail !== undefined && (await takeAdmitted(trx, verifiedEmail, this.#parts.clock.now()));
    if (isInvited || isNewcomerAdmitted(rules, newcomer)) return true;
    const found = await this.#findInvite(trx, rules, invite);
    return found !== undefined && addKey(trx, found.spentKey, found.expiresAt);
  }

  /** Whether an account that exists may have this address, once it is verified. */
  async mayAccountHave(db: Db, email: string): Promise<boolean> {
    const isInvited = await isAdmitted(db, email, this.#parts.clock.now());
    return mayAccountHave(await this.#rules(db), email) || isInvited;
  }

  /** An account has the address now, so its invitation is used up. */
  async takeInvitation(trx: Db, email: string): Promise<void> {
    await takeAdmitted(trx, email, this.#parts.clock.now());
  }

  /**
   * Admits an address for two weeks and tells it by mail. Inviting it again starts the two weeks again. If the service
   * sends no mail, the invitation counts all the same, and the administrator tells the person.
   */
  async invite(
    rawEmail: string,
    admin: { readonly userId: string | null; readonly sender: string },
  ): Promise<AdmittedAddress & { readonly mailed: boolean }> {
    const { db, clock, mailInvitation } = this.#parts;
    const email = normalizeEmail(rawEmail);
    const created_at = clock.now();
    const expires_at = new Date(created_at.getTime() + INVITATION_LIFETIME_MS);
    const address = { id: newId(), email, admitted_by: admin.userId, created_at, expires_at };
    const stored = await transact(db, async (trx) => {
      if (await findUserByEmail(trx, email)) throw new AppError('account_exists');
      const isNew = !(await isAdmitted(trx, email, created_at));
      if (isNew && (await countAdmitted(trx, created_at)) >= MAX_INVITATIONS) throw tooManyInvitations();
      return { isNew, row: await admitAddress(trx, address) };
    });
    try {
      await mailInvitation(admin.sender, email);
      return { ...stored.row, mailed: true };
    } catch (error) {
      if (error instanceof AppError && error.code === 'mail_not_configured') return { ...stored.row, mailed: false };
      // The person never got the mail, so a retry starts afresh.
      if (stored.isNew) await deleteAdmitted(db, stored.row.id);
      throw error;
    }
  }

  async listInvitations(): Promise<AdmittedAddress[]> {
    return listAdmitted(this.#parts.db, this.#parts.clock.now());
  }

  /** Returns the address. */
  async revokeInvitation(id: string): Promise<string> {
    const email = await deleteAdmitted(this.#parts.db, id);
    if (email === undefined) throw new AppError('not_found', { sentence: 'There is no such invitation.' });
    return email;
  }

  async #rules(db: Db): Promise<SignUpRules> {
    const { rules } = this.#parts;
    const signUp = rules.signUp ?? ((await findFact(db, 'sign_up'))?.value === 'invite' ? 'invite' : 'open');
    return { ...rules, signUp };
  }

  /** `spentKey` is stored once the invitation has admitted an account. */
  async #findInvite(
    db: Db,
    rules: SignUpRules,
    token: string | undefined,
  ): Promise<{ spentKey: string; expiresAt: Date } | undefined> {
    if (token === undefined || !areInvitesAdmitted(rules)) return undefined;
    const spentKey = `sign-up with invite: ${hashToken(token)}`;
    const invite = await this.#parts.findOpenInvite(db, token);
    if (!invite || (await hasKey(db, spentKey, this.#parts.clock.now()))) return undefined;
    return { spentKey, expiresAt: invite.expires_at };
  }
}

const tooManyInvitations = () =>
  new AppError('too_many_invites', { sentence: 'There are too many open invitations. Revoke one first.' });
