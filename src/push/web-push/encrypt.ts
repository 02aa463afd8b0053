/** Encrypts a push by RFC 8291: only the browser that subscribed can read it, not the push service. */
import { createECDH, type ECDH, randomBytes } from 'node:crypto';
import ece from 'http_ece';
import type { Target } from '../gateway.ts';
import { PushError } from '../push-error.ts';

const PUBLIC_KEY_BYTES = 65;
const AUTH_BYTES = 16;

/** Every push has its own key pair and salt. Throws `PushError` if the browser's keys are unusable. */
export function encrypt(
  plaintext: string,
  keys: Target['keys'],
  privateKey: ECDH = generateKeyPair(),
  salt: Buffer = randomBytes(16),
): Buffer {
  const dh = Buffer.from(keys?.p256dh ?? '', 'base64url');
  const authSecret = Buffer.from(keys?.auth ?? '', 'base64url');
  if (dh.length !== PUBLIC_KEY_BYTES || authSecret.length !== AUTH_BYTES) throw badKeys();
  try {
    return ece.encrypt(Buffer.from(plaintext), { version: 'aes128gcm', dh, privateKey, salt, authSecret });
  } catch (error) {
    // The key has the right length but is not a point on the curve. Any other error says nothing about the device.
    if (isInvalidPoint(error)) throw badKeys(error);
    throw new PushError({ kind: 'rejected', reason: 'unsendable' }, error);
  }
}

const isInvalidPoint = (error: unknown) =>
  error instanceof Error && 'code' in error && error.code === 'ERR_CRYPTO_ECDH_INVALID_PUBLIC_KEY';

const badKeys = (cause?: unknown) => new PushError({ kind: 'gone', reason: 'bad_subscription_keys' }, cause);

function generateKeyPair(): ECDH {
  const pair = createECDH('prime256v1');
  pair.generateKeys();
  return pair;
}
