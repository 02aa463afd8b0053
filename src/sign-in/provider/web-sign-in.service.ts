/**
 * Sign-in of the web app at an identity provider, and sign-out there.
 *
 *   begin  ──▶ { url, ticket }     the browser keeps the ticket and goes to the provider
 *   answer ──▶ the browser         comes back with a code, in the address or in a form
 *   finish ◀── { ticket, answer }  the code is exchanged once, and only with the ticket of the same sign-in
 *
 * The service stores nothing meanwhile: the ticket is sealed and contains the values that the answer is checked against.
 * The ticket is in no cookie: the browser would send no strict one with a form that comes from another site.
 */
import type { Db } from '../../db/schema.ts';
import { transact } from '../../db/transact.ts';
import { PROVIDER_HINT_CONTEXT, PROVIDER_TICKET_CONTEXT } from '../../keys/sealed-contexts.ts';
import type { Vault } from '../../keys/vault.ts';
import type { SessionCaller } from '../../lib/caller.ts';
import type { Clock } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import { parseForm } from '../../lib/form.ts';
import type { Logger } from '../../lib/logger.ts';
import { networkOf } from '../../lib/network.ts';
import { hashToken } from '../../lib/secrets.ts';
import { KeyedSemaphore, QueueFull, Semaphore } from '../../lib/semaphore.ts';
import { addKey } from '../../limits/expiring-keys.store.ts';
import type { ProofGate } from '../proof-gate.ts';
import type { Requester } from '../requester.ts';
import type { SignInResult } from '../sign-in.service.ts';
import { findIdentity } from './identities.store.ts';
import { type IdentityProvider, wrongToUndefined } from './identity-provider.ts';
import { CLOCK_TOLERANCE_SECONDS } from './identity-token.ts';
import { auditFieldsOf, type Entered, type ProviderAccounts } from './provider-accounts.ts';
import { deleteProviderSessions, findSessionIdentity } from './provider-sessions.store.ts';
import type { RelyingParty, SignInChecks, WebIdentity } from './relying-party.ts';

/** Undefined if no audience is configured. */
export type WebProvider = { readonly provider: IdentityProvider; readonly relyingParty: RelyingParty } | undefined;

interface Parts {
  readonly db: Db;
  readonly clock: Clock;
  readonly vault: Vault;
  readonly logger: Logger;
  readonly web: WebProvider;
  readonly gate: ProofGate;
  readonly accounts: ProviderAccounts;
}

interface Ticket extends SignInChecks {
  readonly expiresAt: number;
}

export interface WebAnswer {
  readonly ticket: string;
  /** The parameters that the provider sent the browser back with, as in the query of an address. */
  readonly answer: string;
  readonly invite: string | undefined;
}

interface SignOutHint {
  readonly issuer: string;
  readonly subject: string;
  readonly idToken: string;
}

interface Finished {
  readonly result: SignInResult;
  /** Sealed. The browser keeps it for `signOutUrl`. */
  readonly signOutHint: string;
}

const TICKET_LIFETIME_MS = 10 * 60_000;
/** The page of the web app that the provider sends the browser back to. */
const RETURN_PATH = '/app/sign-in';
/** Per network. Strangers can send made-up codes, and we ask the provider about each in our name. */
const EXCHANGES = { capacity: 4, maxWaiting: 50 };
/** Over all networks, in the order of arrival. At most four of a network wait there, so no network keeps others out. */
const ALL_EXCHANGES = { capacity: 32 };
const RETRY_AFTER_SECONDS = 2;

export class WebSignInService {
  readonly #parts: Parts;
  readonly #exchanges = new KeyedSemaphore(EXCHANGES);
  readonly #allExchanges = new Semaphore(ALL_EXCHANGES);

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async begin(baseUrl: string): Promise<{ url: string; ticket: string }> {
    const { clock, vault } = this.#parts;
    const { url, checks } = await this.#relyingParty.begin(baseUrl + RETURN_PATH);
    const ticket: Ticket = { ...checks, expiresAt: clock.now().getTime() + TICKET_LIFETIME_MS };
    return { url, ticket: vault.seal(PROVIDER_TICKET_CONTEXT, JSON.stringify(ticket)) };
  }

  async finish(answer: WebAnswer, requester: Requester): Promise<Finished> {
    const { gate, accounts, vault } = this.#parts;
    const { address } = requester;
    const relyingParty = this.#relyingParty;
    const verify = () => this.#verify(relyingParty, answer, requester);
    const entered = await gate.check('sign_in', { address, asksProvider: true }, verify, auditFieldsOf);
    if (!entered) throw new AppError('wrong_identity_token');
    await accounts.finish(entered, requester);
    return { result: entered.result, signOutHint: vault.seal(PROVIDER_HINT_CONTEXT, JSON.stringify(entered.hint)) };
  }

