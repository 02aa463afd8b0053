/**
 * Remembers in the browser which link it was given to connect a channel, so that a provider which sends the person back
 * can tell that browser from another one. The cookie is `SameSite=Lax`, because the way back starts at another site.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { hashToken } from '../../lib/secrets.ts';
import { findCookie, isFromApp, isSecure } from './app-session.ts';

/** As long as the link works. */
const MAX_AGE_SECONDS = 1_800;

export function rememberLink(request: FastifyRequest, reply: FastifyReply, link: string | null): void {
  if (link === null || !isFromApp(request)) return;
  const secure = isSecure(request) ? '; Secure' : '';
  const attributes = `Path=/v1/hooks; HttpOnly; SameSite=Lax; Max-Age=${MAX_AGE_SECONDS}${secure}`;
  reply.header('set-cookie', `${cookieName(request)}=${hashToken(link)}; ${attributes}`);
}

export const findRememberedLink = (request: FastifyRequest): string | undefined =>
  findCookie(request, cookieName(request));

const cookieName = (request: FastifyRequest) => (isSecure(request) ? '__Secure-crescendo-link' : 'crescendo-link');
