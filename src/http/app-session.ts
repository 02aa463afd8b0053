/**
 * The web app's session, kept in a cookie that no script can read, so that a fault in a page never
 * gives the token away. The API itself knows the Authorization header alone: a cookie is turned into
 * one before anybody is asked who they are, and only for a request that the app itself made.
 *
 * Another site cannot make such a request, for three reasons of which each would be enough:
 * - `SameSite=Strict`: the browser does not send the cookie along from another site at all;
 * - the header `X-Crescendo-App`: a page of another origin may send one of its own only after a
 *   preflight, which this service never grants;
 * - `Sec-Fetch-Site`: where the browser says where a request comes from, it must be this origin.
 * The cookie is never looked at without that header, so no link, form or image can act for anybody.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

const APP_HEADER = 'x-crescendo-app';
/** The longest a browser keeps one. The session behind it ends earlier, and that decides. */
const KEPT_SECONDS = 400 * 86_400;
const TOKEN = /^st_[\w-]+$/;

/** To be called before requests are authenticated. */
export function takeAppSessions(app: FastifyInstance): void {
  app.addHook('onRequest', async (request) => {
    if (request.headers.authorization !== undefined || !isFromApp(request)) return;
    const token = findAppSession(request);
    if (token !== undefined) request.headers.authorization = `Bearer ${token}`;
  });
}

/** The token in the cookie, whoever sent it: good for deciding what to show, never for deciding what is allowed. */
export function findAppSession(request: FastifyRequest): string | undefined {
  const wanted = cookieName(request);
  for (const pair of (request.headers.cookie ?? '').split(';')) {
    const [name, value = ''] = pair.trim().split('=', 2);
    if (name === wanted && TOKEN.test(value)) return value;
  }
  return undefined;
}

/** What is put into the cookie has just been proven good: the access table wants a session where this is called. */
export function keepAppSession(request: FastifyRequest, reply: FastifyReply): void {
  const token = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? '';
  setCookie(request, reply, token, KEPT_SECONDS);
}

export function forgetAppSession(request: FastifyRequest, reply: FastifyReply): void {
  if (isFromApp(request)) setCookie(request, reply, '', 0);
}

function isFromApp({ headers }: FastifyRequest): boolean {
  return headers[APP_HEADER] === '1' && (headers['sec-fetch-site'] ?? 'same-origin') === 'same-origin';
}

function setCookie(request: FastifyRequest, reply: FastifyReply, value: string, maxAgeSeconds: number): void {
  const secure = request.protocol === 'https' ? '; Secure' : '';
  reply
    .header('cache-control', 'no-store')
    .header(
      'set-cookie',
      `${cookieName(request)}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${maxAgeSeconds}${secure}`,
    );
}

/** The prefix makes the browser itself see to it that no other host and no plain HTTP page sets this cookie. */
const cookieName = ({ protocol }: FastifyRequest) =>
  protocol === 'https' ? '__Host-crescendo-session' : 'crescendo-session';
