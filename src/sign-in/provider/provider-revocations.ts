/**
 * Revokes the refresh tokens of deleted accounts at the identity provider. The transaction that deletes an
 * account moves its tokens to a table of their own. The loop retries each token until the provider accepts
 * the revocation. Revoking twice is harmless, so several processes need no coordination.
 */
import type { Db } from '../../db/schema.ts';
import { type SchemaWatch, whileTablesAreKnown } from '../../db/schema-watch.ts';
import { refreshTokenContext } from '../../keys/sealed-contexts.ts';
import type { Vault } from '../../keys/vault.ts';
import { type BackOff, backOffMs } from '../../lib/back-off.ts';
import type { Clock } from '../../lib/clock.ts';
import { newId } from '../../lib/ids.ts';
import type { Logger } from '../../lib/logger.ts';
import { Loop } from '../../lib/loop.ts';
import { type Identity, listIdentities } from './identities.store.ts';
import type { IdentityProvider } from './identity-provider.ts';
import {
  deleteRevocation,
  insertRevocations,
  listDueRevocations,
  postponeRevocation,
  type Revocation,
} from './provider-revocations.store.ts';

const BATCH_SIZE = 20;
const BACK_OFF: BackOff = { firstMs: 60_000, longestMs: 86_400_000 };
const CHECK_EVERY_MS = 300_000;

export class ProviderRevocations {
  readonly #db: Db;
  readonly #clock: Clock;
  readonly #vault: Vault;
  readonly #provider: IdentityProvider | undefined;
  readonly #logger: Logger;
  readonly #loop: Loop;

  constructor(
    db: Db,
    schema: SchemaWatch,
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
    this.#loop = new Loop({
      name: 'provider revocations',
      clock,
      logger,
      checkEveryMs: CHECK_EVERY_MS,
      work: whileTablesAreKnown(schema, (signal) => this.#revokeDue(signal)),
    });
  }

  /** Called in the transaction that deletes the account. */
  async addForAccount(trx: Db, userId: string): Promise<void> {
    const identities = (await listIdentities(trx, userId)).filter(hasRefreshToken);
    // A token sealed with a lost key cannot be revoked, and must not keep the account from being deleted.
    const readable = identities.filter(({ refresh_token }) => this.#vault.keyStatusOf(refresh_token) !== 'missing');
    const revocations = readable.map((identity) => this.#toRevocation(identity));
    await insertRevocations(trx, revocations);
  }

  wake(): void {
    this.#loop.wake();
  }

  start(): void {
    if (this.#provider?.canRevoke) this.#loop.start();
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
  }

  async #revokeDue(signal: AbortSignal): Promise<Date> {
    for (const revocation of await listDueRevocations(this.#db, this.#clock.now(), BATCH_SIZE)) {
      if (this.#provider && !signal.aborted) await this.#attempt(this.#provider, revocation);
    }
    return new Date(this.#clock.now().getTime() + CHECK_EVERY_MS);
  }

  async #attempt(provider: IdentityProvider, { id, client_id, refresh_token, attempts }: Revocation): Promise<void> {
    try {
      await provider.revoke(this.#vault.open(refreshTokenContext(id), refresh_token), client_id);
      await deleteRevocation(this.#db, id);
    } catch (error) {
      this.#logger.warn(
        { err: error, revocation: id, attempts: attempts + 1 },
        'the identity provider did not accept a revocation; it will be retried',
      );
      const nextAt = new Date(this.#clock.now().getTime() + backOffMs(BACK_OFF, attempts + 1));
      await postponeRevocation(this.#db, id, attempts + 1, nextAt);
    }
  }

  #toRevocation(identity: IdentityWithToken): Revocation {
    const id = newId();
    const token = this.#vault.open(refreshTokenContext(identity.id), identity.refresh_token);
    return {
      id,
      client_id: identity.client_id,
      refresh_token: this.#vault.seal(refreshTokenContext(id), token),
      attempts: 0,
      next_attempt_at: this.#clock.now(),
    };
  }
}

type IdentityWithToken = Identity & { refresh_token: string };

const hasRefreshToken = (identity: Identity): identity is IdentityWithToken => identity.refresh_token !== null;
