/**
 * A real OpenID provider (`oidc-provider`) over real HTTP, with one client and one person, who signs in without a
 * password. A test may change who the person is, and break one thing at a time.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import { type Context, Provider } from 'oidc-provider';

export const CLIENT_ID = 'crescendo-web';
export const SECRET = 'a-secret-of-the-client-in-ascii-characters';

/** The library prints advice about production, several lines for each provider. */
for (const level of ['info', 'warn'] as const) {
  const print = console[level].bind(console);
  console[level] = (...words: unknown[]) => void (String(words[0]).startsWith('oidc-provider ') || print(...words));
}

interface Options {
  /** The address of the service, as the browser sees it. `serve` can set it later. */
  readonly baseUrl?: string;
  /** More fields of the client, such as how it authenticates. */
  readonly client?: object;
  /** The person's claims are at the userinfo endpoint only, as with several real providers. */
  readonly userInfoOnly?: boolean;
  /** How the provider takes `client_secret_basic`: it compares the secret without decoding it, or never accepts it. */
  readonly basic?: 'literal' | 'refused';
  /** Replaces fields of the discovery document. */
  readonly discovery?: object;
}

type Answer = Record<string, unknown>;

const generateKey = async (): Promise<JWK> => {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  return { ...(await exportJWK(privateKey)), use: 'sig', alg: 'RS256' };
};

/** An RSA key takes a tenth of a second and more to generate, so all providers of a process start with the same. */
let firstKey: Promise<JWK> | undefined;

export class OpenIdProvider implements AsyncDisposable {
  readonly #options: Options;
  #baseUrl: string;
  #key: JWK | undefined;
  readonly #server = createServer((request, response) => void this.#answer(request, response));
  #callback: ReturnType<Provider['callback']> = async () => undefined;
  #provider: Provider | undefined;
  person: { readonly sub: string; readonly [claim: string]: unknown } = {
    sub: 'subject-1',
    email: 'ada@example.org',
    email_verified: true,
    name: 'Ada Lovelace',
  };
  /** While true, the person refuses. */
  refuses = false;
  /** While true, every request is answered with 503. */
  isDown = false;
  /** Called for a request to the path; it is never answered. */
  stalls: { readonly path: string; readonly seen: () => void } | undefined;
  /** Changes the answer of the token endpoint. */
  tamper: ((answer: Answer) => Answer) | undefined;
  /** Gets the logout tokens instead of the service. */
  onLogoutToken: ((token: string) => void) | undefined;
  /** The service, for the provider's own calls: its address is not the one that the browser sees. */
  serviceOrigin: string | undefined;
  /** The paths that were asked for, with the fields of calls to the token endpoint. */
  readonly calls: { readonly path: string; readonly authorization: string | undefined }[] = [];

  private constructor(options: Options) {
    this.#options = options;
    this.#baseUrl = options.baseUrl ?? 'http://crescendo.test';
  }

