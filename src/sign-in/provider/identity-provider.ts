/**
 * Apple or any other OpenID Connect issuer. Verifies identity tokens with the issuer's keys. For Apple it
 * also fetches and revokes refresh tokens: App Review requires the revocation when an account is deleted.
 *
 * A token is accepted only if its signature, issuer, audience and expiry are right and its algorithm is one of two
 * asymmetric ones: never `none`, and never an HMAC keyed with the public key. `identity-token.ts` judges the other
 * claims. If the provider cannot be reached, the sign-in fails with an error of its own.
 */
import type { createRemoteJWKSet, JWTPayload } from 'jose';
import type { Clock } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import { hashToken } from '../../lib/secrets.ts';
import { Discovery, REQUEST_TIMEOUT_MS } from './discovery.ts';
import { CLOCK_TOLERANCE_SECONDS, type ClaimRules, type IdentityClaims, readClaims } from './identity-token.ts';
import { LOGOUT_TOKEN_TYPE, type LogoutClaims, readLogoutClaims } from './logout-token.ts';

export const ALGORITHMS = ['RS256', 'ES256'];
/** The error codes of jose for a bad token; every other error means that the keys could not be fetched. */
const BAD_TOKEN =
  /^ERR_(JWT|JWS|JOSE_ALG_NOT_ALLOWED|JOSE_NOT_SUPPORTED|JWKS_NO_MATCHING_KEY|JWKS_MULTIPLE_MATCHING_KEYS)/;

export interface ProviderSettings {
  /** The issuer, or the address of its discovery document. */
  readonly issuer: string;
  readonly audience: readonly string[];
  readonly jwksUrl: string | undefined;
  /** The key that signs our requests to Apple's token endpoint. */
  readonly client: { readonly key: string; readonly keyId: string; readonly teamId: string } | undefined;
  readonly claims: ClaimRules;
}

export interface VerifiedIdentity extends IdentityClaims {
  readonly issuer: string;
  /** Recognises the token if it is sent again. */
  readonly tokenHash: string;
}

export class IdentityProvider {
  readonly discovery: Discovery;
  readonly #settings: ProviderSettings;
  readonly #clock: Clock;
  #keys: ReturnType<typeof createRemoteJWKSet> | undefined;

  constructor(settings: ProviderSettings, clock: Clock) {
    this.#settings = settings;
    this.#clock = clock;
    this.discovery = new Discovery(settings.issuer, clock);
  }

