/** Whether a service with these settings could read what a backup holds. */
import type { Config } from '../../config.ts';
import { SECRET_KEY_FILE } from '../../lib/secret-key.ts';
import { VAPID_KEY_FILE } from '../../push/web-push/vapid-keys.ts';
import { type Keys, readKeys, secretKeyIds } from './contents.ts';

/**
 * Undefined where the keys fit; else one sentence. A key file that the backup brings along fits
 * unless the environment, which the service believes before the file, says something else.
 */
export function findOtherKey(config: Config, backup: Keys): string | undefined {
  const { SECRET_KEY, VAPID_PUBLIC_KEY } = config;
  const { secretKeyId, vapidPublicKey, files } = backup;
  const bringsSecret = SECRET_KEY === undefined && SECRET_KEY_FILE in files;
  if (!bringsSecret && secretKeyId !== null && !secretKeyIds(config).includes(secretKeyId)) {
    const remedy = remedyFor(SECRET_KEY_FILE in files);
    return `SECRET_KEY is not the key this backup was made with, so no second factor would work: ${remedy}.`;
  }
  const bringsVapid = VAPID_PUBLIC_KEY === undefined && VAPID_KEY_FILE in files;
  if (!bringsVapid && vapidPublicKey !== null && readKeys(config).vapidPublicKey !== vapidPublicKey) {
    const remedy = remedyFor(VAPID_KEY_FILE in files);
    return `VAPID_PRIVATE_KEY is not the key this backup was made with, so no browser would be reached: ${remedy}.`;
  }
  return undefined;
}

const remedyFor = (isInBackup: boolean) =>
  isInBackup ? 'leave it unset, since the backup brings its own' : 'set it as it was then';