  static async start(options: Options): Promise<OpenIdProvider> {
    const provider = new OpenIdProvider(options);
    provider.#server.listen(0, '127.0.0.1');
    await once(provider.#server, 'listening');
    firstKey ??= generateKey();
    provider.#key = await firstKey;
    provider.#open();
    return provider;
  }

  get issuer(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The settings of a service with this provider. */
  get settings(): Record<string, string> {
    return {
      ...(this.#options.baseUrl && { BASE_URL: this.#options.baseUrl }),
      IDP_ISSUER: this.issuer,
      IDP_AUDIENCE: CLIENT_ID,
      IDP_CLIENT_SECRET: SECRET,
    };
  }

  async rotateKeys(): Promise<void> {
    this.#key = await generateKey();
    this.#open();
  }

  /** From now on the service is at this address. */
  serve(baseUrl: string): void {
    this.#baseUrl = baseUrl;
    this.#open();
  }

  /** Signs out at the provider the way a person does who opened `url`, and says where the browser is then. */
  async confirmSignOut(browser: TestBrowser, url: string): Promise<string> {
    const page = await browser.get(url);
    const xsrf = /name="xsrf" value="(\w+)"/.exec(await page.text())?.[1] ?? '';
    return browser.follow(new URL('/session/end/confirm', this.issuer).href, this.#baseUrl, {
      method: 'POST',
      body: new URLSearchParams({ xsrf, logout: 'yes' }),
    });
  }

  #open(): void {
    const { client, userInfoOnly = false } = this.#options;
    const baseUrl = this.#baseUrl;
    const provider = new Provider(this.issuer, {
      jwks: { keys: [this.#key] },
      clients: [
        {
          client_id: CLIENT_ID,
          client_secret: SECRET,
          redirect_uris: [`${baseUrl}/app/sign-in`],
          post_logout_redirect_uris: [`${baseUrl}/app/sign-in`],
          backchannel_logout_uri: `${baseUrl}/app/provider/sign-out`,
          backchannel_logout_session_required: true,
          response_types: ['code'],
          grant_types: ['authorization_code'],
          ...client,
        },
      ],
      clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none'],
      conformIdTokenClaims: userInfoOnly,
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'], groups: ['groups'] },
      scopes: ['openid', 'groups'],
      cookies: { keys: ['a key of the cookies'] },
      features: { devInteractions: { enabled: false }, backchannelLogout: { enabled: true } },
      interactions: { url: (_context: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
      findAccount: (_context: unknown, accountId: string) => ({ accountId, claims: () => this.person }),
      loadExistingGrant: async ({ oidc }: Context) => {
        const { clientId } = oidc.client;
        const known = oidc.session.grantIdFor(clientId);
        if (known !== undefined) return provider.Grant.find(known);
        const grant = new provider.Grant({ clientId, accountId: oidc.session.accountId });
        grant.addOIDCScope('openid email profile groups');
        await grant.save();
        return grant;
      },
      // Without the library's own dispatcher, which refuses to call a loopback address.
      fetch: (url: string, { method, headers, body, redirect }: Required<RequestInit>) => {
        if (!this.onLogoutToken) {
          return fetch(url.replace(baseUrl, this.serviceOrigin ?? baseUrl), { method, headers, body, redirect });
        }
        this.onLogoutToken(new URLSearchParams(String(body)).get('logout_token') ?? '');
        return new Response();
      },
    });
    // Otherwise its errors are printed.
    provider.on('server_error', () => undefined);
    this.#provider = provider;
    this.#callback = provider.callback();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url?.split('?')[0] ?? '';
    // A whole Chromium requests it with every page, the headless shell never.
    if (path === '/favicon.ico') return void response.writeHead(204).end();
    this.calls.push({ path, authorization: request.headers.authorization });
    if (this.isDown) return void response.writeHead(503).end();
    if (path === this.stalls?.path) return this.stalls.seen();
    if (path.startsWith('/interaction/')) {
      const login = { accountId: this.person.sub };
      const result = this.refuses ? { error: 'access_denied' } : { login };
      return this.#provider?.interactionFinished(request, response, result);
    }
    if (path === '/token' && !this.#acceptsBasic(request.headers.authorization)) {
      const headers = { 'content-type': 'application/json', 'www-authenticate': 'Basic realm="id"' };
      return void response.writeHead(401, headers).end(JSON.stringify({ error: 'invalid_client' }));
    }
    const change = this.#changeOf(path);
    if (change) {
      const end = response.end.bind(response);
      response.end = ((body: string) => {
        response.removeHeader('content-length');
        return end(JSON.stringify(change(JSON.parse(String(body)))));
      }) as typeof response.end;
    }
    await this.#callback(request, response);
  }

  #acceptsBasic(authorization: string | undefined): boolean {
    const { basic } = this.#options;
    if (basic === undefined || authorization === undefined) return true;
    return basic === 'literal' && authorization === `Basic ${btoa(`${CLIENT_ID}:${SECRET}`)}`;
  }

  #changeOf(path: string): ((answer: Answer) => Answer) | undefined {
    const { discovery } = this.#options;
    if (path === '/token') return this.tamper;
    return discovery && path.startsWith('/.well-known/') ? (answer) => ({ ...answer, ...discovery }) : undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

/** Follows redirects and keeps cookies, as a browser does. */
export class TestBrowser {
  readonly #cookies = new Map<string, string>();

  async get(url: string, init: RequestInit = {}): Promise<Response> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, { ...init, redirect: 'manual', headers: { cookie } });
    for (const line of response.headers.getSetCookie()) {
      const [name = '', value = ''] = line.split(';')[0]?.split('=') ?? [];
      this.#cookies.set(name, value);
    }
    return response;
  }

  /** Follows until the address belongs to the service, or a page is shown. Returns the address or the page. */
  async follow(url: string, baseUrl: string, init: RequestInit = {}): Promise<string> {
    const response = await this.get(url, init);
    const location = response.headers.get('location');
    if (location === null) return response.text();
    const next = new URL(location, url).href;
    return next.startsWith(baseUrl) ? next : this.follow(next, baseUrl);
  }
}