  async #verify(
    relyingParty: RelyingParty,
    { ticket: sealed, answer, invite }: WebAnswer,
    requester: Requester,
  ): Promise<(Entered & { readonly hint: SignOutHint }) | undefined> {
    const { db, accounts, web } = this.#parts;
    const ticket = this.#openTicket(sealed);
    const release = await this.#exchanges.acquire(networkOf(requester.address)).catch(toRefusal);
    const identity = await this.#exchangeInTurn(relyingParty, answer, ticket).finally(release);
    if (!identity) return undefined;
    await accounts.requireGroup(identity);
    // Only Apple's refresh tokens are needed again, to revoke them when the account is deleted.
    const refreshToken = web?.provider.canRevoke ? identity.refreshToken : undefined;
    return transact(db, async (trx) => {
      const spentKey = `provider ticket: ${hashToken(ticket.state)}`;
      if (!(await addKey(trx, spentKey, new Date(ticket.expiresAt)))) throw new AppError('sign_in_expired');
      const { issuer, subject, idToken, name: fullName } = identity;
      const entered = await accounts.enter(trx, identity, { fullName, invite, refreshToken }, requester);
      return { ...entered, hint: { issuer, subject, idToken } };
    });
  }

  async #exchangeInTurn(relyingParty: RelyingParty, answer: string, ticket: Ticket): Promise<WebIdentity | undefined> {
    const release = await this.#allExchanges.acquire();
    return this.#exchange(relyingParty, answer, ticket).finally(release);
  }

  /** Calls the provider, so it runs before the transaction. Undefined if the answer is not accepted. */
  async #exchange(relyingParty: RelyingParty, answer: string, ticket: Ticket): Promise<WebIdentity | undefined> {
    try {
      return await relyingParty.finish(parseForm(answer), ticket);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const reason = error.cause instanceof Error ? error.cause.message : error.code;
      this.#parts.logger.info({ reason }, 'a sign-in at the identity provider failed');
      if (error.code === 'wrong_identity_token') return undefined;
      throw error;
    }
  }

  #openTicket(sealed: string): Ticket {
    const { vault, clock } = this.#parts;
    let ticket: Ticket;
    try {
      ticket = JSON.parse(vault.open(PROVIDER_TICKET_CONTEXT, sealed)) as Ticket;
    } catch {
      // The ticket was changed, is from another installation, or was sealed with a key that was removed since.
      throw new AppError('sign_in_expired');
    }
    if (ticket.expiresAt <= clock.now().getTime()) throw new AppError('sign_in_expired');
    return ticket;
  }

  /** Null if the session did not begin at this provider, or the provider has no sign-out or cannot be reached. */
  async signOutUrl(
    { sessionId }: SessionCaller,
    baseUrl: string,
    signOutHint: string | undefined,
  ): Promise<string | null> {
    const { db, web } = this.#parts;
    const identity = await findSessionIdentity(db, sessionId);
    if (!web || !identity) return null;
    try {
      if (identity.issuer !== (await web.provider.discovery.getIssuer())) return null;
      const idToken = signOutHint && this.#openHint(signOutHint, identity);
      return await web.relyingParty.signOutUrl(baseUrl + RETURN_PATH, idToken);
    } catch (error) {
      // An unreachable provider must not keep a person signed in here.
      if (error instanceof AppError) return null;
      throw error;
    }
  }

  /** Undefined unless it is a token of this person: another one may have signed in with the same browser before. */
  #openHint(sealed: string, { issuer, subject }: Omit<SignOutHint, 'idToken'>): string | undefined {
    try {
      const hint = JSON.parse(this.#parts.vault.open(PROVIDER_HINT_CONTEXT, sealed)) as SignOutHint;
      return hint.issuer === issuer && hint.subject === subject ? hint.idToken : undefined;
    } catch {
      // The cookie was changed, or was sealed with a key that was removed since.
      return undefined;
    }
  }

  /** The provider says that a person, or one of their sessions, has signed out there. */
  async endSessions(logoutToken: string, address: string): Promise<void> {
    const { gate, web } = this.#parts;
    if (!web) throw new AppError('identity_provider_not_configured');
    const verify = () => this.#spendLogoutToken(web.provider, logoutToken);
    const ended = await gate.check('provider_sign_out', { address }, verify, ({ sessions }) => ({ sessions }));
    if (!ended) throw new AppError('wrong_logout_token');
  }

  async #spendLogoutToken(provider: IdentityProvider, token: string): Promise<{ sessions: number } | undefined> {
    const claims = await provider.verifyLogoutToken(token).catch(wrongToUndefined);
    if (!claims) return undefined;
    const { issuer, subject, sid, jti, expiresAt } = claims;
    return transact(this.#parts.db, async (trx) => {
      const until = new Date(expiresAt.getTime() + 2 * CLOCK_TOLERANCE_SECONDS * 1_000);
      if (!(await addKey(trx, `logout token: ${hashToken(`${issuer} ${jti}`)}`, until))) return undefined;
      const identity = subject === undefined ? undefined : await findIdentity(trx, issuer, subject);
      if (subject !== undefined && !identity) return { sessions: 0 };
      const name = sid === undefined ? undefined : { issuer, name: sid };
      return { sessions: await deleteProviderSessions(trx, { identityId: identity?.id, sid: name }) };
    });
  }

  get #relyingParty(): RelyingParty {
    const { web } = this.#parts;
    if (!web?.relyingParty.isUsable) throw new AppError('identity_provider_not_configured');
    return web.relyingParty;
  }
}

function toRefusal(error: unknown): never {
  if (!(error instanceof QueueFull)) throw error;
  throw new AppError('too_many_requests', { retryAfterSeconds: RETRY_AFTER_SECONDS });
}
