import type { Static } from 'typebox';
import { component, instantOut, nullable, nullableInstantOut, Type } from '../../lib/schema.ts';
import { occurrence } from '../tasks.schemas.ts';
import { LAST_RUNG } from './stand-ins.ts';

const id = Type.String({ format: 'uuid' });
const Person = Type.Object({ id, display_name: nullable(Type.String()) });

const fromRung = {
  minimum: 0,
  maximum: LAST_RUNG,
  description: 'From which nudge on the person is told: 0 for the first one at the due moment, 3 for the fourth.',
};

export const StandInRequest = component(
  'StandInRequest',
  Type.Object({
    person_id: Type.String({ format: 'uuid', description: 'A member of the space.' }),
    space_id: Type.String({ format: 'uuid', description: 'A space of you both. It ends when one of you leaves it.' }),
    task_id: Type.Optional(Type.String({ format: 'uuid', description: 'One task of yours.' })),
    label: Type.Optional(
      Type.String({ minLength: 1, maxLength: 100, description: 'All your tasks with this label. Without both: all.' }),
    ),
    from_rung: Type.Unsafe<number | null>({
      anyOf: [{ type: 'integer', ...fromRung }, { type: 'null' }],
      description:
        'From which nudge on the person is told: 0 for the first one at the due moment, 3 for the fourth. Null, for one ' +
        'task: the person is not told of it.',
    }),
  }),
);
export type StandInInput = Static<typeof StandInRequest>;

export const AgreeRequest = component(
  'AgreeRequest',
  Type.Object({
    passes_quiet_hours: Type.Optional(
      Type.Boolean({ description: 'What must not be missed may pass your quiet hours. False if it is left out.' }),
    ),
  }),
);

export const StandInOut = component(
  'StandInOut',
  Type.Object({
    id,
    role: Type.String({ description: '`owner`: your tasks, told to the person. `stand_in`: you are told.' }),
    owner: Person,
    person: Person,
    space_id: id,
    space_name: nullable(Type.String()),
    task_id: nullable(id),
    task_title: nullable(Type.String({ description: 'Null for a stand-in who cannot read the task in its space.' })),
    label: nullable(Type.String()),
    from_rung: nullable(Type.Integer(fromRung)),
    passes_quiet_hours: Type.Boolean(),
    state: Type.String({ description: '`asked`, `agreed`, or `left_out` for a task that the person is not told of.' }),
    asked_at: instantOut,
    agreed_at: nullableInstantOut,
  }),
);

export const TaskStandInOut = component(
  'TaskStandInOut',
  Type.Object({
    id,
    space_id: id,
    person: Person,
    from_rung: nullable(Type.Integer(fromRung)),
    for: Type.String({ description: 'What the person was asked for: `task`, `label` or `everything`.' }),
    state: Type.String({ description: '`asked`, `agreed` or `left_out`.' }),
    starts_at: Type.Unsafe<Date | null>({
      ...nullableInstantOut,
      description:
        'When the person will first be told if nobody reacts and nothing changes; null if they were, or never.',
    }),
    told_at: nullableInstantOut,
    held_until: Type.Unsafe<Date | null>({
      ...nullableInstantOut,
      description: 'Until when the quiet hours or the pause of the person hold what they would be told now.',
    }),
    seen_at: nullableInstantOut,
  }),
);

export const StandInTaskOut = component(
  'StandInTaskOut',
  Type.Object({
    task_id: id,
    title: Type.String(),
    notes: nullable(Type.String()),
    owner: Person,
    due_at: nullableInstantOut,
    has_time: Type.Boolean(),
    must_not_miss: Type.Boolean(),
    stage: Type.Integer(),
    stand_in_id: id,
    is_either: Type.Boolean({ description: 'You are both reminded from the first nudge on.' }),
    told_at: instantOut,
    last_told_at: instantOut,
    seen_at: nullableInstantOut,
    snoozed_until: nullableInstantOut,
    settled: nullable(
      Type.Object({
        at: instantOut,
        by: nullable(Type.String({ description: 'The name of the person; null if there is none.' })),
        is_own: Type.Boolean({ description: 'You did it.' }),
        how: Type.String({ description: '`done`, `skipped` or `dropped`.' }),
      }),
    ),
  }),
);

export const StandInSnooze = component(
  'StandInSnooze',
  Type.Object({
    until: Type.String({
      format: 'date-time',
      pattern: String.raw`([Zz]|[+-]\d{2}:?\d{2})$`,
      description: 'You are told nothing more of it until then. With an offset.',
    }),
    ...occurrence,
  }),
);
