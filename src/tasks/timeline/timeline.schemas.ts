import type { Static } from 'typebox';
import { component, instantOut, nullable, nullableInstantOut, Type } from '../../lib/schema.ts';
import type { EntryView, ForecastNudge } from './timeline.service.ts';

type HoldName = 'quiet_hours' | 'pause';

const id = Type.String({ format: 'uuid' });
const holds = Type.Array(Type.Unsafe<HoldName>({ type: 'string', enum: ['quiet_hours', 'pause'] }));
const stage = Type.Integer({ description: 'How strong the nudge is: -1 for a heads-up, then 0, 1 and 2.' });

const unreached = nullable(
  Type.String({
    description:
      'Why no device and no channel gets the nudge: `nothing_set_up`, `other_stages` if its owner chose other stages for ' +
      'what works, `enough_today` if enough messages about the task were sent in the 24 hours before, `mail_paused`, `not_confirmed`, ' +
      '`switched_off`, `not_working` or `not_configured`. Null if something gets it; for the owner only.',
  }),
);

export const NudgeForecast = component(
  'NudgeForecast',
  Type.Object({
    at: instantOut,
    stage,
    wanted_at: Type.Unsafe<Date>({ ...instantOut, description: 'When the nudge would be sent if nothing held it.' }),
    holds,
    via: Type.Array(Type.String(), {
      description: 'The devices and channels that get the nudge at once; for the owner only.',
    }),
    unreached,
    falls: Type.Array(Type.Object({ at: instantOut, tier: Type.Integer(), via: Type.Array(Type.String()) }), {
      description: 'Which channels the nudge goes on to, and when, if nobody answers; for the owner only.',
    }),
  }),
);

export const toForecastOut = ({ at, stage, wantedAt, holds, via, unreached, falls }: ForecastNudge) => ({
  at,
  stage,
  wanted_at: wantedAt,
  holds: [...holds],
  via: [...via],
  unreached,
  falls: falls.map((fall) => ({ ...fall, via: [...fall.via] })),
});

const NudgeDelivery = Type.Object({
  device_id: id,
  via: Type.String({ description: 'The kind of device or channel.' }),
  name: nullable(Type.String({ description: 'What the device or channel is called; null if it was removed.' })),
  status: Type.String({
    description: '`pending`, `sent`, `failed_transient`, `failed_permanent`, `cancelled` or `superseded`.',
  }),
  reason: nullable(Type.String()),
  attempts: Type.Integer(),
  sent_at: nullableInstantOut,
  acknowledged_at: nullableInstantOut,
});

const TokenLabel = Type.Object({ name: nullable(Type.String()), prefix: Type.String() });

export const TimelineEntry = component(
  'TimelineEntry',
  Type.Object({
    id,
    at: instantOut,
    kind: Type.String({
      description:
        '`created`, `accepted`, `declined`, `rescheduled`, `held`, `nudge`, `acknowledged`, `snoozed`, `done`, ' +
        '`skipped`, `dropped`, `reopened`, `edited`, `assigner_removed` if the owner ended the say of the assigner, ' +
        '`rings_anyway` and `rings_anyway_undone` if the nudge wanted at `until` passes the holds or no longer does, ' +
        '`snooze_undone` if a snooze until `until` was taken back, ' +
        '`stand_in_told` if a stand-in was told, ' +
        '`understudy` if a provider has probably announced the task because the service was silent, ' +
        '`missed` for occurrences that passed while an earlier one was open, or `fell_back` if a nudge went on to the ' +
        'next tier of channels.',
    }),
    by: nullable(Type.String({ description: '`owner`, `assigner` or `stand_in`; null if the service acted.' })),
    person_id: nullable(Type.String({ format: 'uuid', description: 'The stand-in who was told, or who acted.' })),
    person_name: nullable(Type.String()),
    token_id: nullable(
      Type.String({ format: 'uuid', description: 'The access token that was used; shown to the owner only.' }),
    ),
    token: Type.Unsafe<Static<typeof TokenLabel> | null>({
      ...TokenLabel,
      type: ['object', 'null'],
      description: 'The name and prefix of that token, while it exists; shown to the owner only.',
    }),
    stage: nullable(stage),
    until: Type.Unsafe<Date | null>({
      ...nullableInstantOut,
      description:
        'The end of a snooze or a hold, the moment that rings anyway, or the last of the missed occurrences.',
    }),
    holds,
    occurrence_due_at: nullableInstantOut,
    fields: Type.Array(Type.String(), { description: 'The fields that an edit changed.' }),
    before: Type.Unsafe<Readonly<Record<string, unknown>> | null>({
      type: ['object', 'null'],
      additionalProperties: true,
      description: 'What an edit replaced, while it can be put back; long notes are cut. Shown to the owner only.',
    }),
    missed: nullable(
      Type.Integer({ description: 'How many occurrences were missed, from `occurrence_due_at` to `until`.' }),
    ),
    batch_id: nullable(Type.String({ format: 'uuid', description: 'The bulk change that it belongs to.' })),
    via: nullable(
      Type.String({
        description:
          'The kind of channel that an action came through, that a nudge fell to, or that announced the task.',
      }),
    ),
    since: Type.Unsafe<Date | null>({
      ...nullableInstantOut,
      description: 'Of a nudge that fell to the next tier: since when nobody answered; null if the tier before failed.',
    }),
    reached: nullable(
      Type.String({
        description:
          'For a nudge: `no_device`, `pending`, `sent`, `failed`, `cancelled`, `superseded`, or `not_sent` if the ' +
          'account had too many deliveries at that time.',
      }),
    ),
    unreached,
    deliveries: Type.Unsafe<Static<typeof NudgeDelivery>[] | null>({
      ...Type.Array(NudgeDelivery),
      type: ['array', 'null'],
      description: 'The result on each device and channel; shown to the owner only, and for 90 days.',
    }),
  }),
);

export const toEntryOut = ({ holds, deliveries, fields, ...entry }: EntryView): Static<typeof TimelineEntry> => ({
  ...entry,
  fields: fields?.split(',') ?? [],
  holds: holds === null ? [] : (holds.split(',') as HoldName[]),
  deliveries:
    deliveries?.map(({ target_id, provider, name, status, reason, attempts, sent_at, acked_at }) => ({
      device_id: target_id,
      via: provider,
      name,
      status,
      reason,
      attempts,
      sent_at,
      acknowledged_at: acked_at,
    })) ?? null,
});
