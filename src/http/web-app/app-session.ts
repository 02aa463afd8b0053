/**
 * The session of the web app, in a cookie that no script can read, so that a fault in a page cannot leak the
 * token. The API itself accepts only the Authorization header. Before authentication, the cookie is turned
 * into that header, and only for requests that the app itself made.
 *
 * Another site cannot make such a request, for three reasons. Each would be enough:
 * - `SameSite=Strict`: the browser does not send the cookie with requests from another site;
 * - the header `X-Crescendo-App`: a page of another origin can send it only after a preflight, which this
 *   service never grants;
 * - `Sec-Fetch-Site`: if the browser says where a request comes from, it must be this origin.
 * The cookie is ignored without that header, so no link, form or image can act for a user.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

const APP_HEADER = 'x-crescendo-app';
/** The longest time that browsers keep a cookie. The session itself expires earlier. */
const MAX_AGE_SECONDS = 400 * 86_400;
const TOKEN = /^st_[\w-]+$/;

declare module 'fastify' {
  interface FastifyInstance {
    /** Whether BASE_URL is https. A proxy may provide TLS without saying so, or without being trusted. */
    hasTls: boolean;
  }
}

/** Must be called before `authenticateRequests`. */
export function readAppSessionCookie(app: FastifyInstance, hasTls: boolean): void {
  app.decorate('hasTls', hasTls);
  app.addHook('onRequest', (request, _reply, done) => {
    const isAppRequest = request.headers.authorization === undefined && isFromApp(request);
    const token = isAppRequest ? findAppSessionToken(request) : undefined;
    if (token !== undefined) request.headers.authorization = `Bearer ${token}`;
    done();
  });
}

/** Whether the request was authenticated by the cookie of the app, and not by a token of its own. */
export function usesAppSession(request: FastifyRequest): boolean {
  const token = isFromApp(request) ? findAppSessionToken(request) : undefined;
  return token !== undefined && request.headers.authorization === `Bearer ${token}`;
}

/** The token in the cookie, from any site: for deciding what to show, never for deciding what is allowed. */
export function findAppSessionToken(request: FastifyRequest): string | undefined {
  const token = findCookie(request, cookieName(request));
  return token !== undefined && TOKEN.test(token) ? token : undefined;
}

export function findCookie(request: FastifyRequest, expected: string): string | undefined {
  for (const pair of (request.headers.cookie ?? '').split(';')) {
    const [name, value] = pair.trim().split('=', 2);
    if (name === expected) return value;
  }
  return undefined;
}

/** The same for a request that Fastify has not seen yet, under either name of the cookie. */
export const sessionTokenIn = (cookies = ''): string | undefined =>
  /(?:^|;\s*)(?:__Host-)?crescendo-session=(st_[\w-]+)/.exec(cookies)?.[1];

/** The token is valid: the access table requires a session on the route that calls this. */
export function setAppSessionCookie(request: FastifyRequest, reply: FastifyReply): void {
  const token = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? '';
  setCookie(request, reply, token, MAX_AGE_SECONDS);
}

/** The session of the app has another token now. Does nothing if the request did not come with the cookie. */
export function replaceAppSessionCookie(request: FastifyRequest, reply: FastifyReply, token: string): void {
  if (usesAppSession(request)) setCookie(request, reply, token, MAX_AGE_SECONDS);
}

export function clearAppSessionCookie(request: FastifyRequest, reply: FastifyReply): void {
  if (isFromApp(request)) setCookie(request, reply, '', 0);
}

export function isFromApp({ headers }: FastifyRequest): boolean {
  return headers[APP_HEADER] === '1' && (headers['sec-fetch-site'] ?? 'same-origin') === 'same-origin';
}

function setCookie(request: FastifyRequest, reply: FastifyReply, value: string, maxAgeSeconds: number): void {
  const secure = isSecure(request) ? '; Secure' : '';
  reply
    .header('cache-control', 'no-store')
    .header(
      'set-cookie',
      `${cookieName(request)}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${maxAgeSeconds}${secure}`,
    );
}

/** With the prefix, the browser ensures that no other host and no plain HTTP page can set this cookie. */
const cookieName = (request: FastifyRequest) => (isSecure(request) ? '__Host-crescendo-session' : 'crescendo-session');

/** Whether cookies must be Secure: an https BASE_URL decides it, whatever the proxy says about the request. */
export const isSecure = ({ server, protocol }: FastifyRequest): boolean => server.hasTls || protocol === 'https';
