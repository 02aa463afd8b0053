/**
 * A fake identity provider with the endpoints of OpenID Connect and Apple's token endpoints over real HTTP.
 * It signs any token that a test asks for, valid or not. A real one is in `openid-provider.ts`.
 */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { exportJWK, exportPKCS8, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import type { FakeClock } from './fake-clock.ts';

export const CLIENT_ID = 'org.example.app';

interface TokenCall {
  readonly path: string;
  readonly fields: Readonly<Record<string, string>>;
}

const generateRsaPair = () => generateKeyPair('RS256', { extractable: true });

/** An RSA key takes a tenth of a second and more to generate, so all providers of a process start with the same. */
let firstPair: ReturnType<typeof generateRsaPair> | undefined;

export class FakeIdentityProvider implements AsyncDisposable {
  readonly #clock: FakeClock;
  readonly #server = createServer((request, response) => void this.#answer(request, response));
  #keys: { readonly id: string; readonly alg: string; readonly pair: Awaited<ReturnType<typeof generateRsaPair>> }[] =
    [];
  /** Calls of the token and revocation endpoints. */
  readonly calls: TokenCall[] = [];
  keyRequests = 0;
  /** The query parameters of the last request for the sign-in page. */
  asked: Readonly<Record<string, string>> = {};
  /** The claims that the sign-in page puts into the token. */
  person: JWTPayload = { email: 'person@example.org', email_verified: true };
  /** What the userinfo endpoint says; undefined if there is none. */
  userInfo: object | undefined;
  /** What Apple sends with the form of a first sign-in: the person's name. */
  user: object | undefined;
  /** The tokens of the codes that were given out. A code is accepted any number of times, as no provider should. */
  readonly #codes = new Map<string, string>();
  /** While true, the person refuses on the sign-in page. */
  refuses = false;
  /** While true, every endpoint but the sign-in page answers 503. */
  down = false;
  /** The issuer that the discovery document names, if not this one. */
  foreignIssuer: string | undefined;
  /** The answer of the token endpoint; undefined for "the code was used". */
  refreshToken: string | undefined = 'r.refresh-token-of-the-provider';

  private constructor(clock: FakeClock) {
    this.#clock = clock;
  }

  static async start(clock: FakeClock): Promise<FakeIdentityProvider> {
    const provider = new FakeIdentityProvider(clock);
    firstPair ??= generateRsaPair();
    provider.#keys = [{ id: 'key-0', alg: 'RS256', pair: await firstPair }];
    provider.#server.listen(0, '127.0.0.1');
    await once(provider.#server, 'listening');
    return provider;
  }

  get issuer(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The settings of a service that accepts this provider. */
  get settings(): Record<string, string> {
    return { IDP_ISSUER: this.issuer, IDP_AUDIENCE: `${CLIENT_ID},org.example.web` };
  }

  async clientSettings(): Promise<Record<string, string>> {
    const { privateKey } = await generateKeyPair('ES256', { extractable: true });
    const key = await exportPKCS8(privateKey);
    return { APPLE_CLIENT_KEY: key, APPLE_CLIENT_KEY_ID: 'ABCDE12345', APNS_TEAM_ID: 'TEAM123456' };
  }

  async rotateKeys(): Promise<void> {
    const pair = await generateRsaPair();
    this.#keys = [{ id: `key-${this.#keys.length + this.keyRequests}-${this.calls.length}`, alg: 'RS256', pair }];
  }

  /** One more key, to pass to `issue`. ES256 signs the same claims differently each time. */
  async addEllipticKey(): Promise<{ alg: string; key: CryptoKey; kid: string }> {
    const pair = await generateKeyPair('ES256');
    this.#keys.push({ id: 'elliptic-key', alg: 'ES256', pair });
    return { alg: 'ES256', key: pair.privateKey, kid: 'elliptic-key' };
  }

  /** A new valid token, with the given claims and key replaced. */
  async issue(
    claims: JWTPayload = {},
    key?: { alg: string; key: Uint8Array | CryptoKey; kid?: string },
    typ?: string,
  ): Promise<string> {
    const now = Math.floor(this.#clock.now().getTime() / 1_000);
    const [current] = this.#keys;
    if (!current) throw new Error('There is no key.');
    const payload = {
      iss: this.issuer,
      aud: CLIENT_ID,
      sub: 'subject-1',
      iat: now,
      exp: now + 600,
      jti: randomUUID(),
      ...claims,
    };
    const header = key ? { alg: key.alg, kid: key.kid ?? current.id } : { alg: 'RS256', kid: current.id };
    return new SignJWT(payload)
      .setProtectedHeader(typ ? { ...header, typ } : header)
      .sign(key?.key ?? current.pair.privateKey);
  }

  async publicKeyPem(): Promise<Uint8Array> {
    const [current] = this.#keys;
    return new TextEncoder().encode(JSON.stringify(current && (await exportJWK(current.pair.publicKey))));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', this.issuer);
    if (pathname === '/authorize') return this.#showPage(response, searchParams);
    if (pathname === '/favicon.ico') return void response.writeHead(204).end();
    const [status, body] = this.down ? [503, {}] : await this.#answerTo(pathname, request);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }

  /** The sign-in page: agreeing sends the browser back with a code, by a form if it was asked to. */
  async #showPage(response: ServerResponse, asked: URLSearchParams): Promise<void> {
    this.asked = Object.fromEntries(asked);
    const { redirect_uri = '', state = '', nonce = '', client_id = '', response_mode } = this.asked;
    const code = randomUUID();
    this.#codes.set(code, await this.issue({ aud: client_id, nonce, ...this.person }));
    const fields = Object.entries({
      state,
      ...(this.refuses ? { error: 'access_denied' } : { code }),
      ...(this.user && { user: JSON.stringify(this.user) }),
    });
    const inputs = fields.map(([name, value]) => `<input type="hidden" name="${name}" value='${value}'>`).join('');
    const method = response_mode === 'form_post' ? 'post' : 'get';
    response
      .writeHead(200, { 'content-type': 'text/html' })
      .end(`<form method="${method}" action="${redirect_uri}">${inputs}<button>Agree</button></form>`);
  }

  async #answerTo(pathname: string, request: IncomingMessage): Promise<[number, object]> {
    if (pathname === '/.well-known/openid-configuration') {
      return [
        200,
        {
          issuer: this.foreignIssuer ?? this.issuer,
          jwks_uri: `${this.issuer}/auth/keys`,
          authorization_endpoint: `${this.issuer}/authorize`,
          token_endpoint: `${this.issuer}/auth/token`,
          ...(this.userInfo && { userinfo_endpoint: `${this.issuer}/userinfo` }),
          response_types_supported: ['code'],
          code_challenge_methods_supported: ['S256'],
        },
      ];
    }
    if (pathname === '/userinfo') return [200, this.userInfo ?? {}];
    if (pathname === '/auth/keys') {
      this.keyRequests += 1;
      const keys = this.#keys.map(async ({ id, alg, pair }) => ({
        ...(await exportJWK(pair.publicKey)),
        kid: id,
        alg,
      }));
      return [200, { keys: await Promise.all(keys) }];
    }
    const fields = Object.fromEntries(new URLSearchParams(await text(request)));
    this.calls.push({ path: pathname, fields });
    if (pathname === '/auth/revoke') return [200, {}];
    if (pathname !== '/auth/token') return [404, {}];
    const idToken = this.#codes.get(fields.code ?? '');
    if (idToken !== undefined) {
      const refresh_token = this.refreshToken;
      return [200, { access_token: 'access', token_type: 'Bearer', id_token: idToken, refresh_token }];
    }
    return this.refreshToken ? [200, { refresh_token: this.refreshToken }] : [400, { error: 'invalid_grant' }];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
