/**
 * Authenticates the billing provider by the configured Authorization value and, if a signing secret is
 * set, by a signature over the bytes of the body. The signature's timestamp is compared with real time,
 * so an intercepted call cannot be replayed for long.
 */
import { createHmac } from 'node:crypto';
import type { Clock } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { isEqualSecret } from '../lib/secrets.ts';

const TOLERANCE_MS = 5 * 60_000;

interface Secrets {
  /** The whole Authorization value; undefined if no provider is configured. */
  readonly authorization: string | undefined;
  readonly signing: string | undefined;
}

export class WebhookGate {
  readonly #secrets: Secrets;
  readonly #clock: Clock;

  constructor(secrets: Secrets, clock: Clock) {
    this.#secrets = secrets;
    this.#clock = clock;
  }

  /** Called before the body is read. */
  checkAuthorization(given: string | undefined): void {
    const { authorization } = this.#secrets;
    if (authorization === undefined) throw new AppError('billing_not_configured');
    if (!isEqualSecret(given ?? '', authorization)) throw new AppError('wrong_billing_secret');
  }

  checkSignature(header: string | undefined, body: Buffer): void {
    const { signing } = this.#secrets;
    if (signing === undefined) return;
    const { time, signatures } = readHeader(header ?? '');
    const expected = createHmac('sha256', signing).update(`${time}.`).update(body).digest('hex');
    const isSigned = signatures.some((signature) => isEqualSecret(signature, expected));
    if (!isSigned || !this.#isFresh(time)) throw new AppError('wrong_billing_signature');
  }

  #isFresh(time: string): boolean {
    const signedAt = /^\d{1,12}$/.test(time) ? Number(time) * 1_000 : Number.NaN;
    return Math.abs(this.#clock.now().getTime() - signedAt) <= TOLERANCE_MS;
  }
}

/** `t=1700000000,v1=hex`; while a secret is rotated there may be one `v1` per secret. */
function readHeader(header: string): { time: string; signatures: string[] } {
  const parts = header.split(',').map((part) => part.trim());
  const valuesOf = (name: string) =>
    parts.filter((part) => part.startsWith(name)).map((part) => part.slice(name.length));
  return { time: valuesOf('t=')[0] ?? '', signatures: valuesOf('v1=').map((hex) => hex.toLowerCase()) };
}
