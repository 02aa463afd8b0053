/** Where the service is reached, as an answer may say it: as configured, or as the caller wrote it. */
import type { FastifyRequest } from 'fastify';

const PLAIN_HOST = /^(?:[a-z0-9.-]+|\[[0-9a-f:]+\])(?::\d{1,5})?$/i;

/** What a caller wrote ends up in pages and headers, so nothing but a plain host passes. */
export function ownAddress({ protocol, host }: FastifyRequest, baseUrl: string | undefined): string {
  return baseUrl ?? `${protocol}://${PLAIN_HOST.test(host) ? host : 'localhost'}`;
}
