/**
 * Notices a proxy that TRUST_PROXY does not name. Behind one, all callers seem to have the proxy's address: they
 * share its throttles, and audit lines name the wrong address. A stranger can send the same headers, so the line
 * is a hint, at most a few are logged per day, and nothing else depends on it.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Clock } from '../lib/clock.ts';
import { DailyNotices } from '../lib/daily-notices.ts';

export function noticeUntrustedProxies(app: FastifyInstance, clock: Clock): void {
  const notices = new DailyNotices(clock);
  app.addHook('onRequest', (request, _reply, done) => {
    const header = findForwardedHeader(request);
    if (header !== undefined) {
      const peer = request.socket.remoteAddress ?? 'unknown';
      if (notices.isDue(peer)) request.log.warn({ peer, header, setting: 'TRUST_PROXY' }, messageFor(header, peer));
    }
    done();
  });
}

/** The header in which the peer passes on the address of its caller, if that address was not taken. */
function findForwardedHeader(request: FastifyRequest): string | undefined {
  const { headers } = request;
  if (!headers['x-forwarded-for'] && !headers.forwarded) return undefined;
  // Fastify lists the peer, and behind it the addresses that a trusted peer passed on.
  if ((request.ips?.length ?? 0) > 1) return undefined;
  return headers['x-forwarded-for'] ? 'X-Forwarded-For' : 'Forwarded';
}

const messageFor = (header: string, peer: string) =>
  header === 'Forwarded'
    ? `${peer} sent Forwarded, which is not read: if it is your proxy, let it send X-Forwarded-For`
    : `${peer} sent X-Forwarded-For and is not in TRUST_PROXY, so all its callers count as one: if it is your proxy, add it`;
