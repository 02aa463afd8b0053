/**
 * Tells the identity provider that an account is gone. The refresh token is moved here in the
 * transaction that deletes the account, so it outlives it, and is tried until the provider has
 * taken it. Doing so twice is harmless, so several processes need no agreement.
 */
import type { Kysely } from 'kysely';
import type { Database } from '../db/schema.ts';
import type { Clock } from '../lib/clock.ts';
import { newId } from '../lib/ids.ts';
import type { Logger } from '../lib/logger.ts';
import type { Vault } from '../lib/secrets.ts';
import { type Identity, listIdentities } from './identities.store.ts';
import type { IdentityProvider } from './identity-provider.ts';
import {
  deleteRevocation,
  insertRevocations,
  listDueRevocations,
  postponeRevocation,
  type Revocation,
} from './provider-revocations.store.ts';
import { refreshTokenContext } from './sealed-contexts.ts';

const BATCH = 20;
const FIRST_PAUSE_MS = 60_000;
const LONGEST_PAUSE_MS = 86_400_000;
const LOOK_EVERY_MS = 300_000;

export class ProviderRevocations {
  readonly #db: Kysely<Database>;
  readonly #clock: Clock;
  readonly #vault: Vault;
  readonly #provider: IdentityProvider | undefined;
  readonly #logger: Logger;
  readonly #stopped = new AbortController();
  #running: Promise<void> = Promise.resolve();

  constructor(
    db: Kysely<Database>,
    clock: Clock,
    vault: Vault,
    provider: IdentityProvider | undefined,
    logger: Logger,
  ) {
    this.#db = db;
    this.#clock = clock;
    this.#vault = vault;
    this.#provider = provider;
    this.#logger = logger;
  }

  seal(identityId: string, refreshToken: string): string {
    return this.#vault.seal(refreshTokenContext(identityId), refreshToken);
  }

  async accountDeleting(trx: Kysely<Database>, userId: string): Promise<void> {
    const held = (await listIdentities(trx, userId)).filter(hasRefreshToken);
    // A token whose key was lost can be revoked by nobody, and must not keep an account from being deleted.
    const readable = held.filter(({ refresh_token }) => this.#vault.ageOf(refresh_token) !== 'unknown');
    await insertRevocations(
      trx,
      readable.map((identity) => this.#toRevocation(identity)),
    );
  }

  accountDeleted(): void {
    this.#wake();
  }

  /** Looks for work now and every few minutes. */
  start(): void {
    if (!this.#provider?.canRevoke) return;
    this.#wake();
    void this.#lookRegularly();
  }

  #wake(): void {
    this.#running = this.#running
      .then(() => this.#runDue())
      .catch((error) => this.#logger.error({ err: error }, 'revoking failed'));
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#running;
  }

  async #lookRegularly(): Promise<void> {
    const { signal } = this.#stopped;
    while (!signal.aborted) {
      const next = new Date(this.#clock.now().getTime() + LOOK_EVERY_MS);
      await this.#clock.sleepUntil(next, signal).catch(() => undefined);
      if (!signal.aborted) this.#wake();
    }
  }

  async #runDue(): Promise<void> {
    if (this.#stopped.signal.aborted || !this.#provider?.canRevoke) return;
    for (const revocation of await listDueRevocations(this.#db, this.#clock.now(), BATCH)) {
      await this.#attempt(this.#provider, revocation);
    }
  }

  async #attempt(provider: IdentityProvider, { id, client_id, refresh_token, attempts }: Revocation): Promise<void> {
    try {
      await provider.revoke(this.#vault.open(refreshTokenContext(id), refresh_token), client_id);
      await deleteRevocation(this.#db, id);
    } catch (error) {
      const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** attempts);
      this.#logger.warn(
        { err: error, revocation: id, attempts: attempts + 1 },
        'the identity provider took no revocation yet',
      );
      await postponeRevocation(this.#db, id, attempts + 1, new Date(this.#clock.now().getTime() + pauseMs));
    }
  }

  #toRevocation({ id, client_id, refresh_token }: HeldIdentity): Revocation {
    const own = newId();
    const token = this.#vault.open(refreshTokenContext(id), refresh_token);
    return {
      id: own,
      client_id,
      refresh_token: this.seal(own, token),
      attempts: 0,
      next_attempt_at: this.#clock.now(),
    };
  }
}

type HeldIdentity = Identity & { refresh_token: string };

const hasRefreshToken = (identity: Identity): identity is HeldIdentity => identity.refresh_token !== null;