  async verify(identityToken: string): Promise<VerifiedIdentity> {
    const payload = await this.#verifySignature(identityToken, ['sub', 'exp', 'iat']);
    const claims = this.readClaims(payload, this.#settings.audience);
    return { ...claims, issuer: String(payload.iss), tokenHash: hashToken(signedPartOf(identityToken)) };
  }

  /** The signature and the issuer must have been verified. */
  readClaims(payload: Readonly<Record<string, unknown>>, audience: readonly string[]): IdentityClaims {
    const claims = readClaims(payload, audience, this.#clock.now(), this.#settings.claims);
    if (typeof claims === 'string') throw new AppError('wrong_identity_token', { cause: new Error(claims) });
    return claims;
  }

  async verifyLogoutToken(token: string): Promise<LogoutClaims & { readonly issuer: string }> {
    const payload = await this.#verifySignature(token, ['exp', 'iat', 'jti'], LOGOUT_TOKEN_TYPE);
    const claims = readLogoutClaims(payload);
    if (!claims) throw new AppError('wrong_identity_token', { cause: new Error('This is not a logout token.') });
    return { ...claims, issuer: String(payload.iss) };
  }

  async #verifySignature(token: string, requiredClaims: string[], typ?: string): Promise<JWTPayload> {
    const { jwtVerify } = await import('jose');
    try {
      const { payload } = await jwtVerify(token, await this.#getKeys(), {
        issuer: await this.discovery.getTokenIssuer(),
        audience: [...this.#settings.audience],
        algorithms: ALGORITHMS,
        requiredClaims,
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
        currentDate: this.#clock.now(),
        ...(typ && { typ }),
      });
      return payload;
    } catch (error) {
      if (error instanceof AppError) throw error;
      const code = error instanceof Error && 'code' in error ? String(error.code) : '';
      throw BAD_TOKEN.test(code) ? new AppError('wrong_identity_token', { cause: error }) : unreachable(error);
    }
  }

  /** Fetches the issuer's keys again and returns how many there are. Rejects if they cannot be fetched. */
  async reloadKeys(): Promise<number> {
    const keys = await this.#getKeys();
    await keys.reload();
    return keys.jwks()?.keys.length ?? 0;
  }

  get canRevoke(): boolean {
    return this.#settings.client !== undefined;
  }

  /** The refresh token; undefined if Apple answers that the code is spent or wrong. */
  async exchangeCode(code: string, clientId: string): Promise<string | undefined> {
    const response = await this.#post('/auth/token', clientId, { code, grant_type: 'authorization_code' });
    if (!response.ok) return undefined;
    const answer: unknown = await response.json();
    const token =
      typeof answer === 'object' && answer !== null && 'refresh_token' in answer ? answer.refresh_token : undefined;
    return typeof token === 'string' ? token : undefined;
  }

  /** Apple answers 200 for a token that is already revoked, so a refusal means that our settings are wrong. */
  async revoke(refreshToken: string, clientId: string): Promise<void> {
    const fields = { token: refreshToken, token_type_hint: 'refresh_token' };
    const response = await this.#post('/auth/revoke', clientId, fields);
    if (!response.ok) throw unreachable(new Error(`The provider refused a revocation with ${response.status}.`));
  }

  async #post(path: string, clientId: string, fields: Readonly<Record<string, string>>): Promise<Response> {
    const body = new URLSearchParams({
      client_id: clientId,
      client_secret: await this.clientSecret(clientId),
      ...fields,
    });
    const signal = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
    let response: Response;
    try {
      response = await fetch(new URL(path, this.#settings.issuer), { method: 'POST', body, signal, redirect: 'error' });
    } catch (error) {
      throw unreachable(error);
    }
    if (response.status >= 500 || response.status === 429)
      throw unreachable(new Error(`The provider answered ${response.status}.`));
    return response;
  }

  /** Apple's kind of client secret: a statement signed with our key, valid for five minutes. */
  async clientSecret(clientId: string): Promise<string> {
    const { client, issuer } = this.#settings;
    if (!client) throw new AppError('identity_provider_not_configured');
    const { importPKCS8, SignJWT } = await import('jose');
    const issuedAt = Math.floor(this.#clock.now().getTime() / 1_000);
    return new SignJWT({})
      .setProtectedHeader({ alg: 'ES256', kid: client.keyId })
      .setIssuer(client.teamId)
      .setSubject(clientId)
      .setAudience(issuer)
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + 300)
      .sign(await importPKCS8(client.key, 'ES256'));
  }

  /** jose caches the keys. For an unknown key id it fetches them again, at most every 30 seconds. */
  async #getKeys(): Promise<ReturnType<typeof createRemoteJWKSet>> {
    if (!this.#keys) {
      const { createRemoteJWKSet } = await import('jose');
      this.#keys = createRemoteJWKSet(new URL(await this.#getJwksUrl()), { timeoutDuration: REQUEST_TIMEOUT_MS });
    }
    return this.#keys;
  }

  async #getJwksUrl(): Promise<string> {
    const url = this.#settings.jwksUrl ?? (await this.discovery.get()).jwks_uri;
    if (typeof url === 'string') return url;
    throw unreachable(new Error(`The document at ${this.discovery.address} names no keys.`));
  }
}

/** For `catch`: a token that was not accepted is no identity. Every other error stays one. */
export function wrongToUndefined(error: unknown): undefined {
  if (error instanceof AppError && error.code === 'wrong_identity_token') return undefined;
  throw error;
}

export const unreachable = (cause: unknown) =>
  new AppError('identity_provider_unavailable', { cause, retryAfterSeconds: 10 });

/** The token without its signature: anybody can turn one ES256 signature into a second valid one. */
const signedPartOf = (token: string) => token.slice(0, token.lastIndexOf('.'));
