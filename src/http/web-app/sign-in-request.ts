/**
 * The token of a sign-in request. It shows that a proof comes from the client that asked to sign in. A client that can
 * store it gets it in the header `X-Sign-In-Request` and sends it back in the same header. The web app has it in a
 * cookie that no script can read. Sign-in works without the token, too.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { findCookie, isFromApp, isSecure } from './app-session.ts';

const HEADER = 'x-sign-in-request';
const MAX_AGE_SECONDS = 600;
/** Random, or a sealed ticket. */
const TOKEN = /^(?:sr_[\w-]{43}|pr_[\w.-]{43,200})$/;

export function sendSignInRequest(request: FastifyRequest, reply: FastifyReply, token: string): void {
  if (isFromApp(request)) setCookie(request, reply, token, MAX_AGE_SECONDS);
  else reply.header(HEADER, token);
}

/** Undefined if the client sent no token, or something that is not one. */
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
