/**
 * The token of a sign-in request, which shows that a proof comes from who asked to sign in. A client that can keep it
 * gets it in the header `X-Sign-In-Request` and sends it back in the same header. For the web app it is in a cookie
 * that no script can read. A client that does neither signs in all the same.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { findCookie, isFromApp, isSecure } from './app-session.ts';

const HEADER = 'x-sign-in-request';
const MAX_AGE_SECONDS = 600;
const TOKEN = /^[sp]r_[\w-]{43}$/;

export function sendSignInRequest(request: FastifyRequest, reply: FastifyReply, token: string): void {
  if (isFromApp(request)) setCookie(request, reply, token, MAX_AGE_SECONDS);
  else reply.header(HEADER, token);
}

/** Undefined if the client sent none, or something else. */
export function findSignInRequest(request: FastifyRequest): string | undefined {
  const header = request.headers[HEADER];
  const token = header ?? (isFromApp(request) ? findCookie(request, cookieName(request)) : undefined);
  return typeof token === 'string' && TOKEN.test(token) ? token : undefined;
}

/** Called after the sign-in. */
export function clearSignInRequest(request: FastifyRequest, reply: FastifyReply): void {
  if (isFromApp(request) && findCookie(request, cookieName(request)) !== undefined) setCookie(request, reply, '', 0);
}

function setCookie(request: FastifyRequest, reply: FastifyReply, value: string, maxAgeSeconds: number): void {
  const secure = isSecure(request) ? '; Secure' : '';
  const cookie = `${cookieName(request)}=${value}; Path=/v1/auth; HttpOnly; SameSite=Strict; Max-Age=${maxAgeSeconds}`;
  reply.header('cache-control', 'no-store').header('set-cookie', cookie + secure);
}

/** With the prefix, the browser ensures that no plain HTTP page can set this cookie. */
const cookieName = (request: FastifyRequest) =>
  isSecure(request) ? '__Secure-crescendo-sign-in' : 'crescendo-sign-in';
