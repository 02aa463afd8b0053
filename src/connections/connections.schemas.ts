import { SCOPES, type Scope } from '../lib/caller.ts';
import { component, nullable, Type } from '../lib/schema.ts';

const scope = Type.Unsafe<Scope>({ type: 'string', enum: SCOPES });

/** May be empty: a request that names no assistant is refused with a sentence that says so. */
const query = Type.String({
  maxLength: 8_192,
  description: 'The query with which the assistant opened `/oauth/authorize`, unchanged.',
});

export const ConnectionRequest = component('ConnectionRequest', Type.Object({ query }));

const rails = Type.Object({
  scopes: Type.Array(scope, { minItems: 1, uniqueItems: true, maxItems: 3 }),
  max_stage: nullable(Type.Integer({ minimum: 0, maximum: 2 })),
  max_open_tasks: nullable(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
  expires_at: nullable(Type.String({ format: 'date-time' })),
  shortest_wait: Type.Optional(
    nullable(
      Type.Integer({
        minimum: 1,
        maximum: 1_440,
        description: 'In minutes. If it is absent, the one of its newest connection to this account.',
      }),
    ),
  ),
});

export const ConnectionDecision = component(
  'ConnectionDecision',
  Type.Object({
    query,
    agrees: Type.Boolean(),
    rails: Type.Optional(rails),
  }),
);

export const ConnectionPreview = component(
  'ConnectionPreview',
  Type.Object({
    client: Type.Object({
      name: nullable(Type.String({ description: 'What the assistant calls itself.' })),
      host: nullable(Type.String({ description: 'The host that vouches for the name; null if nobody does.' })),
    }),
    target: Type.Object({
      kind: Type.Unsafe<'web' | 'own_machine' | 'app'>({ type: 'string', enum: ['web', 'own_machine', 'app'] }),
      address: Type.String({ description: 'Where the answer is sent: a host, or the scheme of an app.' }),
    }),
    scopes: Type.Array(scope),
    held: nullable({
      ...rails,
      description: 'What its newest connection to this account may do; null if there is none.',
    }),
  }),
);

export const ConnectionAnswer = component(
  'ConnectionAnswer',
  Type.Object({ redirect_to: Type.String({ description: 'Where the browser goes next.' }) }),
);
