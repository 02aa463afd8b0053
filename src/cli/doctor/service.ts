/** Checks settings that are valid but may not be what the operator intends. */
import { findSettingWarnings } from '../../compose/start-warnings.ts';
import { baseUrlOf, type Config } from '../../config.ts';
import { type Check, fine, warning } from './check.ts';

const runtime: Check = {
  name: 'runtime',
  settings: [],
  run: async ({ version }) => fine(`Crescendo ${version} on Node.js ${process.versions.node}, ${process.platform}`),
};

const clockSpeed: Check = {
  name: 'clock speed',
  settings: ['CLOCK_SPEED'],
  run: async ({ config: { CLOCK_SPEED } }) =>
    CLOCK_SPEED === 1
      ? undefined
      : warning(
          `reminders run ${CLOCK_SPEED} times as fast as real time`,
          'Remove CLOCK_SPEED, unless this is a demonstration.',
        ),
};

/** Audit lines have the level "info". */
const log: Check = {
  name: 'log',
  settings: ['LOG_LEVEL'],
  run: async ({ config: { LOG_LEVEL } }) =>
    ['info', 'debug', 'trace'].includes(LOG_LEVEL)
      ? undefined
      : warning(`LOG_LEVEL=${LOG_LEVEL} drops the audit lines`, 'Set LOG_LEVEL to info.'),
};

const proxy: Check = {
  name: 'proxy',
  settings: ['TRUST_PROXY', 'BASE_URL', 'HOST'],
  run: async ({ config }) => {
    const { TRUST_PROXY } = config;
    if (TRUST_PROXY === false && baseUrlOf(config, config.PORT).startsWith('https:')) {
      return warning(
        'TRUST_PROXY is false, but BASE_URL has TLS, so there is a proxy: all callers seem to come from its address',
        "Set TRUST_PROXY to the proxy's address, so that throttles count callers and not the proxy.",
      );
    }
    if (typeof TRUST_PROXY === 'number' && isOpen(config)) {
      return warning(
        `TRUST_PROXY=${TRUST_PROXY} also trusts callers who reach the service directly, and HOST allows all of them`,
        "Name the proxy's addresses in TRUST_PROXY, or let only the proxy reach the port.",
      );
    }
    return fine(TRUST_PROXY === false ? 'no proxy is trusted' : 'the proxies in TRUST_PROXY are trusted');
  },
};

const isOpen = ({ HOST }: Config) => HOST === '0.0.0.0' || HOST === '::';

const signUp: Check = {
  name: 'sign-up',
  settings: ['SIGN_UP', 'SIGN_UP_DOMAINS', 'BASE_URL'],
  run: async ({ config }) => {
    const open = findSettingWarnings(config).find(({ setting }) => setting === 'SIGN_UP');
    return open && warning(open.says, open.remedy);
  },
};

const billing: Check = {
  name: 'billing',
  settings: ['BILLING_WEBHOOK_SECRET', 'BILLING_SIGNING_SECRET'],
  run: async ({ config: { BILLING_WEBHOOK_SECRET: secret } }) =>
    fine(secret === undefined ? 'the webhook is off' : 'the webhook has a secret'),
};

const monitoring: Check = {
  name: 'monitoring',
  settings: ['METRICS_TOKEN', 'HEARTBEAT_URL'],
  run: async ({ config: { METRICS_TOKEN, HEARTBEAT_URL } }) => {
    const parts = [...(METRICS_TOKEN ? ['metrics'] : []), ...(HEARTBEAT_URL ? ['a heartbeat'] : [])];
    return fine(parts.length === 0 ? 'neither metrics nor a heartbeat is set up' : `${parts.join(' and ')} set up`);
  },
};

export const serviceChecks: readonly Check[] = [runtime, clockSpeed, log, proxy, signUp, billing, monitoring];
