import { component, instantOut, nullable, nullableInstantOut, Type } from '../lib/schema.ts';

const text = Type.String();
const count = Type.Integer();

const person = {
  id: Type.String({ format: 'uuid' }),
  email: nullable(text),
  display_name: nullable(text),
  created_at: instantOut,
  last_seen_at: Type.Unsafe<Date | null>({
    ...nullableInstantOut,
    description: 'The last day on which an app, a session or an access token used the service.',
  }),
  open_tasks: count,
  working_targets: Type.Integer({ description: 'How many devices and channels a nudge can be sent to.' }),
  mfa_enabled: Type.Boolean(),
  admin: Type.Unsafe<'setting' | 'provider' | 'command_line' | 'first_account' | null>({
    type: ['string', 'null'],
    description: 'Why the account is an administrator: `setting`, `provider`, `command_line` or `first_account`.',
  }),
  suspended_at: nullableInstantOut,
};

export const ClaimWord = component(
  'ClaimWord',
  Type.Object({ word: Type.String({ minLength: 1, maxLength: 100, description: 'In any case and spacing.' }) }),
);

export const AdminPersonOut = component('AdminPersonOut', Type.Object(person));

export const AdminPersonDetailOut = component(
  'AdminPersonDetailOut',
  Type.Object({
    ...person,
    tasks: Type.Object({ open: count, done: count, skipped: count }),
    reach: Type.Array(
      Type.Object({
        kind: Type.String({ description: 'The platform of devices, or the provider of channels.' }),
        state: Type.Unsafe<'working' | 'waiting' | 'broken'>({
          type: 'string',
          enum: ['working', 'waiting', 'broken'],
          description: '`waiting` for a confirmation; `broken`: switched off, or dead.',
        }),
        count,
      }),
    ),
    stand_ins: Type.Object({ asked: count, agreed: count, stands_in: count }),
    sessions: count,
    tokens: count,
    second_factor_reset: nullable(
      Type.Object({
        requested_at: instantOut,
        due_at: Type.Unsafe<Date>({ ...instantOut, description: 'When the second factor is turned off.' }),
      }),
    ),
  }),
);

export const AdminInvitationOut = component(
  'AdminInvitationOut',
  Type.Object({
    id: Type.String({ format: 'uuid' }),
    email: text,
    created_at: instantOut,
    expires_at: instantOut,
  }),
);

export const AdminOut = component(
  'AdminOut',
  Type.Object({
    people: count,
    sign_up: Type.String({ description: 'Who gets a new account: `open`, `invite` or `domains`.' }),
    sign_up_fixed: Type.Boolean({ description: 'The setting SIGN_UP decides, so it cannot be changed here.' }),
  }),
);

export const AdminHealthOut = component(
  'AdminHealthOut',
  Type.Object({
    version: text,
    node: text,
    role: text,
    started_at: instantOut,
    releases: Type.Array(Type.Object({ version: text, first_started_at: instantOut })),
    engine: Type.Object({
      lag_seconds: Type.Number({ description: 'How many seconds late the most overdue nudge is.' }),
      last_sweep_at: nullableInstantOut,
      processes: Type.Integer({ description: 'How many processes run the engine.' }),
    }),
    processes: Type.Array(Type.Object({ release: text, role: text, started_at: instantOut })),
    older_processes: Type.Integer({
      description: 'How many processes of a release before 0.3.0 still run. They swallow nudges: stop them.',
    }),
    database: Type.Object({ engine: text, size_bytes: Type.Integer() }),
    mail: Type.String({ description: '`smtp`, `printed` to the log, or `off`.' }),
    providers: Type.Array(
      Type.Object({
        provider: text,
        configured: Type.Boolean(),
        due: Type.Integer({ description: 'Deliveries that could be sent now, counted up to 10000.' }),
        later: Type.Integer({ description: 'Deliveries that wait for a later time, counted up to 10000.' }),
        wait_seconds: Type.Integer({ description: 'For how long the oldest due delivery has been waiting.' }),
      }),
    ),
    last_backup_at: Type.Unsafe<Date | null>({
      ...nullableInstantOut,
      description: 'When `crescendo backup` last wrote a file. Null on PostgreSQL, whose own tools make the backups.',
    }),
    understudies: Type.Object(
      {
        where: Type.String({ description: '`elsewhere`, `anywhere` or `off`: the setting UNDERSTUDIES.' }),
        held: Type.Integer({ description: 'How many people have everything held, counted up to 10000.' }),
        one: Type.Integer({ description: 'How many have one message, because the server takes few more today.' }),
        none_left: Type.Integer({ description: 'How many have none for this reason.' }),
        horizon_seconds: nullable(Type.Integer({ description: 'The shortest time for which a server holds them.' })),
        last_moved_at: nullableInstantOut,
        servers: Type.Array(
          Type.Object({
            name: nullable(Type.String({ description: 'Its host; null for servers that people chose themselves.' })),
            people: Type.Integer({ description: 'How many people have a message there, by the newest 2000 messages.' }),
            failing: Type.Integer({ description: 'How many should have one, and it was refused.' }),
            problem: nullable(Type.String({ description: 'Why, in a sentence.' })),
          }),
        ),
      },
      { description: 'Messages that are held elsewhere, to be shown if the service falls silent.' },
    ),
    last_outage: Type.Unsafe<{ from: Date; to: Date; people: number; nudges: number } | null>({
      ...Type.Object({ from: instantOut, to: instantOut, people: count, nudges: count }),
      type: ['object', 'null'],
      description: 'When no engine was alive, in the last 30 days, and how many people had how many late nudges.',
    }),
  }),
);

export const SignUpSwitch = component(
  'SignUpSwitch',
  Type.Object({ sign_up: Type.Unsafe<'open' | 'invite'>({ type: 'string', enum: ['open', 'invite'] }) }),
);

export const InvitationCreate = component(
  'InvitationCreate',
  Type.Object({ email: Type.String({ maxLength: 320, description: 'The address that gets an account.' }) }),
);
