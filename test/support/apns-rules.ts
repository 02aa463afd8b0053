/** Apple's rules for a push, and its answer when a push breaks one. */
import type { KeyObject } from 'node:crypto';
import { type IncomingHttpHeaders, sensitiveHeaders } from 'node:http2';
import { jwtVerify } from 'jose';

export interface Refusal {
  readonly status: number;
  readonly reason: string;
  /** Milliseconds since 1970, with 410. */
  readonly timestamp?: number;
}

export interface AppleAccount {
  readonly publicKey: KeyObject;
  readonly keyId: string;
  readonly teamId: string;
  readonly topic: string;
}

const TOPIC_SUFFIX: Readonly<Record<string, string>> = { alert: '', liveactivity: '.push-type.liveactivity' };
const MAX_BODY_BYTES = 4_096;

/** Checks the headers and the body, except the provider token. */
export function refusalOf(headers: IncomingHttpHeaders, body: string, { topic }: AppleAccount): Refusal | undefined {
  const suffix = TOPIC_SUFFIX[String(headers['apns-push-type'])];
  const rules: readonly [isBroken: boolean, status: number, reason: string][] = [
    [headers[':method'] !== 'POST', 405, 'MethodNotAllowed'],
    [!/^\/3\/device\/[^/?#]+$/.test(headers[':path'] ?? ''), 404, 'BadPath'],
    [!/^[0-9a-f]{64,}$/.test(deviceTokenOf(headers)), 400, 'BadDeviceToken'],
    [headers['apns-topic'] === undefined, 400, 'MissingTopic'],
    [suffix === undefined, 400, 'InvalidPushType'],
    [headers['apns-topic'] !== `${topic}${suffix}`, 400, 'TopicDisallowed'],
    [!/^(1|5|10)$/.test(String(headers['apns-priority'])), 400, 'BadPriority'],
    [!/^\d{1,10}$/.test(String(headers['apns-expiration'])), 400, 'BadExpirationDate'],
    [Buffer.byteLength(String(headers['apns-collapse-id'] ?? '')) > 64, 400, 'BadCollapseId'],
    [body === '', 400, 'PayloadEmpty'],
    [Buffer.byteLength(body) > MAX_BODY_BYTES, 413, 'PayloadTooLarge'],
  ];
  const broken = rules.find(([isBroken]) => isBroken);
  return broken && { status: broken[1], reason: broken[2] };
}

export const deviceTokenOf = (headers: IncomingHttpHeaders) => headers[':path']?.split('/')[3] ?? '';

/** The names of the headers that were sent as never-indexed literals. */
export const neverIndexed = (headers: IncomingHttpHeaders & { readonly [name: symbol]: unknown }) =>
  new Set(headers[sensitiveHeaders] as string[]);

export async function tokenRefusalOf(
  authorization: string | undefined,
  { publicKey, keyId, teamId }: AppleAccount,
  now: Date,
): Promise<Refusal | undefined> {
  const [, token] = /^bearer (\S+)$/.exec(authorization ?? '') ?? [];
  if (token === undefined) return { status: 403, reason: 'MissingProviderToken' };
  const invalid = { status: 403, reason: 'InvalidProviderToken' };
  try {
    const checks = { issuer: teamId, algorithms: ['ES256'], currentDate: now, maxTokenAge: 3_600 };
    const { protectedHeader } = await jwtVerify(token, publicKey, checks);
    return protectedHeader.kid === keyId ? undefined : invalid;
  } catch (error) {
    const isExpired = error instanceof Error && 'code' in error && error.code === 'ERR_JWT_EXPIRED';
    return isExpired ? { status: 403, reason: 'ExpiredProviderToken' } : invalid;
  }
}
