import type { FastifyRequest } from 'fastify';

const PLAIN_HOST = /^(?:[a-z0-9.-]+|\[[0-9a-f:]+\])(?::\d{1,5})?$/i;

/**
 * The base URL for links in an answer: the configured one, or the one that the caller used. The Host header
 * ends up in pages and headers, so only a plain host name or address is accepted.
 */
export function baseUrlOfRequest({ protocol, host }: FastifyRequest, baseUrl: string | undefined): string {
  return baseUrl ?? `${protocol}://${PLAIN_HOST.test(host) ? host : 'localhost'}`;
}
