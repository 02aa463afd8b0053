/** Validates a registration: exactly one token, of the kind that its platform uses. */
import { InvalidInput } from '../lib/errors.ts';
import type { Platform } from '../push/gateway.ts';

interface WebPushSubscription {
  readonly endpoint: string;
  readonly keys: { readonly p256dh: string; readonly auth: string };
}

export interface DeviceRegistration {
  readonly platform: Platform;
  readonly ios_push_token?: string | null;
  readonly android_push_token?: string | null;
  readonly web_push_subscription?: WebPushSubscription | null;
  readonly push_env: 'sandbox' | 'production';
}

export interface PushAddress {
  readonly token: string;
  readonly keys: WebPushSubscription['keys'] | null;
}

const FIELD = {
  ios: 'ios_push_token',
  android: 'android_push_token',
  web: 'web_push_subscription',
} as const satisfies Record<Platform, keyof DeviceRegistration>;

export function readPushAddress(input: DeviceRegistration): PushAddress {
  const given = Object.values(FIELD).filter((field) => input[field] !== undefined && input[field] !== null);
  const expected = FIELD[input.platform];
  if (given.length !== 1 || given[0] !== expected) {
    const msg = `Exactly one token should be given, for platform ${input.platform} as ${expected}`;
    throw new InvalidInput({ type: 'value_error', loc: ['body', expected], msg });
  }
  const { ios_push_token, android_push_token, web_push_subscription } = input;
  return {
    token: ios_push_token ?? android_push_token ?? web_push_subscription?.endpoint ?? '',
    keys: web_push_subscription?.keys ?? null,
  };
}

/** Lower-cases hexadecimal tokens, so that a device is recognised whichever case its app sends. */
export const normalizeToken = (token: string): string => (/^[0-9a-f]+$/i.test(token) ? token.toLowerCase() : token);
