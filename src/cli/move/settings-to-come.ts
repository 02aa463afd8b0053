/** What has to be set for a service on PostgreSQL that was made from the embedded database. No secret is repeated. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../config.ts';
import { SECRET_KEY_FILE } from '../../lib/secret-key.ts';
import { findPublicKey, VAPID_KEY_FILE } from '../../push/web-push/vapid-keys.ts';

export interface ToSet {
  readonly name: string;
  readonly value: string;
}

export function settingsToCome(config: Config): ToSet[] {
  return [{ name: 'DATABASE_URL', value: 'the URL that you gave' }, ...secretKeys(config), ...vapidKeys(config)];
}

function secretKeys({ SECRET_KEY, DATA_DIR }: Config): ToSet[] {
  if (SECRET_KEY !== undefined) return [{ name: 'SECRET_KEY', value: 'as it is set now' }];
  const file = join(DATA_DIR, SECRET_KEY_FILE);
  const keys = existsSync(file)
    ? readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line.trim())
    : [];
  const older = { name: 'SECRET_KEY_OLD', value: `the other lines of ${file}, with commas between them` };
  return [{ name: 'SECRET_KEY', value: `the first line of ${file}` }, ...(keys.length > 1 ? [older] : [])];
}

function vapidKeys({ VAPID_PUBLIC_KEY, DATA_DIR }: Config): ToSet[] {
  const file = join(DATA_DIR, VAPID_KEY_FILE);
  const asNow = 'as it is set now';
  const publicKey = existsSync(file) ? findPublicKey(readFileSync(file, 'utf8').trim()) : undefined;
  if (VAPID_PUBLIC_KEY === undefined && publicKey === undefined) return [];
  const isSet = VAPID_PUBLIC_KEY !== undefined;
  return [
    { name: 'VAPID_PUBLIC_KEY', value: isSet ? asNow : (publicKey ?? '') },
    { name: 'VAPID_PRIVATE_KEY', value: isSet ? asNow : `the content of ${file}` },
  ];
}
