/** The key pair that browsers know this service by: RFC 8292. */
import { createECDH, generateKeyPairSync } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

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
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, VAPID_KEY_FILE);
  try {
    writeFileSync(file, `${makePrivateKey()}\n`, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
  chmodSync(file, 0o600);
  return readVapidKeys(folder);
}

/** For whoever must not make one. Undefined where there is no file yet; throws where it holds no key. */
export function findVapidKeys(folder: string): VapidKeys | undefined {
  return existsSync(join(folder, VAPID_KEY_FILE)) ? readVapidKeys(folder) : undefined;
}

function readVapidKeys(folder: string): VapidKeys {
  const file = join(folder, VAPID_KEY_FILE);
  const privateKey = readFileSync(file, 'utf8').trim();
  const publicKey = findPublicKey(privateKey);
  if (publicKey === undefined)
    throw new Error(`${file} holds no key: restore it from a backup, or remove it to make a new one.`);
  return { publicKey, privateKey };
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
