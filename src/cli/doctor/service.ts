/** Settings that are right by themselves and still not what somebody wants. */
import { baseUrlOf, type Config } from '../../config.ts';
import { type Check, fine, warning } from './check.ts';

const runtime: Check = {
  name: 'runtime',
  settings: [],
  look: async ({ version }) => fine(`Crescendo ${version} on Node.js ${process.versions.node}, ${process.platform}`),
};

const pace: Check = {
  name: 'pace',
  settings: ['CLOCK_SPEED'],
  look: async ({ config: { CLOCK_SPEED } }) =>
    CLOCK_SPEED === 1
      ? undefined
      : warning(
          `reminders run ${CLOCK_SPEED} times as fast as the clock`,
          'Remove CLOCK_SPEED, unless this is a demonstration.',
        ),
};

/** The audit lines are of the level "info". */
const log: Check = {
  name: 'log',
  settings: ['LOG_LEVEL'],
  look: async ({ config: { LOG_LEVEL } }) =>
    ['info', 'debug', 'trace'].includes(LOG_LEVEL)
      ? undefined
      : warning(`LOG_LEVEL=${LOG_LEVEL} keeps no audit lines`, 'Set LOG_LEVEL to info.'),
};

const proxy: Check = {
  name: 'proxy',
  settings: ['TRUST_PROXY', 'BASE_URL', 'HOST'],
  look: async ({ config }) => {
    const { TRUST_PROXY } = config;
    if (TRUST_PROXY === false && baseUrlOf(config, config.PORT).startsWith('https:')) {
      return warning(
        'TRUST_PROXY is false while something in front ends TLS: all callers seem to be that one',
        "Set TRUST_PROXY to the proxy's address, so that throttles count callers and not the proxy.",
      );
    }
    if (typeof TRUST_PROXY === 'number' && isOpen(config)) {
      return warning(
        `TRUST_PROXY=${TRUST_PROXY} believes whoever reaches the service directly, and HOST lets everybody`,
        "Name the proxy's addresses in TRUST_PROXY, or let only the proxy reach the port.",
      );
    }
    return fine(TRUST_PROXY === false ? 'no proxy is believed' : 'the proxies in TRUST_PROXY are believed');
  },
};

const isOpen = ({ HOST }: Config) => HOST === '0.0.0.0' || HOST === '::';

const SHORTEST_SECRET = 16;

const billing: Check = {
  name: 'billing',
  settings: ['BILLING_WEBHOOK_SECRET', 'BILLING_SIGNING_SECRET'],
  look: async ({ config: { BILLING_WEBHOOK_SECRET: secret } }) => {
    if (secret === undefined) return fine('the webhook is off');
    return secret.length >= SHORTEST_SECRET
      ? fine('the webhook has its secret')
      : warning(
          `BILLING_WEBHOOK_SECRET is shorter than ${SHORTEST_SECRET} characters`,
          'Whoever guesses it can give away plans: make it longer, here and at the provider.',
        );
  },
};

const monitoring: Check = {
  name: 'monitoring',
  settings: ['METRICS_TOKEN', 'HEARTBEAT_URL'],
  look: async ({ config: { METRICS_TOKEN, HEARTBEAT_URL } }) => {
    const parts = [...(METRICS_TOKEN ? ['metrics'] : []), ...(HEARTBEAT_URL ? ['a heartbeat'] : [])];
    return fine(parts.length === 0 ? 'neither metrics nor a heartbeat are set up' : `${parts.join(' and ')} set up`);
  },
};

export const serviceChecks: readonly Check[] = [runtime, pace, log, proxy, billing, monitoring];
