/** RFC 8291: only the browser that subscribed can read a push; the push service cannot. */
import { createECDH, type ECDH, randomBytes } from 'node:crypto';
import ece from 'http_ece';
import type { Target } from '../gateway.ts';
import { Undelivered } from '../undelivered.ts';

const PUBLIC_KEY_BYTES = 65;
const AUTH_BYTES = 16;

/** A key pair and a salt of its own for every push. Throws `Undelivered` where the browser's keys are none. */
export function encrypt(
  plaintext: string,
  keys: Target['keys'],
  privateKey: ECDH = makeKeyPair(),
  salt: Buffer = randomBytes(16),
): Buffer {
  const dh = Buffer.from(keys?.p256dh ?? '', 'base64url');
  const authSecret = Buffer.from(keys?.auth ?? '', 'base64url');
  if (dh.length !== PUBLIC_KEY_BYTES || authSecret.length !== AUTH_BYTES) throw badKeys();
  try {
    return ece.encrypt(Buffer.from(plaintext), { version: 'aes128gcm', dh, privateKey, salt, authSecret });
  } catch (error) {
    // Of the right length, but no point on the curve.
    throw badKeys(error);
  }
}

const badKeys = (cause?: unknown) => new Undelivered({ kind: 'rejected', reason: 'bad_subscription_keys' }, cause);

function makeKeyPair(): ECDH {
  const pair = createECDH('prime256v1');
  pair.generateKeys();
  return pair;
}
