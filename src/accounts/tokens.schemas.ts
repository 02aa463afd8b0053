import { Type } from 'typebox';
import { SCOPES, type Scope } from '../lib/caller.ts';
import { component, instantOut, nullable, nullableInstantOut } from '../lib/schema.ts';

const scope = Type.Unsafe<Scope>({ type: 'string', enum: SCOPES });
const name = Type.String({ minLength: 1, maxLength: 100, examples: ['My agent'] });

export const TokenCreate = component(
  'TokenCreate',
  Type.Object({
    name: Type.Optional(nullable(name)),
    scopes: Type.Optional(Type.Array(scope, { minItems: 1, uniqueItems: true, maxItems: 3, default: ['tasks:read'] })),
    expires_at: Type.Optional(nullable(Type.String({ format: 'date-time' }))),
  }),
);

const shown = {
  id: Type.String({ format: 'uuid' }),
  name: nullable(Type.String()),
  scopes: Type.Array(scope),
  prefix: Type.String({ description: 'The first characters of the token, to recognise it by.' }),
  created_at: instantOut,
  last_used_at: nullableInstantOut,
  expires_at: nullableInstantOut,
};

export const TokenOut = component('TokenOut', Type.Object(shown));

export const TokenMinted = component(
  'TokenMinted',
  Type.Object({ ...shown, token: Type.String({ description: 'Shown this once.' }) }),
);
