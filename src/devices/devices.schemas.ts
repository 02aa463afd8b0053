import { component, instantOut, nullable, nullableInstantOut, Type } from '../lib/schema.ts';
import type { Platform } from '../push/gateway.ts';

const PLATFORMS: readonly Platform[] = ['ios', 'android', 'web'];
const hex = Type.String({ minLength: 32, maxLength: 600, pattern: '^[0-9a-fA-F]+$' });
const platform = Type.Unsafe<Platform>({ type: 'string', enum: PLATFORMS });
const pushEnv = Type.Unsafe<'sandbox' | 'production'>({ type: 'string', enum: ['sandbox', 'production'] });
const base64url = (options: object) => Type.String({ pattern: '^[A-Za-z0-9_-]+={0,2}$', ...options });

export const DeviceRegister = component(
  'DeviceRegister',
  Type.Object({
    platform: Type.Optional(Type.Unsafe<Platform>({ ...platform, default: 'ios' })),
    ios_push_token: Type.Optional(nullable(Type.String({ minLength: 1, maxLength: 600 }))),
    android_push_token: Type.Optional(
      nullable(Type.String({ minLength: 32, maxLength: 4096, pattern: '^[A-Za-z0-9_:.-]+$' })),
    ),
    web_push_subscription: Type.Optional(
      nullable(
        Type.Object({
          endpoint: Type.String({ minLength: 1, maxLength: 2048 }),
          keys: Type.Object({
            p256dh: base64url({ minLength: 87, maxLength: 88 }),
            auth: base64url({ minLength: 22, maxLength: 24 }),
          }),
        }),
      ),
    ),
    push_env: Type.Optional(Type.Unsafe<'sandbox' | 'production'>({ ...pushEnv, default: 'sandbox' })),
  }),
);

export const DevicePing = component('DevicePing', Type.Object({ ios_push_token: hex }));
export const LaPushToken = component('LaPushToken', Type.Object({ ios_push_token: hex, la_push_token: hex }));
export const LaActivityToken = component('LaActivityToken', Type.Object({ la_update_token: hex }));

const shown = { id: Type.String({ format: 'uuid' }), platform, valid: Type.Boolean() };

export const DeviceOut = component('DeviceOut', Type.Object(shown));

export const DeviceDetailOut = component(
  'DeviceDetailOut',
  Type.Object({
    ...shown,
    push_env: pushEnv,
    invalid_reason: nullable(
      Type.String({ description: 'The reason that the push provider gave for no longer accepting the token.' }),
    ),
    last_seen_at: nullableInstantOut,
    created_at: instantOut,
    name: nullable(
      Type.String({
        description: 'What registered, such as `Firefox on Windows`; null if its User-Agent header did not tell.',
      }),
    ),
  }),
);

export const TestPushOut = component(
  'TestPushOut',
  Type.Object({
    sent: Type.Integer(),
    devices: Type.Array(
      Type.Object({
        device_id: Type.String({ format: 'uuid' }),
        platform,
        status: Type.String({ description: '`sent`, `failed_transient` or `failed_permanent`.' }),
        reason: nullable(Type.String()),
      }),
    ),
  }),
);

export const VapidKeyOut = component(
  'VapidKeyOut',
  Type.Object({
    public_key: nullable(Type.String({ description: 'The VAPID public key; null if Web Push is not configured.' })),
  }),
);
