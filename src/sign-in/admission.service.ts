/**
 * Lets people enter accounts by the rules of `admission.ts`. A session is opened only for an account that `requireEntry`
 * returned (`Admitted`), so no way in can forget to ask.
 */
import { lockUser, type User } from '../accounts/users.store.ts';
import type { Db } from '../db/schema.ts';
import { transact } from '../db/transact.ts';
import { AppError } from '../lib/errors.ts';
import { type Entrant, type EntryRefusal, type EntryRules, findRefusal, type WayIn } from './admission.ts';
import type { Discovery } from './provider/discovery.ts';
import { listIdentities } from './provider/identities.store.ts';

interface Parts {
  readonly db: Db;
  readonly isEmailOn: boolean;
  /** Undefined if there is no identity provider, or its groups do not decide who gets in. */
  readonly groupsOf: Discovery | undefined;
}

export type Proof = { readonly way: 'email' | 'passkey' } | { readonly way: 'provider'; readonly isInGroup: boolean };

declare const admitted: unique symbol;
/** An account that may be entered. It stays locked until the transaction ends. */
export type Admitted = User & { readonly [admitted]: true };

/** Rolls back the transaction, so that the proof is not spent, before the provider is asked for its issuer. */
class IssuerUnknown extends Error {}

export class AdmissionService {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** For a way that is closed to everyone, before anything else is done. */
  requireWay(way: WayIn): void {
    const isClosed = findRefusal(this.#rules, { way, isSuspended: false, issuers: [], isInGroup: true });
    if (isClosed) throw new AppError(isClosed);
  }

  /**
   * Called in the transaction of `enter`, after the proof was accepted. The lock waits for a concurrent change of the
   * second factor or a suspension, so that both take effect here.
   */
  async requireEntry(trx: Db, userId: string, proof: Proof): Promise<Admitted> {
    const user = await lockUser(trx, userId);
    if (!user) throw new AppError('sign_in_expired');
    const refusal = await this.#findRefusal(trx, user, proof);
    if (refusal === 'identity_provider_unavailable') throw new IssuerUnknown();
    if (refusal) throw new AppError(refusal);
    return user as Admitted;
  }

  /** The transaction of a sign-in. It runs again if it depends on an issuer that is not known yet. */
  async enter<T>(work: (trx: Db) => Promise<T>): Promise<T> {
    try {
      return await transact(this.#parts.db, work);
    } catch (error) {
      if (!(error instanceof IssuerUnknown)) throw error;
      await this.#learnIssuer();
      return transact(this.#parts.db, work);
    }
  }

  /** Throws if the account is opened by the provider alone, so that a passkey would be of no use. */
  async requireOwnWays(userId: string): Promise<void> {
    const { db } = this.#parts;
    const entrant = { way: 'passkey', isSuspended: false, isInGroup: false } as const;
    const issuers = await this.#issuersOf(db, userId);
    if (findRefusal(this.#rules, { ...entrant, issuers }) === 'identity_provider_unavailable')
      await this.#learnIssuer();
    const refusal = findRefusal(this.#rules, { ...entrant, issuers });
    if (refusal) throw new AppError(refusal);
  }

  get #rules(): EntryRules {
    const { isEmailOn, groupsOf } = this.#parts;
    return { isEmailOn, doGroupsDecide: groupsOf !== undefined, issuer: groupsOf?.knownIssuer };
  }

  async #findRefusal(trx: Db, user: User, proof: Proof): Promise<EntryRefusal | undefined> {
    const entrant: Entrant = {
      way: proof.way,
      isSuspended: user.suspended_at !== null,
      isInGroup: proof.way === 'provider' && proof.isInGroup,
      issuers: await this.#issuersOf(trx, user.id),
    };
    return findRefusal(this.#rules, entrant);
  }

  /** Not read where they decide nothing. */
  async #issuersOf(db: Db, userId: string): Promise<string[]> {
    if (!this.#parts.groupsOf) return [];
    return (await listIdentities(db, userId)).map(({ issuer }) => issuer);
  }

  async #learnIssuer(): Promise<void> {
    await this.#parts.groupsOf?.getIssuer().catch((cause: unknown) => {
      const sentence =
        'The identity provider decides who gets in, and it cannot be reached. Try again shortly, or sign in there.';
      throw new AppError('identity_provider_unavailable', { sentence, cause, retryAfterSeconds: 10 });
    });
  }
}
