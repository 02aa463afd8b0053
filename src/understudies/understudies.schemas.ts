import { component, instantOut, nullable, nullableInstantOut, Type } from '../lib/schema.ts';
import type { UnderstudyView } from './understudy-view.ts';

const id = Type.String({ format: 'uuid' });

export const UnderstudiesOut = component(
  'UnderstudiesOut',
  Type.Object({
    state: Type.Unsafe<UnderstudyView['state']>({
      type: 'string',
      description:
        '`held`: messages wait elsewhere, to be shown if the service falls silent. `one`, `none_left`: the server takes ' +
        'few more messages today. `no_channel`: no channel of yours can hold one. `not_held`: they should be held, and ' +
        '`reason` says why they are not, or they are on their way. `paused`: your pause is longer than messages are ' +
        'held. `off`: the operator has switched it off.',
    }),
    channel_id: nullable(Type.String({ format: 'uuid', description: 'The channel that holds them.' })),
    reason: nullable(Type.String({ description: 'Why a message could not be held, as a code.' })),
    problem: nullable(Type.String({ description: 'The same as a sentence.' })),
    horizon_seconds: nullable(Type.Integer({ description: 'For how long the server holds a message.' })),
    moved_at: Type.Unsafe<Date | null>({ ...nullableInstantOut, description: 'When the server last took one.' }),
    held: Type.Array(
      Type.Object({
        at: Type.Unsafe<Date>({ ...instantOut, description: 'When it is shown, unless it is moved before.' }),
        kind: Type.Unsafe<UnderstudyView['held'][number]['kind']>({
          type: 'string',
          description:
            '`due`: names what is due by then. `task`: about one must-not-miss task. `gone`: nothing is due.',
        }),
        task_id: nullable(id),
      }),
    ),
    channels: Type.Array(
      Type.Object({
        id,
        holds: Type.String({
          description:
            'Whether it can hold a message: `yes`, `not_the_kind`, `not_working`, `same_machine` as the service, ' +
            '`server_too_old`, `off`, or another code that the server was refused for.',
        }),
      }),
    ),
  }),
);
