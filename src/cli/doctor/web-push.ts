/** Checks the VAPID keys, and the address at which push services can contact the operator. */
import { vapidSubjectOf } from '../../compose/push.ts';
import type { Config } from '../../config.ts';
import { findVapidKeys } from '../../keys/vapid-keys.ts';
import { type Check, type Finding, fault, fine, reasonOf, warning } from './check.ts';

const webPush: Check = {
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
  run: async ({ config }) => {
    try {
      return checkKeys(config) ?? checkSubject(config);
    } catch (error) {
      return fault(
        reasonOf(error),
        'Restore vapid.key from a backup: with a new key no browser is reached until it subscribes again.',
      );
    }
  },
};

function checkKeys({ VAPID_PUBLIC_KEY, DATABASE_URL, DATA_DIR }: Config): Finding | undefined {
  if (VAPID_PUBLIC_KEY) return undefined;
  if (DATABASE_URL.engine === 'postgres')
    return warning(
      'no keys are set: browsers get no pushes',
      'Set VAPID_PUBLIC_KEY and VAPID_PRIVATE_KEY, the same for every process.',
    );
  return findVapidKeys(DATA_DIR) ? undefined : fine('the first start creates the keys in DATA_DIR');
}

function checkSubject(config: Config): Finding {
  const subject = vapidSubjectOf(config);
  if (!/@localhost$|\/\/localhost/.test(subject)) return fine(`the keys are there; the contact is ${subject}`);
  return warning(
    `the contact for push services is ${subject}, and Apple accepts no push with that`,
    'Set VAPID_SUBJECT to an address of yours.',
  );
}

export const webPushChecks: readonly Check[] = [webPush];
