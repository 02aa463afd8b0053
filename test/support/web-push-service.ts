/**
 * A fake push service, such as browser makers run, over real HTTP. It creates subscriptions, accepts only a valid
 * VAPID token, and decrypts each push with its own implementation of RFC 8291, which a real one cannot do.
 */
import { createDecipheriv, createECDH, type ECDH, hkdfSync, randomBytes, randomUUID } from 'node:crypto';
import { importJWK, jwtVerify } from 'jose';
import type { FakeClock } from './fake-clock.ts';
import type { ScriptedAnswer } from './faults.ts';
import { HttpRecorder, type Recorded } from './http-recorder.ts';

const MAX_VAPID_LIFETIME_SECONDS = 24 * 3_600;
const MAX_BYTES = 4_096;

export interface Subscription {
  readonly endpoint: string;
  readonly keys: { readonly p256dh: string; readonly auth: string };
}

interface ReceivedPush {
  readonly endpoint: string;
  readonly ttl: number;
  readonly urgency: string | undefined;
  readonly topic: string | undefined;
  /** The VAPID header of the request. */
  readonly authorization: string;
  readonly subject: string | undefined;
  readonly bodyBytes: number;
  /** The decrypted payload, as the browser would pass it to the service worker. */
  readonly payload: unknown;
}

interface Subscriber {
  readonly keyPair: ECDH;
  readonly auth: Buffer;
  readonly applicationServerKey: string | undefined;
}

export class FakeWebPush implements AsyncDisposable {
  readonly #clock: FakeClock;
  readonly #subscribers = new Map<string, Subscriber>();
  readonly server: HttpRecorder;
  /** The accepted pushes, oldest first. */
  readonly pushes: ReceivedPush[] = [];

  private constructor(clock: FakeClock, server: HttpRecorder) {
    this.#clock = clock;
    this.server = server;
    server.respondTo = (request) => this.#accept(request);
  }

  static async start(clock: FakeClock): Promise<FakeWebPush> {
    return new FakeWebPush(clock, await HttpRecorder.start());
  }

  /** The settings of a service that sends to this server. */
  get settings(): Record<string, string> {
    return { WEB_PUSH_HOSTS: this.server.host };
  }

  /** Subscribes a browser. With a key, only pushes that are signed with that key are accepted. */
  subscribe(applicationServerKey?: string): Subscription {
    const keyPair = createECDH('prime256v1');
    keyPair.generateKeys();
    const auth = randomBytes(16);
    const path = `/push/${randomUUID()}`;
    this.#subscribers.set(path, { keyPair, auth, applicationServerKey });
    return {
      endpoint: `${this.server.origin}${path}`,
      keys: { p256dh: keyPair.getPublicKey('base64url'), auth: auth.toString('base64url') },
    };
  }

  unsubscribe({ endpoint }: Subscription): void {
    this.#subscribers.delete(new URL(endpoint).pathname);
  }

  async #accept({ path, headers, bytes: body }: Recorded): Promise<ScriptedAnswer> {
    const { ttl, urgency, topic, authorization = '' } = headers;
    const subscriber = this.#subscribers.get(path);
    if (!subscriber) return { status: 410 };
    if (!/^\d+$/.test(String(ttl)) || headers['content-encoding'] !== 'aes128gcm') return { status: 400 };
    if (topic !== undefined && !/^[\w-]{1,32}$/.test(String(topic))) return { status: 400 };
    if (body.length > MAX_BYTES) return { status: 413 };
    const sender = await this.#verifyVapid(authorization);
    if (!sender) return { status: 401 };
    if (subscriber.applicationServerKey && subscriber.applicationServerKey !== sender.key) return { status: 403 };
    this.pushes.push({
      endpoint: `${this.server.origin}${path}`,
      ttl: Number(ttl),
      urgency: urgency as string | undefined,
      topic: topic as string | undefined,
      authorization,
      subject: sender.subject,
      bodyBytes: body.length,
      payload: JSON.parse(decrypt(body, subscriber.keyPair, subscriber.auth)),
    });
    return { status: 201, headers: { location: `${this.server.origin}/receipt/${this.pushes.length}` } };
  }

  async #verifyVapid(authorization: string): Promise<{ key: string; subject: string | undefined } | undefined> {
    const [, token = '', key = ''] = /^vapid t=([\w.-]+), k=([\w-]+)$/.exec(authorization) ?? [];
    const point = Buffer.from(key, 'base64url');
    const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString('base64url'));
    const now = this.#clock.now();
    try {
      const publicKey = await importJWK({ kty: 'EC', crv: 'P-256', x: x ?? '', y: y ?? '' }, 'ES256');
      const options = {
        audience: this.server.origin,
        algorithms: ['ES256'],
        requiredClaims: ['exp'],
        currentDate: now,
      };
      const { payload } = await jwtVerify(token, publicKey, options);
      const lifetimeSeconds = (payload.exp ?? 0) - now.getTime() / 1_000;
      return lifetimeSeconds <= MAX_VAPID_LIFETIME_SECONDS ? { key, subject: payload.sub } : undefined;
    } catch {
      return undefined;
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.server[Symbol.asyncDispose]();
  }
}

/** One record: salt (16), record size (4), key length (1), the sender's key, the text with its delimiter, the tag (16). */
export function decrypt(body: Buffer, keyPair: ECDH, auth: Buffer): string {
  const salt = body.subarray(0, 16);
  const senderKey = body.subarray(21, 21 + body.readUInt8(20));
  const sealed = body.subarray(21 + senderKey.length);
  if (sealed.length > body.readUInt32BE(16)) throw new Error('There is more than one record.');
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), keyPair.getPublicKey(), senderKey]);
  const secret = derive(keyPair.computeSecret(senderKey), auth, info, 32);
  const key = derive(secret, salt, 'Content-Encoding: aes128gcm\0', 16);
  const nonce = derive(secret, salt, 'Content-Encoding: nonce\0', 12);
  const cipher = createDecipheriv('aes-128-gcm', key, nonce).setAuthTag(sealed.subarray(-16));
  const padded = Buffer.concat([cipher.update(sealed.subarray(0, -16)), cipher.final()]);
  const end = padded.findLastIndex((byte) => byte !== 0);
  if (padded[end] !== 2) throw new Error('The last record is not marked as such.');
  return padded.subarray(0, end).toString();
}

const derive = (secret: Buffer, salt: Buffer, info: string | Buffer, bytes: number): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, salt, info, bytes));
