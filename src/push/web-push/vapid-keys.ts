/** The key pair that browsers know this service by: RFC 8292. */
import { createECDH, generateKeyPairSync } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readKeyFile, readOrMakeKeyFile, UnusableKeyError } from '../../lib/key-file.ts';

export const VAPID_KEY_FILE = 'vapid.key';

/** Both base64url: the public one an uncompressed point, the private one its number. */
export interface VapidKeys {
  readonly publicKey: string;
  readonly privateKey: string;
}

/**
 * Only the private key is kept: the public one follows from it. Every subscription is bound to the
 * pair, so losing the file silences every browser until it subscribes anew: it belongs into the backup.
 */
export function readOrMakeVapidKeys(folder: string): VapidKeys {
  const file = join(folder, VAPID_KEY_FILE);
  return keysIn(file, readOrMakeKeyFile(file, makePrivateKey));
}

/** For whoever must not make one. Undefined where there is no file yet; throws where it holds no key. */
export function findVapidKeys(folder: string): VapidKeys | undefined {
  const file = join(folder, VAPID_KEY_FILE);
  return existsSync(file) ? keysIn(file, readKeyFile(file)) : undefined;
}

function keysIn(file: string, text: string): VapidKeys {
  const privateKey = text.trim();
  const publicKey = findPublicKey(privateKey);
  if (publicKey !== undefined) return { publicKey, privateKey };
  throw new UnusableKeyError(
    `${file} holds no key`,
    'Restore it from a backup: with a new one every browser would have to subscribe anew.',
  );
}

export function makeVapidKeys(): VapidKeys {
  const privateKey = makePrivateKey();
  return { privateKey, publicKey: findPublicKey(privateKey) as string };
}

/** As a JWK the number always has its 32 bytes; other exports drop leading zeros. */
const makePrivateKey = () =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' }).d as string;

/** Undefined where the text is no private key of P-256. */
export function findPublicKey(privateKey: string): string | undefined {
  if (!/^[\w-]{43}$/.test(privateKey)) return undefined;
  const curve = createECDH('prime256v1');
  try {
    curve.setPrivateKey(privateKey, 'base64url');
    return curve.getPublicKey('base64url');
  } catch {
    return undefined;
  }
}
