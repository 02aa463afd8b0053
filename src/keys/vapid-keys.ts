/** The VAPID key pair, which identifies this service to browser push services (RFC 8292). */
import { createECDH, generateKeyPairSync } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readKeyFile, readOrMakeKeyFile, UnusableKeyError } from './key-file.ts';

export const VAPID_KEY_FILE = 'vapid.key';

/** Both base64url: the public key is an uncompressed point, the private key a number. */
export interface VapidKeys {
  readonly publicKey: string;
  readonly privateKey: string;
}

/**
 * The file has the private key only; the public key is derived. Every subscription is bound to the pair,
 * so without the file no browser is reached until it subscribes again. Every backup contains it.
 */
export function readOrMakeVapidKeys(folder: string): VapidKeys {
  const file = join(folder, VAPID_KEY_FILE);
  return keysIn(file, readOrMakeKeyFile(file, makePrivateKey));
}

/** Never makes a key. Undefined if there is no file; throws if the file has no key. */
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
    'Restore it from a backup: with a new one every browser would have to subscribe again.',
  );
}

export function makeVapidKeys(): VapidKeys {
  const privateKey = makePrivateKey();
  return { privateKey, publicKey: findPublicKey(privateKey) as string };
}

/** Exported as JWK because other formats drop leading zeros. */
const makePrivateKey = () =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' }).d as string;

/** Undefined if the text is not a P-256 private key. */
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
