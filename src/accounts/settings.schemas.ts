import { component, instantOut, nullable, nullableInstantOut, Type } from '../lib/schema.ts';

const wallTime = (description: string) =>
  Type.String({ pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$', description, examples: ['22:00'] });
const quietStart = nullable(wallTime('When quiet hours start. They apply only if both the start and the end are set.'));
const quietEnd = nullable(wallTime('When quiet hours end. An end before the start is on the next day.'));

export const UserSettingsOut = component(
  'UserSettingsOut',
  Type.Object({
    id: Type.String({ format: 'uuid' }),
    email: nullable(Type.String()),
    display_name: nullable(Type.String()),
    timezone: Type.String({ description: 'The IANA name of the time zone.' }),
    quiet_hours_start: nullable(Type.String()),
    quiet_hours_end: nullable(Type.String()),
    day_start: Type.String(),
    paused_until: nullableInstantOut,
    keep_must_not_miss: Type.Boolean(),
    welcome_back: Type.Unsafe<{ paused_from: Date; paused_until: Date; held: number } | null>({
      anyOf: [
        Type.Object({
          paused_from: instantOut,
          paused_until: instantOut,
          held: Type.Integer({ description: 'The number of nudges that the pause held.' }),
        }),
        Type.Null(),
      ],
    }),
    mfa_enabled: Type.Boolean(),
    plan: Type.String(),
    plan_expires_at: nullableInstantOut,
    created_at: instantOut,
  }),
);

export const UserSettingsUpdate = component(
  'UserSettingsUpdate',
  Type.Object({
    display_name: Type.Optional(nullable(Type.String({ minLength: 1, maxLength: 100 }))),
    timezone: Type.Optional(Type.String({ maxLength: 64, examples: ['Europe/Amsterdam'] })),
    quiet_hours_start: Type.Optional(quietStart),
    quiet_hours_end: Type.Optional(quietEnd),
    day_start: Type.Optional(wallTime('When the day starts. All-day tasks are due at this time.')),
  }),
);

export const TimeZoneRequest = component(
  'TimeZoneRequest',
  Type.Object({ timezone: Type.String({ maxLength: 64, examples: ['Europe/Amsterdam'] }) }),
);

export const PauseRequest = component(
  'PauseRequest',
  Type.Object({
    until: Type.String({ format: 'date-time' }),
    keep_must_not_miss: Type.Optional(Type.Boolean({ default: true })),
  }),
);

export const PlannedPauseRequest = component(
  'PlannedPauseRequest',
  Type.Object({
    from: Type.String({ format: 'date-time' }),
    until: Type.String({ format: 'date-time' }),
    keep_must_not_miss: Type.Optional(Type.Boolean({ default: true })),
  }),
);

export const PlannedPauseOut = component(
  'PlannedPauseOut',
  Type.Object({
    planned_pause: Type.Unsafe<{ from: Date; until: Date; keep_must_not_miss: boolean } | null>({
      anyOf: [Type.Object({ from: instantOut, until: instantOut, keep_must_not_miss: Type.Boolean() }), Type.Null()],
      description: 'Null once it has begun: then it is the pause that `paused_until` of the settings tells about.',
    }),
  }),
);
