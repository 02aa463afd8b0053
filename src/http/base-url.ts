import type { FastifyRequest } from 'fastify';
import { AppError } from '../lib/errors.ts';
import { LOOPBACK } from './allowed-hosts.ts';

const PLAIN_HOST = /^(?:[a-z0-9.-]+|\[[0-9a-f:]+\])(?::\d{1,5})?$/i;

/**
 * The base URL for links in an answer: the configured one, or the one that the caller used. The Host header
 * ends up in pages and headers, so only a plain host name or address is accepted, with a port that exists.
 */
export function baseUrlOfRequest({ protocol, host }: FastifyRequest, baseUrl: string | undefined): string {
  const isPlain = PLAIN_HOST.test(host) && URL.canParse(`http://${host}`);
  return baseUrl ?? `${protocol}://${isPlain ? host : 'localhost'}`;
}

/**
 * The name of this service as the authorization server of assistants. Undefined over plain HTTP, where others on the
 * network could read the code, except on the machine itself.
 */
export function issuerOf(request: FastifyRequest, baseUrl: string | undefined): string | undefined {
  const issuer = baseUrlOfRequest(request, baseUrl);
  return baseUrl?.startsWith('https:') || LOOPBACK.includes(new URL(issuer).hostname) ? issuer : undefined;
}

/** Throws where there is no such name. */
export function getIssuer(request: FastifyRequest, baseUrl: string | undefined): string {
  const issuer = issuerOf(request, baseUrl);
  if (issuer === undefined) throw new AppError('not_found', { sentence: 'Assistants connect over HTTPS only.' });
  return issuer;
}
