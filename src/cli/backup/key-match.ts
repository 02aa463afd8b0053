/** Whether a service with these settings could read what a backup holds. */
import { isKeyOfData } from '../../accounts/key-judgement.ts';
import type { Config } from '../../config.ts';
import { SECRET_KEY_FILE } from '../../lib/secret-key.ts';
import { findPublicKey, VAPID_KEY_FILE } from '../../push/web-push/vapid-keys.ts';
import { keyIdsIn, readKeys, secretKeyIds } from './contents.ts';
import type { Inspected } from './inspect.ts';

/** Undefined where the keys fit; else one sentence. */
export const findOtherKey = (config: Config, backup: Inspected): string | undefined =>
  findOtherSecretKey(config, backup) ?? findOtherVapidKey(config, backup);

/**
 * A file that the backup brings along is what the service will have, unless the environment, which it
 * believes before the file, says something else. What the database in it names outweighs what the
 * backup was told when it was made.
 */
function findOtherSecretKey(config: Config, { files, secretKeyId, namedKeyIds }: Inspected): string | undefined {
  const file = files[SECRET_KEY_FILE];
  const isBrought = config.SECRET_KEY === undefined && file !== undefined;
  const known = isBrought ? keyIdsIn(file) : secretKeyIds(config);
  if (isBrought && known.length === 0) return `The ${SECRET_KEY_FILE} in this backup holds no key: use another backup.`;
  const told = secretKeyId === null ? [] : [secretKeyId];
  if (isKeyOfData(namedKeyIds.length > 0 ? namedKeyIds : told, known)) return undefined;
  if (isBrought)
    return `The ${SECRET_KEY_FILE} in this backup is not the key of the database in it, so no second factor would work.`;
  const remedy = remedyFor(file !== undefined);
  return `SECRET_KEY is not the key this backup was made with, so no second factor would work: ${remedy}.`;
}

function findOtherVapidKey(config: Config, { files, vapidPublicKey }: Inspected): string | undefined {
  const file = files[VAPID_KEY_FILE];
  const isBrought = config.VAPID_PUBLIC_KEY === undefined && file !== undefined;
  if (isBrought)
    return findPublicKey(file.trim()) === undefined
      ? `The ${VAPID_KEY_FILE} in this backup holds no key: use another backup.`
      : undefined;
  if (vapidPublicKey === null || readKeys(config).vapidPublicKey === vapidPublicKey) return undefined;
  const remedy = remedyFor(file !== undefined);
  return `VAPID_PRIVATE_KEY is not the key this backup was made with, so no browser would be reached: ${remedy}.`;
}

const remedyFor = (isInBackup: boolean) =>
  isInBackup ? 'leave it unset, since the backup brings its own' : 'set it as it was then';
