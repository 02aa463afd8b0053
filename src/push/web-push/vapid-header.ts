/**
 * Authenticates us to a push service with a token that is signed for its origin and valid for 12 hours. The
 * token is reused for every push to that origin: signing each push would add a quarter to the cost of encryption.
 */

import { createPrivateKey, type KeyObject } from 'node:crypto';
import { findPublicKey, type VapidKeys } from '../../keys/vapid-keys.ts';
import { BoundedMap } from '../../lib/bounded-map.ts';
import type { Clock } from '../../lib/clock.ts';

const LIFETIME_SECONDS = 12 * 3_600;
/** The clock of the push service may be ahead of ours. */
const MARGIN_SECONDS = 3_600;
/** Clients can invent any number of origins under a wildcard of the allow-list. */
const MAX_ORIGINS = 1_000;

export class VapidHeaders {
  readonly #publicKey: string;
  readonly #signingKey: KeyObject;
  readonly #subject: string;
  readonly #clock: Clock;
  readonly #signed = new BoundedMap<string, { readonly header: Promise<string>; readonly renewAtSeconds: number }>(
    MAX_ORIGINS,
  );

  /** Throws if the keys are not a pair. */
  constructor(keys: VapidKeys, subject: string, clock: Clock) {
    if (findPublicKey(keys.privateKey) !== keys.publicKey)
      throw new Error('VAPID_PUBLIC_KEY does not belong to VAPID_PRIVATE_KEY.');
    this.#publicKey = keys.publicKey;
    this.#signingKey = signingKeyOf(keys);
    this.#subject = subject;
    this.#clock = clock;
  }

  async headerFor(origin: string): Promise<string> {
    const nowSeconds = Math.floor(this.#clock.now().getTime() / 1_000);
    const cached = this.#signed.get(origin);
    if (cached && nowSeconds < cached.renewAtSeconds) return cached.header;
    const expiresAtSeconds = nowSeconds + LIFETIME_SECONDS;
    const header = this.#sign(origin, expiresAtSeconds);
    this.#signed.set(origin, { header, renewAtSeconds: expiresAtSeconds - MARGIN_SECONDS });
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
