/**
 * Sign-in of apps with a token of the identity provider. A token signs in once.
 *
 * A client may first ask for a nonce. The identity token must then carry it, and comes with the token of that
 * sign-in request: a token that was made for one sign-in cannot be used in another. The token of the request is a sealed
 * ticket with its expiry, so that asking stores nothing: anyone can ask, as often as they like.
 */
import type { Db } from '../../db/schema.ts';
import { transact } from '../../db/transact.ts';
import { PROVIDER_REQUEST_CONTEXT } from '../../keys/sealed-contexts.ts';
import type { Vault } from '../../keys/vault.ts';
import type { Clock } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import { hashToken } from '../../lib/secrets.ts';
import { addKey } from '../../limits/expiring-keys.store.ts';
import type { ProofGate } from '../proof-gate.ts';
import type { Requester } from '../requester.ts';
import type { SignInResult } from '../sign-in.service.ts';
import { type IdentityProvider, type VerifiedIdentity, wrongToUndefined } from './identity-provider.ts';
import { auditFieldsOf, type Entered, type ProviderAccounts } from './provider-accounts.ts';
import { NONCE_PREFIX } from './relying-party.ts';

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
  readonly vault: Vault;
  /** Undefined if no audience is configured. */
  readonly provider: IdentityProvider | undefined;
  readonly gate: ProofGate;
  readonly accounts: ProviderAccounts;
}

export const NONCE_LIFETIME_SECONDS = 600;
const REQUEST_PREFIX = 'pr_';

export class IdpSignInService {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Starts a sign-in: the nonce goes to the provider, and the token stays with the client. */
  async request(): Promise<{ token: string; nonce: string }> {
    const { clock, vault, provider } = this.#parts;
    if (!provider) throw new AppError('identity_provider_not_configured');
    const expiresAt = clock.now().getTime() + NONCE_LIFETIME_SECONDS * 1_000;
    const token = REQUEST_PREFIX + vault.seal(PROVIDER_REQUEST_CONTEXT, String(expiresAt));
    return { token, nonce: nonceOf(token) };
  }

  async signIn(proof: ProviderProof, requester: Requester): Promise<SignInResult> {
    const { gate, provider, accounts } = this.#parts;
    const { address } = requester;
    if (!provider) throw new AppError('identity_provider_not_configured');
    const verify = () => this.#verifyProof(provider, proof, requester);
    const entered = await gate.check('sign_in', { address }, verify, auditFieldsOf);
    if (!entered) throw new AppError('wrong_identity_token');
    await accounts.finish(entered, requester);
    return entered.result;
  }

  /** Calls the provider before the transaction begins: a transaction never waits for the network. */
  async #verifyProof(
    provider: IdentityProvider,
    proof: ProviderProof,
    requester: Requester,
  ): Promise<Entered | undefined> {
    const { db, accounts } = this.#parts;
    const { fullName, invite } = proof;
    const identity = await provider.verify(proof.identityToken).catch(wrongToUndefined);
    const request = this.#openRequest(requester);
    if (!identity || request === 'expired' || !answersRequest(identity, request?.nonce)) return undefined;
    await accounts.requireGroup(identity);
    const code = provider.canRevoke ? proof.authorizationCode : null;
    const refreshToken = code ? await provider.exchangeCode(code, identity.clientId) : undefined;
    return transact(db, async (trx) => {
      const { tokenHash, rememberUntil } = identity;
      if (request && !(await addKey(trx, hashToken(`nonce: ${request.nonce}`), request.expiresAt))) return undefined;
      if (rememberUntil && !(await addKey(trx, `identity token: ${tokenHash}`, rememberUntil))) return undefined;
      return accounts.enter(trx, identity, { fullName, invite, refreshToken }, requester);
    });
  }

  /** Undefined if the client sends no token of a request. A token that is not ours counts as expired. */
  #openRequest({ token }: Requester): { readonly nonce: string; readonly expiresAt: Date } | 'expired' | undefined {
    if (!token?.startsWith(REQUEST_PREFIX)) return undefined;
    const { clock, vault } = this.#parts;
    try {
      const sealed = token.slice(REQUEST_PREFIX.length);
      const expiresAt = new Date(Number(vault.open(PROVIDER_REQUEST_CONTEXT, sealed)));
      return expiresAt > clock.now() ? { nonce: nonceOf(token), expiresAt } : 'expired';
    } catch {
      return 'expired';
    }
  }
}

const nonceOf = (token: string) => NONCE_PREFIX + hashToken(`nonce of ${token}`);

/** A token with a nonce of ours is refused without its sign-in request: somebody intercepted it on its way. */
function answersRequest({ nonce }: VerifiedIdentity, expected: string | undefined): boolean {
  return expected === undefined ? !String(nonce).startsWith(NONCE_PREFIX) : nonce === expected;
}
