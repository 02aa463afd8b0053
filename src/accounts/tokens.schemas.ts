import { SCOPES, type Scope } from '../lib/caller.ts';
import { component, instantOut, nullable, nullableInstantOut, Type } from '../lib/schema.ts';

const scope = Type.Unsafe<Scope>({ type: 'string', enum: SCOPES });
const name = Type.String({ minLength: 1, maxLength: 100, examples: ['My agent'] });

const maxStage = nullable(
  Type.Integer({
    minimum: 0,
    maximum: 2,
    description:
      'The highest stage of tasks that the token creates, or whose nudges it starts or brings forward; null for no ' +
      'limit. Below 2 the token cannot make a task break quiet hours.',
  }),
);
const maxOpenTasks = nullable(
  Type.Integer({
    minimum: 1,
    maximum: 1_000_000,
    description: 'How many tasks that the token created or reopened can be open at once; null for no limit.',
  }),
);

export const TokenCreate = component(
  'TokenCreate',
  Type.Object({
    name: Type.Optional(nullable(name)),
    scopes: Type.Optional(Type.Array(scope, { minItems: 1, uniqueItems: true, maxItems: 3, default: ['tasks:read'] })),
    expires_at: Type.Optional(nullable(Type.String({ format: 'date-time' }))),
    max_stage: Type.Optional(maxStage),
    max_open_tasks: Type.Optional(maxOpenTasks),
  }),
);

export const TokenShortestWait = component(
  'TokenShortestWait',
  Type.Object({
    minutes: nullable(
      Type.Integer({
        minimum: 1,
        maximum: 1_440,
        description:
          'The shortest wait between the due nudges of tasks that the token creates, or whose nudges it starts or brings ' +
          'forward; null for no limit. The token chooses no ladder with shorter waits.',
      }),
    ),
  }),
);

const fields = {
  id: Type.String({ format: 'uuid' }),
  name: nullable(Type.String()),
  scopes: Type.Array(scope),
  prefix: Type.String({ description: 'The first characters of the token, by which you can recognise it.' }),
  created_at: instantOut,
  last_used_at: nullableInstantOut,
  expires_at: nullableInstantOut,
  max_stage: maxStage,
  max_open_tasks: maxOpenTasks,
};

/** For a connection: the assistant that uses it. */
const client = nullable(
  Type.Object({
    name: nullable(Type.String()),
    host: nullable(Type.String({ description: 'The host that vouches for the name; null if nobody does.' })),
  }),
);

export const TokenOut = component('TokenOut', Type.Object({ ...fields, client }));

export const TokenMinted = component(
  'TokenMinted',
  Type.Object({ ...fields, token: Type.String({ description: 'The token. Only this response contains it.' }) }),
);
