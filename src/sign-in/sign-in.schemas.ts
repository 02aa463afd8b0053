import { component, instantOut, nullable, nullableInstantOut, Type } from '../lib/schema.ts';

const email = Type.String({ format: 'email', maxLength: 320, examples: ['ada@example.org'] });

export const SignInHeaders = Type.Object(
  {
    // Any text but a token of ours is ignored, so that a wrong header never keeps a person from signing in.
    'x-sign-in-request': Type.Optional(
      Type.String({
        // Node accepts no longer headers.
        maxLength: 16_384,
        description: 'The header of the same name in the answer that this sign-in began with. Optional, and safer.',
      }),
    ),
    'x-invite': Type.Optional(
      Type.String({
        maxLength: 128,
        description:
          'The token of an invitation to a space. Where sign-up is by invitation, it admits one new account.',
      }),
    ),
  },
  // Otherwise the validator would remove all other headers.
  { additionalProperties: true },
);

export const EmailAuthRequest = component('EmailAuthRequest', Type.Object({ email }));

export const EmailAuthVerify = component(
  'EmailAuthVerify',
  Type.Object({ email, code: Type.String({ maxLength: 32, examples: ['123456'] }) }),
);

export const AppleAuthRequest = component(
  'AppleAuthRequest',
  Type.Object({
    identity_token: Type.String({ maxLength: 4096 }),
    full_name: Type.Optional(nullable(Type.String({ maxLength: 100 }))),
    authorization_code: Type.Optional(nullable(Type.String({ maxLength: 512 }))),
  }),
);

export const MfaVerify = component(
  'MfaVerify',
  Type.Object({ mfa_token: Type.String({ maxLength: 128 }), code: Type.String({ maxLength: 32 }) }),
);

export const EmailAuthResult = component(
  'EmailAuthResult',
  Type.Object({
    status: Type.String({
      description: '`authenticated` with a `session_token`, or `mfa_required` with an `mfa_token`.',
    }),
    mode: nullable(Type.String({ description: '`login`, `register` or `link`.' })),
    created: Type.Boolean({ default: false }),
    user_id: nullable(Type.String()),
    session_token: nullable(Type.String()),
    mfa_token: nullable(Type.String()),
    methods: nullable(Type.Array(Type.String({ description: '`totp` or `recovery_code`.' }))),
  }),
);

export const SessionOut = component(
  'SessionOut',
  Type.Object({
    id: Type.String({ format: 'uuid' }),
    created_at: instantOut,
    expires_at: nullableInstantOut,
  }),
);

export const SessionNameOut = component(
  'SessionNameOut',
  Type.Object({
    id: Type.String({ format: 'uuid' }),
    name: nullable(
      Type.String({
        description:
          'What signed in, such as `Firefox on Windows`, or the name that you gave it; null if neither is known.',
      }),
    ),
  }),
);

export const SessionRename = component(
  'SessionRename',
  Type.Object({ name: Type.String({ minLength: 1, maxLength: 100 }) }),
);

export const SessionProof = component(
  'SessionProof',
  Type.Object({
    session_token: Type.String({ maxLength: 128, description: 'Of a sign-in of the last 15 minutes.' }),
  }),
);

export const MfaCode = component('MfaCode', Type.Object({ code: Type.String({ maxLength: 32 }) }));

export const MfaEnrollOut = component(
  'MfaEnrollOut',
  Type.Object({ secret: Type.String(), otpauth_uri: Type.String() }),
);

export const MfaConfirmOut = component(
  'MfaConfirmOut',
  Type.Object({ enabled: Type.Boolean(), recovery_codes: Type.Array(Type.String()) }),
);

export const MfaStatusOut = component(
  'MfaStatusOut',
  Type.Object({ enabled: Type.Boolean(), recovery_codes_remaining: Type.Integer({ default: 0 }) }),
);
