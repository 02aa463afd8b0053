/**
 * Tells a push service who sends: a token signed for its origin, good for half a day. It is signed
 * once and used for every push there; signing each would add a quarter to what encrypting it costs.
 */
import { createPrivateKey, type KeyObject } from 'node:crypto';
import type { Clock } from '../../lib/clock.ts';
import { findPublicKey, type VapidKeys } from './vapid-keys.ts';

const LIFE_SECONDS = 12 * 3_600;
/** The other clock may be ahead of ours. */
const MARGIN_SECONDS = 3_600;
/** Under a wildcard anyone can think up origins. */
const MOST_ORIGINS = 1_000;

export class VapidHeaders {
  readonly #publicKey: string;
  readonly #signingKey: KeyObject;
  readonly #subject: string;
  readonly #clock: Clock;
  readonly #signed = new Map<string, { readonly header: Promise<string>; readonly renewAt: number }>();

  /** Throws where the keys are not a pair. */
  constructor(keys: VapidKeys, subject: string, clock: Clock) {
    if (findPublicKey(keys.privateKey) !== keys.publicKey)
      throw new Error('VAPID_PUBLIC_KEY does not belong to VAPID_PRIVATE_KEY.');
    this.#publicKey = keys.publicKey;
    this.#signingKey = signingKeyOf(keys);
    this.#subject = subject;
    this.#clock = clock;
  }

  async headerFor(origin: string): Promise<string> {
    const now = Math.floor(this.#clock.now().getTime() / 1_000);
    const known = this.#signed.get(origin);
    if (known && now < known.renewAt) return known.header;
    const [oldest] = this.#signed.keys();
    if (this.#signed.size >= MOST_ORIGINS && oldest !== undefined) this.#signed.delete(oldest);
    const header = this.#sign(origin, now + LIFE_SECONDS);
    this.#signed.set(origin, { header, renewAt: now + LIFE_SECONDS - MARGIN_SECONDS });
    return header;
  }

  async #sign(origin: string, expiresAtSeconds: number): Promise<string> {
    const { SignJWT } = await import('jose');
    const token = await new SignJWT({ aud: origin, exp: expiresAtSeconds, sub: this.#subject })
      .setProtectedHeader({ alg: 'ES256', typ: 'JWT' })
      .sign(this.#signingKey);
    return `vapid t=${token}, k=${this.#publicKey}`;
  }
}

function signingKeyOf({ publicKey, privateKey }: VapidKeys): KeyObject {
  const point = Buffer.from(publicKey, 'base64url');
  const x = point.subarray(1, 33).toString('base64url');
  const y = point.subarray(33).toString('base64url');
  return createPrivateKey({ format: 'jwk', key: { kty: 'EC', crv: 'P-256', x, y, d: privateKey } });
}
