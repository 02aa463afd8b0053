/**
 * Signing in with an identity provider. The account is found by (issuer, subject), never by email
 * alone: an email links to an existing account only when the provider vouches for it.
 */
import type { Kysely } from 'kysely';
import type { Database } from '../db/schema.ts';
import { transact } from '../db/transact.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { newId } from '../lib/ids.ts';
import { normalEmail } from './email-address.ts';
import { findIdentity, insertIdentity, setRefreshToken } from './identities.store.ts';
import type { IdentityProvider, ProvenIdentity } from './identity-provider.ts';
import type { ProofGate } from './proof-gate.ts';
import type { ProviderRevocations } from './provider-revocations.ts';
import type { SignInMode, SignInResult, SignInService } from './sign-in.service.ts';
import { findUser, findUserByEmail, insertUser, type User, updateUser } from './users.store.ts';

export interface IdpProof {
  readonly identityToken: string;
  readonly fullName: string | null;
  readonly authorizationCode: string | null;
}

interface Parts {
  readonly db: Kysely<Database>;
  readonly clock: Clock;
  /** Undefined where no audience is configured. */
  readonly provider: IdentityProvider | undefined;
  readonly revocations: ProviderRevocations;
  readonly signIn: SignInService;
  readonly gate: ProofGate;
}

export class IdpSignInService {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async signIn(proof: IdpProof, address: string): Promise<SignInResult> {
    const { gate, provider } = this.#parts;
    if (!provider) throw new AppError('identity_provider_not_configured');
    const describe = ({ user_id, mode, status }: SignInResult) => ({
      user_id,
      mode,
      status,
      method: 'identity_provider',
    });
    const result = await gate.judge('sign_in', { address }, () => this.#judge(provider, proof), describe);
    if (!result) throw new AppError('wrong_identity_token');
    return result;
  }

  /** The provider is asked before the transaction begins: none ever waits for a network. */
  async #judge(provider: IdentityProvider, proof: IdpProof): Promise<SignInResult | undefined> {
    const { db, signIn } = this.#parts;
    const identity = await this.#verify(provider, proof.identityToken);
    if (!identity) return undefined;
    const code = provider.canRevoke ? proof.authorizationCode : null;
    const refreshToken = code ? await provider.exchangeCode(code, identity.clientId) : undefined;
    return transact(db, async (trx) => {
      const { user, mode } = await this.#findOrCreate(trx, identity, proof.fullName);
      if (refreshToken) await this.#keepRefreshToken(trx, identity, refreshToken);
      return signIn.complete(trx, user, mode);
    });
  }

  async #verify(provider: IdentityProvider, identityToken: string): Promise<ProvenIdentity | undefined> {
    try {
      return await provider.verify(identityToken);
    } catch (error) {
      if (error instanceof AppError && error.code === 'wrong_identity_token') return undefined;
      throw error;
    }
  }

  async #findOrCreate(
    trx: Kysely<Database>,
    identity: ProvenIdentity,
    fullName: string | null,
  ): Promise<{ user: User; mode: SignInMode }> {
    const known = await findIdentity(trx, identity.issuer, identity.subject);
    const owner = known && (await findUser(trx, known.user_id));
    if (owner) return { user: await this.#nameOnce(trx, owner, fullName), mode: 'login' };

    const now = this.#parts.clock.now();
    const email = identity.verifiedEmail === undefined ? null : normalEmail(identity.verifiedEmail);
    const created = await insertUser(trx, { email, displayName: fullName }, now);
    const user = created ?? (email === null ? undefined : await findUserByEmail(trx, email));
    if (!user) throw new AppError('sign_in_expired');
    const link = { id: newId(), user_id: user.id, issuer: identity.issuer, subject: identity.subject };
    const linked = await insertIdentity(trx, {
      ...link,
      client_id: identity.clientId,
      refresh_token: null,
      created_at: now,
    });
    // The same person pressed the button twice at once: the other request has made the account.
    if (!linked) throw Object.assign(new Error('The identity was linked meanwhile.'), { code: '40001' });
    if (created) return { user: created, mode: 'register' };
    return { user: await this.#nameOnce(trx, user, fullName), mode: 'link' };
  }

  /** The provider gives the name at the first sign-in only; what the user has chosen since is never overwritten. */
  async #nameOnce(trx: Kysely<Database>, user: User, fullName: string | null): Promise<User> {
    if (user.display_name !== null || fullName === null) return user;
    return (await updateUser(trx, user.id, { display_name: fullName }, this.#parts.clock.now())) ?? user;
  }

  async #keepRefreshToken(trx: Kysely<Database>, identity: ProvenIdentity, refreshToken: string): Promise<void> {
    const stored = await findIdentity(trx, identity.issuer, identity.subject);
    if (!stored) return;
    await setRefreshToken(trx, stored.id, identity.clientId, this.#parts.revocations.seal(stored.id, refreshToken));
  }
}
