/**
 * The web app's side of OpenID Connect: the authorization code flow with PKCE, by `openid-client`, which checks state,
 * issuer, nonce, verifier and the signature of the identity token. The library is loaded at the first sign-in, and
 * nothing of the provider's answer is ever logged: an error carries the library's code and sentence alone.
 */
import type { ClientAuth, Configuration, IDToken, ServerMetadata } from 'openid-client';
import { AppError } from '../../lib/errors.ts';
import { hashToken, newToken } from '../../lib/secrets.ts';
import { isAppleIssuer, REQUEST_TIMEOUT_MS } from './discovery.ts';
import { ALGORITHMS, type IdentityProvider, unreachable, type VerifiedIdentity } from './identity-provider.ts';

export interface WebClientSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly secret: string | undefined;
  /** A P-256 private key in PEM form. */
  readonly key: string | undefined;
  readonly auth: 'auto' | 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt';
  readonly scopes: string | undefined;
  /** The claim that must be known, if a rule depends on groups. */
  readonly groupsClaim: string | undefined;
}

type AuthMethod = 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt' | 'none';

/** The values that an answer is checked against. Secret until it comes back. */
export interface SignInChecks {
  readonly verifier: string;
  readonly state: string;
  readonly nonce: string;
  readonly redirectUri: string;
}

export interface WebIdentity extends VerifiedIdentity {
  readonly name: string | null;
  readonly refreshToken: string | undefined;
  /** As the provider signed it. */
  readonly idToken: string;
}

/** Our nonces begin with this prefix: a token with such a nonce is accepted only with its own sign-in. */
export const NONCE_PREFIX = 'nc_';
const MAX_NAME_LENGTH = 100;
type Claims = Readonly<Record<string, unknown>>;

export class RelyingParty {
  readonly #provider: IdentityProvider;
  readonly #settings: WebClientSettings;

  constructor(provider: IdentityProvider, settings: WebClientSettings) {
    this.#provider = provider;
    this.#settings = settings;
  }

  /** Apple, or a provider with a token endpoint that takes a key of Apple's kind. */
  get #isApple(): boolean {
    return isAppleIssuer(this.#settings.issuer) || this.#provider.canRevoke;
  }

  /** Apple has no public clients: without a key or a secret only apps can sign in there. */
  get isUsable(): boolean {
    return !this.#isApple || this.#provider.canRevoke || this.#settings.secret !== undefined;
  }

  async begin(redirectUri: string): Promise<{ url: string; checks: SignInChecks }> {
    const { oidc, config } = await this.#open();
    const verifier = oidc.randomPKCECodeVerifier();
    const checks = { verifier, state: oidc.randomState(), nonce: newToken(NONCE_PREFIX), redirectUri };
    const parameters = {
      redirect_uri: redirectUri,
      scope: this.#settings.scopes ?? (this.#isApple ? 'openid email name' : 'openid email profile'),
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state: checks.state,
      nonce: checks.nonce,
      // Apple sends the email address in no other way.
      ...(this.#isApple && { response_mode: 'form_post' }),
    };
    return { url: oidc.buildAuthorizationUrl(config, parameters).href, checks };
  }

  /** `answer` are the parameters that the provider sent the browser back with. */
  async finish(answer: URLSearchParams, checks: SignInChecks): Promise<WebIdentity> {
    const { oidc, config } = await this.#open();
    const url = new URL(checks.redirectUri);
    url.search = answer.toString();
    try {
      const tokens = await oidc.authorizationCodeGrant(config, url, {
        pkceCodeVerifier: checks.verifier,
        expectedState: checks.state,
        expectedNonce: checks.nonce,
        idTokenExpected: true,
      });
      const idToken = tokens.claims() as IDToken;
      const userInfo = this.#lacks(idToken, config.serverMetadata())
        ? await oidc.fetchUserInfo(config, tokens.access_token, idToken.sub)
        : {};
      const claims = withUserInfo(idToken, userInfo);
      return {
        ...this.#provider.readClaims(claims, [this.#settings.clientId]),
        issuer: idToken.iss,
        tokenHash: hashToken(tokens.id_token ?? ''),
        name: nameIn(claims) ?? nameInAppleForm(answer),
        refreshToken: tokens.refresh_token,
        idToken: tokens.id_token ?? '',
      };
    } catch (error) {
      throw toAppError(error);
    }
  }

  /**
   * Where the browser ends its session at the provider; null if the provider has no such address. With the identity token
   * of the session the provider knows whom to sign out, and some ask no question then.
   */
  async signOutUrl(redirectUri: string, idToken: string | undefined): Promise<string | null> {
    const { oidc, config } = await this.#open();
    if (!config.serverMetadata().end_session_endpoint) return null;
    const hint = idToken === undefined ? {} : { id_token_hint: idToken };
    return oidc.buildEndSessionUrl(config, { post_logout_redirect_uri: redirectUri, ...hint }).href;
  }

  /** Many providers return the address and the groups only at their userinfo endpoint. */
  #lacks(idToken: IDToken, { userinfo_endpoint }: ServerMetadata): boolean {
    const { groupsClaim } = this.#settings;
    const isComplete = ['email', 'name', groupsClaim].every(
      (name) => name === undefined || idToken[name] !== undefined,
    );
    return userinfo_endpoint !== undefined && !isComplete;
  }

