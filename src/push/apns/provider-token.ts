/**
 * The token that authenticates us to Apple: an ES256 JWT, signed with the team's key.
 *
 * Apple refuses a token that is older than an hour, and a connection on which the token changes more often
 * than every 20 minutes. The token is therefore renewed after 40 minutes, or when Apple reports it as expired.
 */
import { createPrivateKey, type KeyObject, sign } from 'node:crypto';
import type { Clock } from '../../lib/clock.ts';

const RENEW_AFTER_MS = 40 * 60_000;
/** Apple refuses a token from the future, so our clock may be this far ahead. */
const BACKDATED_SECONDS = 60;

export interface ProviderKey {
  /** A P-256 private key in PEM form. */
  readonly pem: string;
  readonly id: string;
}

export class ProviderToken {
  readonly #key: KeyObject;
  readonly #header: string;
  readonly #teamId: string;
  readonly #clock: Clock;
  #token: string | undefined;
  #issuedAtMs = 0;

  constructor(key: ProviderKey, teamId: string, clock: Clock) {
    this.#key = createPrivateKey(key.pem);
    this.#header = encode({ alg: 'ES256', kid: key.id });
    this.#teamId = teamId;
    this.#clock = clock;
  }

  current(): string {
    const nowMs = this.#clock.now().getTime();
    // `abs` covers a clock that was set back: that token is from the future.
    const isStale = Math.abs(nowMs - this.#issuedAtMs) >= RENEW_AFTER_MS;
    return this.#token === undefined || isStale ? this.#sign(nowMs) : this.#token;
  }

  /** Discards a refused token. Many pushes may report the same token; it is replaced once. */
  discard(refused: string): void {
    if (this.#token === refused) this.#token = undefined;
  }

  #sign(nowMs: number): string {
    const issuedAt = Math.floor(nowMs / 1_000) - BACKDATED_SECONDS;
    const signed = `${this.#header}.${encode({ iss: this.#teamId, iat: issuedAt })}`;
    const signature = sign('sha256', Buffer.from(signed), { key: this.#key, dsaEncoding: 'ieee-p1363' });
    this.#token = `${signed}.${signature.toString('base64url')}`;
    this.#issuedAtMs = nowMs;
    return this.#token;
  }
}

const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
