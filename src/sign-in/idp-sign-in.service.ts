/**
 * Sign-in with an identity provider. The account is found by (issuer, subject). An email address links to
 * an existing account only if the provider has verified it. A token signs in once.
 */
import { findUser, findUserByEmail, insertUser, type User, updateUser } from '../accounts/users.store.ts';
import type { Db } from '../db/schema.ts';
import { RunAgain, transact } from '../db/transact.ts';
import { refreshTokenContext } from '../keys/sealed-contexts.ts';
import type { Vault } from '../keys/vault.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { newId } from '../lib/ids.ts';
import { findIdentity, insertIdentity, setRefreshToken, spendIdentityToken } from './identities.store.ts';
import type { IdentityProvider, VerifiedIdentity } from './identity-provider.ts';
import type { ProofGate } from './proof-gate.ts';
import type { SignInMode, SignInResult, SignInService } from './sign-in.service.ts';
import type { SignUpService } from './sign-up.service.ts';

export interface ProviderProof {
  readonly identityToken: string;
  readonly fullName: string | null;
  readonly authorizationCode: string | null;
  /** The token of an invitation, for a person who has no account yet. */
  readonly invite: string | undefined;
}

interface Parts {
  readonly db: Db;
  readonly clock: Clock;
  /** Undefined if no audience is configured. */
  readonly provider: IdentityProvider | undefined;
  readonly vault: Vault;
  readonly signIn: SignInService;
  readonly gate: ProofGate;
  readonly signUp: SignUpService;
}

export class IdpSignInService {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async signIn(proof: ProviderProof, address: string): Promise<SignInResult> {
    const { gate, provider } = this.#parts;
    if (!provider) throw new AppError('identity_provider_not_configured');
    const auditFields = ({ user_id, mode, status }: SignInResult) => ({
      user_id,
      mode,
      status,
      method: 'identity_provider',
    });
    const result = await gate.check('sign_in', { address }, () => this.#verifyProof(provider, proof), auditFields);
    if (!result) throw new AppError('wrong_identity_token');
    return result;
  }

  /** Calls the provider before the transaction begins: a transaction never waits for the network. */
  async #verifyProof(provider: IdentityProvider, proof: ProviderProof): Promise<SignInResult | undefined> {
    const { db, signIn } = this.#parts;
    const identity = await this.#findVerifiedIdentity(provider, proof.identityToken);
    if (!identity) return undefined;
    const code = provider.canRevoke ? proof.authorizationCode : null;
    const refreshToken = code ? await provider.exchangeCode(code, identity.clientId) : undefined;
    return transact(db, async (trx) => {
      const { tokenHash, rememberUntil } = identity;
      if (rememberUntil && !(await spendIdentityToken(trx, tokenHash, rememberUntil))) return undefined;
      const { user, mode } = await this.#findOrCreate(trx, identity, proof);
      if (refreshToken) await this.#storeRefreshToken(trx, identity, refreshToken);
      return signIn.complete(trx, user, mode);
    });
  }

  async #findVerifiedIdentity(
    provider: IdentityProvider,
    identityToken: string,
  ): Promise<VerifiedIdentity | undefined> {
    try {
      return await provider.verify(identityToken);
    } catch (error) {
      if (error instanceof AppError && error.code === 'wrong_identity_token') return undefined;
      throw error;
    }
  }

  async #findOrCreate(
    trx: Db,
    identity: VerifiedIdentity,
    { fullName, invite }: ProviderProof,
  ): Promise<{ user: User; mode: SignInMode }> {
    const stored = await findIdentity(trx, identity.issuer, identity.subject);
    const owner = stored && (await findUser(trx, stored.user_id));
    if (owner) return { user: await this.#setMissingName(trx, owner, fullName), mode: 'login' };

    const now = this.#parts.clock.now();
    const email = identity.verifiedEmail ?? null;
    const known = email === null ? undefined : await findUserByEmail(trx, email);
    if (!known && !(await this.#parts.signUp.admit(trx, identity.verifiedEmail, invite)))
      throw new AppError('sign_up_closed');
    const created = known ? undefined : await insertUser(trx, { email, displayName: fullName }, now);
    const user = known ?? created;
    if (!user) throw new RunAgain('The account was created by another request.');
    const isLinked = await insertIdentity(trx, {
      id: newId(),
      user_id: user.id,
      issuer: identity.issuer,
      subject: identity.subject,
      client_id: identity.clientId,
      refresh_token: null,
      created_at: now,
    });
    // A concurrent request of the same sign-in has linked the identity: the next attempt finds it.
    if (!isLinked) throw new RunAgain('The identity was linked by another request.');
    if (created) return { user: created, mode: 'register' };
    return { user: await this.#setMissingName(trx, user, fullName), mode: 'link' };
  }

  /** The provider sends the name only with the first sign-in. A name that the user has chosen is never overwritten. */
  async #setMissingName(trx: Db, user: User, fullName: string | null): Promise<User> {
    if (user.display_name !== null || fullName === null) return user;
    return (await updateUser(trx, user.id, { display_name: fullName }, this.#parts.clock.now())) ?? user;
  }

  async #storeRefreshToken(trx: Db, identity: VerifiedIdentity, refreshToken: string): Promise<void> {
    const stored = await findIdentity(trx, identity.issuer, identity.subject);
    if (!stored) return;
    const sealed = this.#parts.vault.seal(refreshTokenContext(stored.id), refreshToken);
    await setRefreshToken(trx, stored.id, identity.clientId, sealed);
  }
}
