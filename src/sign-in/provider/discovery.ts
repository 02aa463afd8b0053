/**
 * What an OpenID provider says about itself: its endpoints, its keys and the name it signs with. The document counts
 * only if it names the issuer that the operator configured, letter by letter: another issuer's document would name
 * other keys. If the operator configured the address of the document itself, the issuer is the one named in it.
 */
import type { ServerMetadata } from 'openid-client';
import type { Clock } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';

export const REQUEST_TIMEOUT_MS = 8_000;
/** The document is read again after an hour, so that a moved endpoint is found. */
const KEPT_MS = 3_600_000;
const MAX_BYTES = 256 * 1024;
const APPLE_ISSUER = 'https://appleid.apple.com';

/** Apple's document, as its documentation lists it. */
const APPLE: ServerMetadata = {
  issuer: APPLE_ISSUER,
  authorization_endpoint: `${APPLE_ISSUER}/auth/authorize`,
  token_endpoint: `${APPLE_ISSUER}/auth/token`,
  jwks_uri: `${APPLE_ISSUER}/auth/keys`,
  token_endpoint_auth_methods_supported: ['client_secret_post'],
  response_types_supported: ['code'],
};

export const isAppleIssuer = (issuer: string): boolean => issuer === APPLE_ISSUER;

/** Why there is no document to use. The message names no secret. */
export class DiscoveryFault extends Error {
  readonly kind: 'unreachable' | 'no_document' | 'other_issuer';
  /** The issuer that the document names instead of the configured one. */
  readonly found: string | undefined;

  constructor(kind: DiscoveryFault['kind'], message: string, options: { cause?: unknown; found?: string } = {}) {
    super(message, { cause: options.cause });
    this.kind = kind;
    this.found = options.found;
  }
}

export class Discovery {
  readonly #configured: string;
  readonly #clock: Clock;
  #known: { readonly metadata: ServerMetadata; readonly until: number } | undefined;
  #asking: Promise<ServerMetadata> | undefined;

  constructor(configured: string, clock: Clock) {
    this.#configured = configured;
    this.#clock = clock;
  }

  /** Rejects with `identity_provider_unavailable`; its cause is a `DiscoveryFault`. */
  async get(): Promise<ServerMetadata> {
    if (isAppleIssuer(this.#configured)) return APPLE;
    const now = this.#clock.now().getTime();
    if (this.#known && now < this.#known.until) return this.#known.metadata;
    // Everyone who signs in meanwhile waits for the same answer.
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined;
    });
    const metadata = await this.#asking;
    this.#known = { metadata, until: now + KEPT_MS };
    return metadata;
  }

  /**
   * The issuer that the document names, as far as it is known without asking the provider. It is remembered while the
   * provider is silent. The setting alone does not count: a slash too many, and no account would be one of the provider.
   */
  get knownIssuer(): string | undefined {
    return isAppleIssuer(this.#configured) ? APPLE_ISSUER : this.#known?.metadata.issuer;
  }

  async getIssuer(): Promise<string> {
    return (await this.get()).issuer;
  }

  /** The issuer that an identity token must name. A configured one needs no document: another one is simply refused. */
  async getTokenIssuer(): Promise<string> {
    return this.#isAddress ? this.getIssuer() : this.#configured;
  }

  get #isAddress(): boolean {
    return this.#configured.includes('/.well-known/');
  }

  get address(): string {
    if (this.#isAddress) return this.#configured;
    return `${this.#configured.replace(/\/$/, '')}/.well-known/openid-configuration`;
  }

  async #ask(): Promise<ServerMetadata> {
    try {
      return this.#check(await this.#fetch());
    } catch (cause) {
      throw new AppError('identity_provider_unavailable', { cause, retryAfterSeconds: 10 });
    }
  }

  async #fetch(): Promise<unknown> {
    const options = { signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS), redirect: 'error' } as const;
    let response: Response;
    let body: string;
    try {
      response = await fetch(this.address, options);
      body = await response.text();
    } catch (cause) {
      throw new DiscoveryFault('unreachable', `There is no answer at ${this.address}.`, { cause });
    }
    try {
      if (response.ok && body.length <= MAX_BYTES) return JSON.parse(body);
    } catch {
      // Falls through: anything but JSON is not a document.
    }
    throw new DiscoveryFault('no_document', `There is no document at ${this.address} (status ${response.status}).`);
  }

  #check(document: unknown): ServerMetadata {
    const metadata = Object(document) as Partial<ServerMetadata>;
    const { issuer } = metadata;
    if (typeof issuer !== 'string')
      throw new DiscoveryFault('no_document', `The document at ${this.address} names no issuer.`);
    if (!this.#isAddress && issuer !== this.#configured) {
      const message = `The document at ${this.address} is not the one of ${this.#configured}.`;
      throw new DiscoveryFault('other_issuer', message, { found: issuer });
    }
    return metadata as ServerMetadata;
  }
}