  async #open(): Promise<{ oidc: typeof import('openid-client'); config: Configuration }> {
    const metadata = await this.#provider.discovery.get();
    const oidc = await import('openid-client');
    const algorithms = metadata.id_token_signing_alg_values_supported?.filter((name) => ALGORITHMS.includes(name));
    const server = algorithms ? { ...metadata, id_token_signing_alg_values_supported: algorithms } : metadata;
    // A new configuration each time fetches the provider's keys anew, so a rotation is noticed at once.
    const config = new oidc.Configuration(
      server,
      this.#settings.clientId,
      undefined,
      await this.#clientAuth(oidc, server),
    );
    config.timeout = REQUEST_TIMEOUT_MS / 1_000;
    // Otherwise the library would trust TLS and not check the signature of the identity token.
    oidc.enableNonRepudiationChecks(config);
    if (metadata.issuer.startsWith('http:')) oidc.allowInsecureRequests(config);
    return { oidc, config };
  }

  /** How the service proves to the provider who it is. */
  authMethod({ token_endpoint_auth_methods_supported: offered }: ServerMetadata): AuthMethod {
    const { secret, key, auth } = this.#settings;
    if (this.#provider.canRevoke) return 'client_secret_post';
    if (key !== undefined && (auth === 'auto' || auth === 'private_key_jwt')) return 'private_key_jwt';
    if (secret === undefined) return 'none';
    const isBasic =
      auth === 'auto' ? (offered?.includes('client_secret_basic') ?? true) : auth === 'client_secret_basic';
    return isBasic ? 'client_secret_basic' : 'client_secret_post';
  }

  async #clientAuth(oidc: typeof import('openid-client'), server: ServerMetadata): Promise<ClientAuth> {
    const { clientId, secret = '', key = '' } = this.#settings;
    if (this.#provider.canRevoke) return oidc.ClientSecretPost(await this.#provider.clientSecret(clientId));
    switch (this.authMethod(server)) {
      case 'client_secret_basic':
        return clientSecretBasic(secret);
      case 'client_secret_post':
        return oidc.ClientSecretPost(secret);
      case 'private_key_jwt': {
        const { importPKCS8 } = await import('jose');
        return oidc.PrivateKeyJwt(await importPKCS8(key, 'ES256'));
      }
      case 'none':
        return oidc.None();
    }
  }
}

/**
 * The library's own writes `-._~` as `%2D` and so on. RFC 6749 allows both, and some providers compare the secret without
 * decoding it: for them, a secret of unreserved characters must stay as it is.
 */
function clientSecretBasic(secret: string): ClientAuth {
  return (_server, { client_id }, _body, headers) =>
    headers.set('authorization', `Basic ${btoa(`${formEncode(client_id)}:${formEncode(secret)}`)}`);
}

function formEncode(text: string): string {
  const toHex = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  return encodeURIComponent(text)
    .replaceAll(/[!'()*]/g, toHex)
    .replaceAll('%20', '+');
}

/** The identity token wins. An address and whether it is verified come from the same place. */
function withUserInfo(idToken: Claims, { email, email_verified, ...userInfo }: Claims): Claims {
  const address = idToken.email === undefined ? { email, email_verified } : {};
  return { ...userInfo, ...idToken, ...address };
}

function nameIn({ name }: Claims): string | null {
  const isName = typeof name === 'string' && name.isWellFormed() && !/\p{Cc}/u.test(name);
  return (isName && name.trim().slice(0, MAX_NAME_LENGTH).toWellFormed()) || null;
}

/** Apple sends the name once, beside the identity token and unsigned, so it is used only for display. */
function nameInAppleForm(answer: URLSearchParams): string | null {
  try {
    const { name } = JSON.parse(answer.get('user') ?? '') as { name?: { firstName?: unknown; lastName?: unknown } };
    const parts = [name?.firstName, name?.lastName].filter((part) => typeof part === 'string' && part !== '');
    return nameIn({ name: parts.join(' ') });
  } catch {
    return null;
  }
}

/** Errors of an answer that this sign-in did not ask for. Every other error is the provider's or ours. */
const WRONG_ANSWER = new Set([
  'OAUTH_INVALID_RESPONSE',
  'OAUTH_JWT_CLAIM_COMPARISON_FAILED',
  'OAUTH_JWT_TIMESTAMP_CHECK_FAILED',
  'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED',
  'OAUTH_KEY_SELECTION_FAILED',
  'OAUTH_AUTHORIZATION_RESPONSE_ERROR',
  'OAUTH_UNSUPPORTED_OPERATION',
  'OAUTH_PARSE_ERROR',
]);

function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const { code, error: said, message, cause: inner } = Object(error) as Readonly<Record<string, unknown>>;
  // The cause itself may contain tokens, and `error` any text, so only the library's words and plain codes are kept.
  const codes = [code, said, Object(inner).code].filter((part) => /^\w{1,60}$/.test(String(part ?? '')));
  const cause = new Error([...codes, message].join(': '));
  if (code === 'OAUTH_RESPONSE_BODY_ERROR' && said === 'invalid_grant')
    return new AppError('wrong_identity_token', { cause });
  if (code === 'OAUTH_RESPONSE_BODY_ERROR' || code === 'OAUTH_WWW_AUTHENTICATE_CHALLENGE')
    return new AppError('identity_provider_refused', { cause });
  return WRONG_ANSWER.has(String(code)) ? new AppError('wrong_identity_token', { cause }) : unreachable(cause);
}
