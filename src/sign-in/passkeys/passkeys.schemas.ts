import { component, instantOut, nullable, nullableInstantOut, Type } from '../../lib/schema.ts';

/** Bytes in base64url. */
const bytes = (maxLength: number) => Type.String({ maxLength, pattern: '^[A-Za-z0-9_-]*$' });

/** An authenticator's id has at most 1,023 bytes. */
const credentialId = bytes(1_364);
const credentialType = Type.Unsafe<'public-key'>({ type: 'string', enum: ['public-key'] });
const clientDataJSON = bytes(4_096);

const NewCredential = Type.Object(
  {
    id: credentialId,
    rawId: credentialId,
    type: credentialType,
    response: Type.Object({
      clientDataJSON,
      attestationObject: bytes(16_384),
      transports: Type.Optional(Type.Array(Type.String({ maxLength: 32, pattern: '^[a-z-]*$' }), { maxItems: 10 })),
    }),
  },
  { description: 'What `navigator.credentials.create` returned, as its `toJSON` gives it.' },
);

const SignedCredential = Type.Object(
  {
    id: credentialId,
    rawId: credentialId,
    type: credentialType,
    response: Type.Object({
      clientDataJSON,
      authenticatorData: bytes(4_096),
      signature: bytes(4_096),
      userHandle: Type.Optional(nullable(bytes(88))),
    }),
  },
  { description: 'What `navigator.credentials.get` returned, as its `toJSON` gives it.' },
);

const name = Type.String({ minLength: 1, maxLength: 100, examples: ['My phone'] });

export const PasskeyCreate = component('PasskeyCreate', Type.Object({ name, credential: NewCredential }));

export const PasskeyUpdate = component('PasskeyUpdate', Type.Object({ name }));

export const PasskeyAuthRequest = component('PasskeyAuthRequest', Type.Object({ credential: SignedCredential }));

export const PasskeyOut = component(
  'PasskeyOut',
  Type.Object({
    id: Type.String({ format: 'uuid' }),
    name: Type.String(),
    created_at: instantOut,
    last_used_at: nullableInstantOut,
  }),
);

/** The shape is that of WebAuthn, and browsers read it as it is. */
export const PasskeyOptions = component(
  'PasskeyOptions',
  Type.Object({
    options: Type.Unsafe<object>({
      type: 'object',
      additionalProperties: true,
      description:
        'The JSON form of the `publicKey` that `navigator.credentials` takes. Its challenge is valid for five minutes ' +
        'and once.',
    }),
  }),
);

export const PasskeyParams = Type.Object({ passkey_id: Type.String({ format: 'uuid' }) });
