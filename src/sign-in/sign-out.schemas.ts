import { component, instantOut, nullable, nullableInstantOut, Type } from '../lib/schema.ts';

export const ACCESS_KINDS = [
  'session',
  'token',
  'connection',
  'passkey',
  'identity',
  'channel',
  'calendar_feed',
  'device',
  'invite',
] as const;

/** The most that an account can have, with room to spare. */
const MOST_ENDED = 500;

export const AccessOut = component(
  'AccessOut',
  Type.Object({
    kind: Type.Unsafe<(typeof ACCESS_KINDS)[number]>({ type: 'string', enum: [...ACCESS_KINDS] }),
    id: Type.String({ format: 'uuid' }),
    name: nullable(Type.String()),
    detail: nullable(
      Type.String({
        description:
          'What tells it from others: the start of a token, the host of an assistant or provider, what is shown of the ' +
          'address of a channel, whom an invitation is for.',
      }),
    ),
    made_at: Type.Unsafe<Date>({ ...instantOut, description: 'Of a channel: when its address was last entered.' }),
    last_used_at: nullableInstantOut,
    current: Type.Boolean({ description: 'Whether it is the session that asks.' }),
  }),
);

export const AccessEnd = component(
  'AccessEnd',
  Type.Object({
    sessions: Type.Optional(
      Type.Boolean({ default: true, description: 'End every session but the one that asks, also one begun since.' }),
    ),
    ids: Type.Optional(
      Type.Array(Type.String({ format: 'uuid' }), {
        maxItems: MOST_ENDED,
        default: [],
        description: 'Of everything else that is to end. An id that is not in the list is ignored.',
      }),
    ),
  }),
);
