/**
 * Decides whether a request to the token endpoint comes from the client that it names. A public client shows nothing, a
 * registered one its secret, one with keys in its document a signed assertion (RFC 7523).
 */
import type { Clock } from '../lib/clock.ts';
import type { ClientDocuments, Reader } from './client-documents.ts';
import { type Client, UnacceptableClient } from './client-metadata.ts';
import type { RegisteredClients } from './registered-clients.ts';

/** The proof of its client that a request contains. */
export interface ClientClaim {
  readonly id: string;
  readonly secret: string | undefined;
  readonly assertion: string | undefined;
}

const CLOCK_TOLERANCE_SECONDS = 30;
/** Public-key algorithms only: with a shared one, the public key would be the secret. */
export const ALGORITHMS = ['RS256', 'PS256', 'ES256', 'ES384', 'EdDSA', 'Ed25519'];

export class ClientProof {
  readonly #documents: ClientDocuments;
  readonly #registered: RegisteredClients;
  readonly #clock: Clock;

  constructor(documents: ClientDocuments, registered: RegisteredClients, clock: Clock) {
    this.#documents = documents;
    this.#registered = registered;
    this.#clock = clock;
  }

  /** Throws `UnacceptableClient` if the client is unknown, or its document cannot be used. */
  async find(id: string, reader: Reader): Promise<Client> {
    if (!id.startsWith('dc_')) return this.#documents.get(id, reader);
    const client = this.#registered.find(id);
    if (!client) throw new UnacceptableClient('It is not registered here, or no longer. Remove it and add it again.');
    return client;
  }

  /**
   * Throws if it cannot be decided now. `audiences` are the addresses by which an assertion may name this service. The
   * caller has shown a secret of ours that was given to the client for `userId`.
   */
  async isProven(
    { id, secret, assertion }: ClientClaim,
    audiences: readonly string[],
    userId: string,
  ): Promise<boolean> {
    const client = await this.find(id, { userId, isConnected: true }).catch(toUndefined);
    if (!client) return false;
    if (assertion !== undefined)
      return client.auths.includes('private_key_jwt') && this.#isAssertionOf(client, assertion, audiences, userId);
    if (client.auths.includes('none')) return true;
    const hasSecret = client.auths.some((auth) => auth === 'client_secret_post' || auth === 'client_secret_basic');
    return hasSecret && secret !== undefined && this.#registered.isSecretOf(id, secret);
  }

  async #isAssertionOf(
    client: Client,
    assertion: string,
    audiences: readonly string[],
    userId: string,
  ): Promise<boolean> {
    const keys = await this.#documents.getKeys(client, userId).catch(toUndefined);
    if (!keys) return false;
    // Loaded late: few clients use keys.
    const { createLocalJWKSet, jwtVerify } = await import('jose');
    try {
      const keySet = createLocalJWKSet(keys as unknown as Parameters<typeof createLocalJWKSet>[0]);
      await jwtVerify(assertion, keySet, {
        algorithms: ALGORITHMS,
        issuer: client.id,
        subject: client.id,
        audience: [...audiences],
        requiredClaims: ['exp'],
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
        currentDate: this.#clock.now(),
      });
      return true;
    } catch {
      return false;
    }
  }
}

function toUndefined(error: unknown): undefined {
  if (error instanceof UnacceptableClient && error.kind !== 'unreachable') return undefined;
  throw error;
}
