/** Whether browsers can be pushed to: the keys they know us by, whom a push service may write to, and the way there. */
import { vapidSubjectOf } from '../../compose-push.ts';
import type { Config } from '../../config.ts';
import { findVapidKeys } from '../../push/web-push/vapid-keys.ts';
import { type Check, type Finding, fault, fine, reasonOf, warning } from './check.ts';
import { glimpse } from './outside.ts';

const keys: Check = {
  name: 'Web Push',
  settings: [
    'VAPID_PUBLIC_KEY',
    'VAPID_PRIVATE_KEY',
    'VAPID_SUBJECT',
    'BASE_URL',
    'MAIL_FROM',
    'DATA_DIR',
    'DATABASE_URL',
  ],
  look: async ({ config }) => {
    try {
      return lookAtKeys(config) ?? lookAtSubject(config);
    } catch (error) {
      return fault(
        reasonOf(error),
        'Restore vapid.key from a backup; a new one silences every browser until it subscribes anew.',
      );
    }
  },
};

function lookAtKeys({ VAPID_PUBLIC_KEY, DATABASE_URL, DATA_DIR }: Config): Finding | undefined {
  if (VAPID_PUBLIC_KEY) return undefined;
  if (DATABASE_URL.engine === 'postgres')
    return warning(
      'no keys are set: browsers are not pushed to',
      'Set VAPID_PUBLIC_KEY and VAPID_PRIVATE_KEY, the same for every process.',
    );
  return findVapidKeys(DATA_DIR) ? undefined : fine('the first start makes the keys and keeps them in DATA_DIR');
}

function lookAtSubject(config: Config): Finding {
  const subject = vapidSubjectOf(config);
  if (!/@localhost$|\/\/localhost/.test(subject)) return fine(`the keys are there; ${subject} can be written to`);
  return warning(
    `push services are told to write to ${subject}, and Apple takes no push with that`,
    'Set VAPID_SUBJECT to an address of yours.',
  );
}

const reach: Check = {
  name: 'push services',
  settings: ['WEB_PUSH_HOSTS'],
  look: async ({ config, clock }, signal) => {
    const origins = pushOrigins(config);
    if (origins.length === 0) return undefined;
    const answers = await Promise.all(origins.map((origin) => glimpse(origin, clock, signal)));
    const silent = origins.filter((_, index) => answers[index] === undefined);
    if (silent.length === 0) return fine(`${origins.map((origin) => new URL(origin).host).join(', ')} can be reached`);
    return warning(
      `${silent.join(', ')} cannot be reached`,
      'Let this machine connect to them, or take them out of WEB_PUSH_HOSTS.',
    );
  },
};

const MOST_ASKED = 3;

/** Those named in full: what a star stands for cannot be asked. One with another port may well be without TLS. */
export function pushOrigins({ WEB_PUSH_HOSTS }: Config): string[] {
  const named = WEB_PUSH_HOSTS.filter((host) => !host.startsWith('*'));
  return named
    .slice(0, MOST_ASKED)
    .map((host) => (/:\d+$/.test(host) && !host.endsWith(':443') ? `http://${host}` : `https://${host}`));
}

export const webPushChecks: readonly Check[] = [keys, reach];
