/**
 * From a verified identity to an account and a session, for apps and the web app alike. The account is found by
 * (issuer, subject). An email address links to an existing account only if the provider has verified it. Every sign-in
 * decides what the person's groups allow. A person who has lost the last allowed group is signed out everywhere. If
 * groups decide who gets in, the first sign-in here ends sessions that began elsewhere.
 */
import { findUser, findUserByEmail, insertUser, setEmail, type User, updateUser } from '../../accounts/users.store.ts';
import type { Db } from '../../db/schema.ts';
import { RunAgain, transact } from '../../db/transact.ts';
import { refreshTokenContext } from '../../keys/sealed-contexts.ts';
import type { Vault } from '../../keys/vault.ts';
import type { Clock } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';
import type { AccountNotices } from '../account-notices.ts';
import { findKept } from '../address/address-changes.store.ts';
import type { Requester } from '../requester.ts';
import { deleteSessions } from '../sessions.store.ts';
import type { SignInMode, SignInResult, SignInService } from '../sign-in.service.ts';
import type { SignUpService } from '../sign-up.service.ts';
import { findIdentity, type Identity, insertIdentity, setRefreshToken } from './identities.store.ts';
import type { VerifiedIdentity } from './identity-provider.ts';
import { type GroupRules, judgeGroups } from './provider-groups.ts';
import { deleteOwnSessions, deleteProviderSessions } from './provider-sessions.store.ts';

interface Parts {
  readonly db: Db;
  readonly clock: Clock;
  readonly vault: Vault;
  readonly signIn: SignInService;
  readonly signUp: SignUpService;
  readonly notices: AccountNotices;
  readonly groups: GroupRules;
}

/** The data that comes with the identity. */
export interface Newcomer {
  readonly fullName: string | null;
  /** The token of an invitation, for a person who has no account yet. */
  readonly invite: string | undefined;
  readonly refreshToken: string | undefined;
}

export interface Entered {
  readonly result: SignInResult;
  /** Not in the result before the second factor is verified. */
  readonly userId: string;
  readonly issuer: string;
}

interface Owned {
  readonly user: User;
  readonly identityId: string;
  readonly mode: SignInMode;
}

export const auditFieldsOf = ({ result: { user_id, mode, status } }: Entered) => ({
  user_id,
  mode,
  status,
  method: 'identity_provider',
});

export class ProviderAccounts {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Must be called before the transaction of the sign-in, because ended sessions stay ended if that fails. */
  async requireGroup(identity: VerifiedIdentity): Promise<void> {
    const { db, clock, groups } = this.#parts;
    if (judgeGroups(identity.groups, groups).isAdmitted) return;
    await transact(db, async (trx) => {
      const stored = await findIdentity(trx, identity.issuer, identity.subject);
      if (!stored) return;
      await updateUser(trx, stored.user_id, { admin_by_provider: false }, clock.now());
      await deleteProviderSessions(trx, { identityId: stored.id });
      await deleteSessions(trx, stored.user_id);
    });
    throw new AppError('group_required');
  }

  /** Called in the transaction that spends the proof. */
  async enter(trx: Db, identity: VerifiedIdentity, newcomer: Newcomer, requester: Requester): Promise<Entered> {
    const { user, identityId, mode } = await this.#findOrCreate(trx, identity, newcomer);
    if (this.#parts.groups.allowed) await deleteOwnSessions(trx, user.id);
    if (newcomer.refreshToken !== undefined) {
      const sealed = this.#parts.vault.seal(refreshTokenContext(identityId), newcomer.refreshToken);
      await setRefreshToken(trx, identityId, identity.clientId, sealed);
    }
    const changed = await this.#refresh(trx, user, identity, newcomer.fullName);
    const source = { identity_id: identityId, provider_sid: identity.sid ?? null };
    const { isAdmitted: isInGroup } = judgeGroups(identity.groups, this.#parts.groups);
    const proof = { way: 'provider', isInGroup } as const;
    const result = await this.#parts.signIn.complete(trx, changed, mode, requester, proof, source);
    return { result, userId: user.id, issuer: identity.issuer };
  }

  /** Called after the commit. */
  async finish({ result, userId, issuer }: Entered, requester: Requester): Promise<void> {
    const { signIn, notices } = this.#parts;
    const isNewNetwork = await signIn.finish(result, requester);
    // The link is stored already, also if the sign-in still waits for the second factor.
    if (result.mode === 'link') notices.send(userId, { kind: 'provider_linked', issuer });
    if (result.mode === 'login' && isNewNetwork) notices.send(userId, { kind: 'new_sign_in', issuer });
  }

  async #findOrCreate(trx: Db, identity: VerifiedIdentity, { fullName, invite }: Newcomer): Promise<Owned> {
    const { clock, signUp, groups } = this.#parts;
    const stored = await findIdentity(trx, identity.issuer, identity.subject);
    const owner = stored && (await findUser(trx, stored.user_id));
    if (owner) return { user: owner, identityId: stored.id, mode: 'login' };

    const { verifiedEmail } = identity;
    const known = verifiedEmail && (await findUserByEmail(trx, verifiedEmail));
    const isInAllowedGroup = groups.allowed !== undefined && judgeGroups(identity.groups, groups).isAdmitted;
    if (!known && !(await signUp.admit(trx, { way: 'provider', verifiedEmail, isInAllowedGroup }, invite)))
      throw new AppError('sign_up_closed');
    const email = await this.#findFreeAddress(trx, identity);
    const user = known || (await insertUser(trx, { email, displayName: fullName }, clock.now()));
    if (!user) throw new RunAgain('The account was created by another request.');
    const identityId = await this.#link(trx, user, identity);
    return { user, identityId, mode: known ? 'link' : 'register' };
  }

  async #link(trx: Db, user: User, { issuer, subject, clientId }: VerifiedIdentity): Promise<string> {
    const row: Identity = {
      id: newId(),
      user_id: user.id,
      issuer,
      subject,
      client_id: clientId,
      refresh_token: null,
      created_at: this.#parts.clock.now(),
    };
    // A concurrent request of the same sign-in has linked the identity: the next attempt finds it.
    if (!(await insertIdentity(trx, row))) throw new RunAgain('The identity was linked by another request.');
    return row.id;
  }

  /** The verified address, unless an account has it or can have it back. */
  async #findFreeAddress(trx: Db, { verifiedEmail }: VerifiedIdentity): Promise<string | null> {
    // The holder comes first: an account that gives the address up in between still held it then.
    if (verifiedEmail === undefined || (await findUserByEmail(trx, verifiedEmail))) return null;
    return (await findKept(trx, verifiedEmail, this.#parts.clock.now())) ? null : verifiedEmail;
  }

  /**
   * Some providers send the name only with the first sign-in, and others a verified address only later. A name or an
   * address that the account has is never overwritten.
   */
  async #refresh(trx: Db, user: User, identity: VerifiedIdentity, fullName: string | null): Promise<User> {
    const now = this.#parts.clock.now();
    const email = user.email === null ? await this.#findFreeAddress(trx, identity) : null;
    const current = (email !== null && (await setEmail(trx, user.id, email, now))) || user;
    const display_name = user.display_name ?? fullName;
    const admin_by_provider = judgeGroups(identity.groups, this.#parts.groups).isAdmin;
    if (display_name === user.display_name && admin_by_provider === user.admin_by_provider) return current;
    return (await updateUser(trx, user.id, { display_name, admin_by_provider }, now)) ?? current;
  }
}
