/**
 * Keeps what a sign-in at the identity provider left for the sign-out there, in the browser that it belongs to. The value
 * is sealed, so the service stores no token of the provider, and no script and no copy of the cookie can read it.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { findCookie, isFromApp, isSecure } from './app-session.ts';

/** The path of the one route that needs it. */
const PATH = '/app/provider/sign-out';
/** The longest time that browsers keep a cookie. */
const MAX_AGE_SECONDS = 400 * 86_400;
/** Browsers drop a cookie with more than 4,096 bytes. A person in very many groups signs out without a hint. */
const MAX_LENGTH = 3_900;

export function rememberSignOutHint(request: FastifyRequest, reply: FastifyReply, sealed: string): void {
  if (isFromApp(request) && sealed.length <= MAX_LENGTH) setCookie(request, reply, sealed, MAX_AGE_SECONDS);
}

export const findSignOutHint = (request: FastifyRequest): string | undefined =>
  findCookie(request, cookieName(request));

/** The browser does not send the cookie with the request that ends the session, so it is always cleared. */
export function clearSignOutHint(request: FastifyRequest, reply: FastifyReply): void {
  if (isFromApp(request)) setCookie(request, reply, '', 0);
}

function setCookie(request: FastifyRequest, reply: FastifyReply, value: string, maxAgeSeconds: number): void {
  const secure = isSecure(request) ? '; Secure' : '';
  const cookie = `${cookieName(request)}=${value}; Path=${PATH}; HttpOnly; SameSite=Strict; Max-Age=${maxAgeSeconds}`;
  reply.header('cache-control', 'no-store').header('set-cookie', cookie + secure);
}

/** With the prefix, the browser ensures that no plain HTTP page can set this cookie. */
const cookieName = (request: FastifyRequest) =>
  isSecure(request) ? '__Secure-crescendo-sign-out' : 'crescendo-sign-out';
