import type { Static } from 'typebox';
import { component, instantOut, nullable, nullableInstantOut, Type } from '../lib/schema.ts';

const id = Type.String({ format: 'uuid' });
export const ChannelParams = Type.Object({ channel_id: id });

const LONGEST_FIELD = 2_048;
/**
 * Three tiers with this wait take a quarter of an hour. The outbox takes a longer wait for a clock that was set back.
 */
const MOST_FALLBACK_MINUTES = 5;
const stages = Type.Array(Type.Integer({ minimum: -1, maximum: 2 }), {
  maxItems: 4,
  uniqueItems: true,
  description: 'The stages that the channel is used for: -1 for a heads-up, then 0, 1 and 2.',
});
const tier = Type.Integer({
  minimum: 0,
  maximum: 3,
  description: '0 is used at once, like devices; 1 to 3 if nobody answered in the tiers before.',
});
const name = nullable(Type.String({ minLength: 1, maxLength: 100 }));
const fields = Type.Unsafe<Record<string, string>>({
  type: 'object',
  maxProperties: 10,
  additionalProperties: { type: 'string', maxLength: LONGEST_FIELD },
  description: 'What the kind asks for, by the names of its fields.',
});

const settings = {
  name: Type.Optional(name),
  fields: Type.Optional(fields),
  stages: Type.Optional(stages),
  tier: Type.Optional(tier),
  private_title: Type.Optional(Type.Boolean()),
};

export const ChannelCreate = component(
  'ChannelCreate',
  Type.Object({ provider: Type.String({ minLength: 1, maxLength: 40 }), ...settings }),
);

export const ChannelUpdate = component(
  'ChannelUpdate',
  Type.Object({
    ...settings,
    enabled: Type.Optional(Type.Boolean({ description: 'Switches the channel off, or on again.' })),
  }),
);

export const isFallbackMinutes = (minutes: unknown): minutes is number =>
  Number.isInteger(minutes) && Number(minutes) >= 1 && Number(minutes) <= MOST_FALLBACK_MINUTES;

export const ChannelsUpdate = component(
  'ChannelsUpdate',
  Type.Object({ fallback_minutes: Type.Integer({ minimum: 1, maximum: MOST_FALLBACK_MINUTES }) }),
);

export const ChannelVerify = component(
  'ChannelVerify',
  Type.Object({
    code: Type.Optional(
      nullable(
        Type.String({ maxLength: 40, description: 'Without it, a new code or link is made, or the challenge sent.' }),
      ),
    ),
  }),
);

export const ChannelOut = component(
  'ChannelOut',
  Type.Object({
    id,
    provider: Type.String(),
    name: nullable(Type.String()),
    label: nullable(Type.String({ description: 'What is shown of the address; null for an access token.' })),
    state: Type.String({
      description:
        '`working`, `unconfirmed`, `incomplete` (imported, without an address), `off`, `needs_attention`, or ' +
        '`not_configured` by the operator.',
    }),
    problem: nullable(Type.String({ description: 'What went wrong last, in a sentence.' })),
    reason: nullable(Type.String({ description: 'The same as a code.' })),
    stages: Type.Array(Type.Integer()),
    tier: Type.Integer(),
    private_title: Type.Boolean(),
    automatic: Type.Boolean({
      description: 'Made by the service: used at every stage, as long as nothing else reaches you.',
    }),
    verified_at: nullableInstantOut,
    proven_by: nullable(
      Type.String({
        description:
          'How that was shown: `echo`, `code`, `link` or `sign_in`. Of an earlier release, `answer`: any 2xx confirmed ' +
          'the webhook; `return`: only a browser named the Pushover key. Verify such a channel again, because it gets ' +
          'few messages a day.',
      }),
    ),
    created_at: instantOut,
  }),
);

export const ChannelsOut = component(
  'ChannelsOut',
  Type.Object({
    reachable: Type.Boolean({ description: 'Whether a nudge can reach you by any device or channel.' }),
    reason: nullable(
      Type.String({
        description:
          '`nothing_set_up`, `not_confirmed`, `switched_off`, `mail_paused`, `not_working` or `not_configured`.',
      }),
    ),
    unreached_stages: Type.Array(Type.Integer(), {
      description: 'The stages at which no device and no channel of yours gets a nudge.',
    }),
    fallback_minutes: Type.Integer({ description: 'How long each tier waits for an answer to the one before it.' }),
    local_links: Type.Boolean({
      description: 'Links and buttons in messages work on the machine of the service alone: it has no other address.',
    }),
    was_late: Type.Boolean({
      description: 'Nudges were late because the service was away: see `GET /v1/me/outages`.',
    }),
    task_codes: Type.Array(Type.Object({ task_id: id, code: Type.String({ examples: ['#K7F3'] }) }), {
      description:
        'What messages without titles call your tasks, if a channel keeps titles private: the 200 open ones that were ' +
        'nudged last, and the tasks of the last 200 messages about requests. Empty for an access token.',
    }),
    channels: Type.Array(Type.Ref('ChannelOut')),
  }),
);

const textMap = Type.Unsafe<Record<string, string>>({ type: 'object', additionalProperties: { type: 'string' } });

export const ChannelMade = component(
  'ChannelMade',
  Type.Object({
    channel: Type.Unsafe<Static<typeof ChannelOut>>(Type.Ref('ChannelOut')),
    confirmation: Type.String({ description: 'What comes next: `none`, `code`, `answer` or `link`.' }),
    set_up: Type.Unsafe<Record<string, string> | null>({
      ...textMap,
      type: ['object', 'null'],
      description:
        'What the other side needs, such as a signing secret or a topic to subscribe to. Shown once, by the request that made it.',
    }),
    link: nullable(Type.String({ description: 'Where to go to connect the channel.' })),
    sent: nullable(
      Type.String({ description: 'Whether the message with the code was `sent`, or why not, in a sentence.' }),
    ),
  }),
);

const ChannelFieldOut = Type.Object({
  name: Type.String(),
  label: Type.String(),
  hint: Type.String(),
  type: Type.String({ description: '`text`, `url`, `email` or `phone`.' }),
  required: Type.Boolean(),
  secret: Type.Boolean({ description: 'Not shown again, and entered again if the address changes.' }),
  generated: Type.Boolean({ description: 'If it is empty, the service makes one.' }),
});

export const ChannelKindOut = component(
  'ChannelKindOut',
  Type.Object({
    provider: Type.String(),
    title: Type.String(),
    summary: Type.String(),
    fields: Type.Array(ChannelFieldOut),
    confirmation: Type.String({ description: '`code`, `answer` or `link`.' }),
    abilities: Type.Object({
      replaces: Type.Boolean(),
      retracts: Type.Boolean(),
      buttons: Type.Boolean(),
      receipts: Type.Boolean(),
    }),
    strengths: Type.Array(nullable(Type.String()), {
      description: 'How a message arrives at each stage, from -1 to 2; null where none is sent by default.',
    }),
    tier: Type.Integer({ description: 'The tier of a new channel.' }),
  }),
);

export const ChannelTestOut = component(
  'ChannelTestOut',
  Type.Object({
    status: Type.String({ description: '`sent`, `failed_transient` or `failed_permanent`.' }),
    reason: nullable(Type.String()),
    problem: nullable(Type.String({ description: 'The reason as a sentence.' })),
  }),
);
