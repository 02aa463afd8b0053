/**
 * Sign-in with an identity provider. The account is found by (issuer, subject). An email address links to
 * an existing account only if the provider has verified it. A token signs in once.
 *
 * A client may first ask for a nonce. The identity token must then carry it, and comes with the token of that
 * sign-in request: a token that was made for one sign-in cannot be used in another.
 */
import { findUser, findUserByEmail, insertUser, type User, updateUser } from '../accounts/users.store.ts';
import type { Db } from '../db/schema.ts';
import { RunAgain, transact } from '../db/transact.ts';
import { refreshTokenContext } from '../keys/sealed-contexts.ts';
import type { Vault } from '../keys/vault.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { newId } from '../lib/ids.ts';
import { hashToken, newToken } from '../lib/secrets.ts';
import type { AccountNotices } from './account-notices.ts';
import { addKey, takeKey } from './expiring-keys.store.ts';
import { findIdentity, insertIdentity, setRefreshToken } from './identities.store.ts';
import type { IdentityProvider, VerifiedIdentity } from './identity-provider.ts';
import type { ProofGate } from './proof-gate.ts';
import type { Requester } from './requester.ts';
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
  readonly notices: AccountNotices;
}

interface Verified {
  readonly result: SignInResult;
  /** The result does not contain it before the second factor is verified. */
  readonly userId: string;
}

export const NONCE_LIFETIME_SECONDS = 600;
const REQUEST_PREFIX = 'pr_';
const NONCE_PREFIX = 'nc_';

export class IdpSignInService {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Starts a sign-in: the nonce goes to the provider, and the token stays with the client. */
  async request(): Promise<{ token: string; nonce: string }> {
    const { db, clock, provider } = this.#parts;
    if (!provider) throw new AppError('identity_provider_not_configured');
    const token = newToken(REQUEST_PREFIX);
    const nonce = nonceOf(token);
    await addKey(db, nonceKey(nonce), new Date(clock.now().getTime() + NONCE_LIFETIME_SECONDS * 1_000));
    return { token, nonce };
  }

  async signIn(proof: ProviderProof, requester: Requester): Promise<SignInResult> {
    const { gate, provider, signIn, notices } = this.#parts;
    const { address } = requester;
    if (!provider) throw new AppError('identity_provider_not_configured');
    const auditFields = ({ result: { user_id, mode, status } }: Verified) => ({
      user_id,
      mode,
      status,
      method: 'identity_provider',
    });
    const verify = () => this.#verifyProof(provider, proof, requester);
    const verified = await gate.check('sign_in', { address }, verify, auditFields);
    if (!verified) throw new AppError('wrong_identity_token');
    const { result, userId } = verified;
    const isNewNetwork = await signIn.finish(result, address);
    const { issuer } = provider;
    // The link is stored already, also if the sign-in still waits for the second factor.
    if (result.mode === 'link') notices.send(userId, { kind: 'provider_linked', issuer });
    if (result.mode === 'login' && isNewNetwork) notices.send(userId, { kind: 'new_sign_in', issuer });
    return result;
  }

  /** Calls the provider before the transaction begins: a transaction never waits for the network. */
  async #verifyProof(
    provider: IdentityProvider,
    proof: ProviderProof,
    requester: Requester,
  ): Promise<Verified | undefined> {
    const { db, clock, signIn } = this.#parts;
    const identity = await this.#findVerifiedIdentity(provider, proof.identityToken);
    const nonce = expectedNonce(requester);
    if (!identity || !answersRequest(identity, nonce)) return undefined;
    const code = provider.canRevoke ? proof.authorizationCode : null;
    const refreshToken = code ? await provider.exchangeCode(code, identity.clientId) : undefined;
    return transact(db, async (trx) => {
      const { tokenHash, rememberUntil } = identity;
      if (nonce !== undefined && !(await takeKey(trx, nonceKey(nonce), clock.now()))) return undefined;
      if (rememberUntil && !(await addKey(trx, `identity token: ${tokenHash}`, rememberUntil))) return undefined;
      const { user, mode } = await this.#findOrCreate(trx, identity, proof);
      if (refreshToken) await this.#storeRefreshToken(trx, identity, refreshToken);
      return { result: await signIn.complete(trx, user, mode), userId: user.id };
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

const nonceOf = (token: string) => NONCE_PREFIX + hashToken(`nonce of ${token}`);

const nonceKey = (nonce: string) => hashToken(`nonce: ${nonce}`);

const expectedNonce = ({ token }: Requester) => (token?.startsWith(REQUEST_PREFIX) ? nonceOf(token) : undefined);

/** A token with a nonce of ours is refused without its sign-in request: it was intercepted on its way to its client. */
function answersRequest({ nonce }: VerifiedIdentity, expected: string | undefined): boolean {
  return expected === undefined ? !String(nonce).startsWith(NONCE_PREFIX) : nonce === expected;
}
