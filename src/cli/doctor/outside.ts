/** Checks of servers on the internet: push services, and the time that they and the identity provider report. */
import type { Config } from '../../config.ts';
import { aheadMs, type Clock } from '../../lib/clock.ts';
import { type Check, fine, warning } from './check.ts';
import { checkOffset } from './clock-offset.ts';
import { findAheadOfServer } from './database.ts';
import { identityProvider } from './identity-provider.ts';

interface Answer {
  readonly origin: string;
  /** Undefined where the server sent no date, or where a cache answered. */
  readonly date: Date | undefined;
  readonly askedAt: Date;
  readonly answeredAt: Date;
}

const TIMEOUT_MS = 6_000;

/** Any answer counts, also an error status. Undefined where there was none. */
async function probe(origin: string, clock: Clock, signal: AbortSignal): Promise<Answer | undefined> {
  const askedAt = clock.now();
  try {
    const limited = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
    const { headers } = await fetch(origin, { method: 'HEAD', redirect: 'manual', signal: limited });
    const [date, age] = [headers.get('date'), headers.get('age')];
    return { origin, date: date && !age ? new Date(date) : undefined, askedAt, answeredAt: clock.now() };
  } catch {
    return undefined;
  }
}

const pushServices: Check = {
  name: 'push services',
  settings: ['WEB_PUSH_HOSTS'],
  run: async ({ config, clock }, signal) => {
    const origins = pushOrigins(config);
    if (origins.length === 0) return undefined;
    const answers = await Promise.all(origins.map((origin) => probe(origin, clock, signal)));
    const silent = origins.filter((_, index) => answers[index] === undefined);
    if (silent.length === 0) return fine(`${origins.map((origin) => new URL(origin).host).join(', ')} can be reached`);
    return warning(
      `${silent.join(', ')} cannot be reached`,
      'Let this machine connect to them, or remove them from WEB_PUSH_HOSTS.',
    );
  },
};

const MAX_PROBED = 3;

/** Without wildcard hosts, which cannot be probed. A host with a port other than 443 is taken to have no TLS. */
function pushOrigins({ WEB_PUSH_HOSTS }: Config): string[] {
  return WEB_PUSH_HOSTS.filter((host) => !host.startsWith('*'))
    .slice(0, MAX_PROBED)
    .map((host) => (/:\d+$/.test(host) && !host.endsWith(':443') ? `http://${host}` : `https://${host}`));
}

const TOLERATED_MS = 30_000;

/** Checks the clock that the service uses: on PostgreSQL the database's. Asks only servers that the service contacts anyway. */
const clock: Check = {
  name: 'clock',
  settings: ['FCM_ORIGIN', 'IDP_ISSUER', 'WEB_PUSH_HOSTS', 'DATABASE_URL'],
  run: async (context, signal) => {
    const { config, clock: ours } = context;
    const answers = await Promise.all(serverOrigins(config).map((origin) => probe(origin, ours, signal)));
    const aheadOfDatabase = await findAheadOfServer(context);
    const offsets = answers.flatMap((answer) => {
      if (!answer?.date) return [];
      const { origin, date, askedAt, answeredAt } = answer;
      const theirsMs = date.getTime() + (aheadOfDatabase ?? 0);
      return [{ origin, aheadMs: aheadMs(theirsMs, askedAt.getTime(), answeredAt.getTime()) }];
    });
    // One server that agrees is enough: a server whose own clock is wrong agrees with no other.
    const [best] = offsets.toSorted((a, b) => Math.abs(a.aheadMs) - Math.abs(b.aheadMs));
    if (best) {
      return checkOffset({
        clock: aheadOfDatabase === undefined ? "this machine's clock" : "the database server's clock",
        whose: new URL(best.origin).host,
        aheadMs: best.aheadMs,
        toleratedMs: TOLERATED_MS,
        remedy: 'Set it, and keep it right with NTP: sign-in, codes, push tokens and reminders depend on it.',
      });
    }
    if (config.DATABASE_URL.engine === 'postgres') return undefined;
    return warning('no server could be asked for the time', 'Make sure that this machine keeps its clock by NTP.');
  },
};

function serverOrigins(config: Config): string[] {
  const { FCM_SERVICE_ACCOUNT, FCM_ORIGIN, IDP_AUDIENCE, IDP_ISSUER } = config;
  return [
    ...(FCM_SERVICE_ACCOUNT ? [FCM_ORIGIN] : []),
    ...(IDP_AUDIENCE ? [new URL(IDP_ISSUER).origin] : []),
    ...pushOrigins(config),
  ];
}

export const outsideChecks: readonly Check[] = [pushServices, identityProvider, clock];
