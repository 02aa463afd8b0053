import type { Static } from 'typebox';
import { component, instantOut, MAX_JSON_LENGTH, named, nullable, nullableInstantOut, Type } from '../lib/schema.ts';
import { LONGEST_LEAD_DAYS } from './plan-task.ts';
import type { ShownTask } from './shown-tasks.store.ts';

const id = Type.String({ format: 'uuid' });
const dateTime = Type.String({ format: 'date-time' });
const freeForm = Type.Object({}, { additionalProperties: true });

const title = Type.String({ minLength: 1, maxLength: 200, examples: ['Take the medication'] });
const notes = nullable(Type.String({ maxLength: 10_000 }));
const leadTimeDays = nullable(Type.Integer({ minimum: 0, maximum: LONGEST_LEAD_DAYS }));
const recurrence = Type.Unsafe<Readonly<Record<string, unknown>> | null>({
  type: ['object', 'null'],
  additionalProperties: true,
  [MAX_JSON_LENGTH]: 10_000,
  description:
    '`{freq, interval, by_weekday, by_month_day, by_month, by_set_pos, by_time, until, count, from}` or `{rrule}`; ' +
    'an hourly or minutely rule with `from: "completion"` also takes `between: ["08:00", "22:00"]` and `per_day`. ' +
    'Any other object is stored, but the task does not repeat: the answer then has the header ' +
    '`X-Recurrence: not-understood`, or `partly-understood` if it repeats and some keys were ignored. ' +
    'At most 10,000 characters as JSON.',
  examples: [{ freq: 'weekly', by_weekday: ['mo', 'th'] }],
});
const kind = (options: object) => Type.String({ maxLength: 100, ...options });
const mode = (options: object) => Type.String({ pattern: '^(escalate|notify_once)$', ...options });

export const TaskCreate = component(
  'TaskCreate',
  Type.Object({
    title,
    notes: Type.Optional(notes),
    kind: Type.Optional(kind({ default: 'todo' })),
    due_at: Type.Optional(nullable(dateTime)),
    has_time: Type.Optional(Type.Boolean({ default: false })),
    recurrence: Type.Optional(recurrence),
    lead_time_days: Type.Optional(leadTimeDays),
    mode: Type.Optional(mode({ default: 'escalate' })),
    break_quiet_hours: Type.Optional(Type.Boolean({ default: false })),
    owner_id: Type.Optional(nullable(id)),
    space_id: Type.Optional(nullable(id)),
  }),
);

export const TaskUpdate = component(
  'TaskUpdate',
  Type.Object({
    title: Type.Optional(title),
    notes: Type.Optional(notes),
    kind: Type.Optional(kind({})),
    due_at: Type.Optional(nullable(dateTime)),
    has_time: Type.Optional(Type.Boolean()),
    recurrence: Type.Optional(recurrence),
    lead_time_days: Type.Optional(leadTimeDays),
    mode: Type.Optional(mode({})),
    break_quiet_hours: Type.Optional(Type.Boolean()),
    space_id: Type.Optional(nullable(id)),
  }),
);

const Move = Type.Object({
  due_at: dateTime,
  date_only: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'Only the date of `due_at` counts: a task with a time keeps its time of day.',
    }),
  ),
});

export const TaskEdit = component(
  'TaskEdit',
  Type.Object({
    ...TaskUpdate.properties,
    append_notes: Type.Optional(
      Type.String({ minLength: 1, maxLength: 10_000, description: 'Added to the notes, on a line of its own.' }),
    ),
    move: Type.Optional(Type.Object(Move.properties, { description: 'Moves the current occurrence alone.' })),
  }),
);

/** A rule and its first date that are not stored yet. */
export const PreviewRequest = component(
  'PreviewRequest',
  Type.Object({
    due_at: Type.Optional(nullable(dateTime)),
    has_time: Type.Optional(Type.Boolean()),
    recurrence: Type.Optional(recurrence),
  }),
);

export const occurrence = {
  occurrence_due_at: Type.Optional(
    nullable(
      Type.String({
        format: 'date-time',
        description: 'The occurrence to act on. The call is refused if the task has moved on to another one.',
      }),
    ),
  ),
};

export const OccurrenceRequest = component('OccurrenceRequest', Type.Object(occurrence));

export const SnoozeRequest = component('SnoozeRequest', Type.Object({ until: dateTime, ...occurrence }));

export const RingAnywayRequest = component(
  'RingAnywayRequest',
  Type.Object({
    at: Type.Unsafe<string>({
      ...dateTime,
      description: 'The `wanted_at` of one of the next nudges. A new date or snooze makes it meaningless.',
    }),
  }),
);

export const MoveRequest = component('MoveRequest', Type.Object({ ...Move.properties, ...occurrence }));

const leading = {
  id,
  owner_id: id,
  assigner_id: nullable(id),
  space_id: nullable(id),
  title: Type.String(),
  notes: nullable(Type.String()),
  kind: Type.String(),
  due_at: nullableInstantOut,
  has_time: Type.Boolean(),
  mode: Type.String(),
};
const middle = {
  status: Type.String({ description: '`open`, `done`, `skipped`, `dropped` or `declined`.' }),
  accepted_by_owner: Type.Boolean(),
  escalation_stage: Type.Integer(),
  nudge_count: Type.Integer(),
  next_fire_at: nullableInstantOut,
  completed_at: nullableInstantOut,
};
const trailing = {
  skipped_at: nullableInstantOut,
  last_nudge_at: nullableInstantOut,
  created_at: instantOut,
  updated_at: instantOut,
};

export const TaskOut = component('TaskOut', Type.Object({ ...leading, ...middle, ...trailing }));

export const TaskDetailOut = component(
  'TaskDetailOut',
  Type.Object({
    ...leading,
    break_quiet_hours: Type.Boolean(),
    ...middle,
    recurrence: nullable(freeForm),
    lead_time_days: nullable(Type.Integer()),
    deferred_until: nullableInstantOut,
    ...trailing,
  }),
);

export const TaskEditOut = component(
  'TaskEditOut',
  Type.Object({
    task: named(TaskOut),
    before: Type.Unsafe<Readonly<Record<string, unknown>>>({
      type: 'object',
      additionalProperties: true,
      description: 'What each changed field held before; empty if nothing changed. Long notes are cut.',
    }),
  }),
);

const TaskState = Type.Object({ status: Type.String(), due_at: nullableInstantOut, has_time: Type.Boolean() });

export const BatchOut = component(
  'BatchOut',
  Type.Object({
    batch_id: id,
    results: Type.Array(
      Type.Object({
        task_id: id,
        task: Type.Unsafe<Static<typeof TaskState> | null>({
          ...TaskState,
          type: ['object', 'null'],
          description: 'Its state afterwards; null if it was refused.',
        }),
        error: nullable(Type.String({ description: 'Why it was refused: the code of the error and a sentence.' })),
      }),
    ),
  }),
);

export const ListedBatchOut = component(
  'ListedBatchOut',
  Type.Object({
    batch_id: id,
    as: Type.String({ description: '`done`, `skipped` or `dropped`.' }),
    at: instantOut,
    task_ids: Type.Array(id, { description: 'Your tasks that taking it back would open again.' }),
  }),
);

const writer = {
  kind: Type.String({ description: '`you`, `person`, `agent`, `import`, or `unknown` if it was put back.' }),
  name: nullable(Type.String({ description: 'Of the person or the access token, if it still exists.' })),
};
const Writer = Type.Object(writer);

export const FoundTaskOut = component(
  'FoundTaskOut',
  Type.Object({
    ...TaskDetailOut.properties,
    max_stage: nullable(
      Type.Integer({ description: 'The strongest stage its nudges may reach; null: the strongest.' }),
    ),
    space_name: nullable(Type.String()),
    space_written_by: Type.Unsafe<Static<typeof Writer> | null>({
      ...Writer,
      type: ['object', 'null'],
      description: 'Whether another person may have written the name of its space; null if it is in none.',
    }),
    asked_by: nullable(Type.String({ description: 'The name of the person who assigned it to you.' })),
    written_by: Type.Object(writer, {
      description: 'Who last wrote its title. `you` is the owner, or the access token of this call.',
    }),
    notes_written_by: Type.Unsafe<Static<typeof Writer> | null>({
      ...Writer,
      type: ['object', 'null'],
      description: 'The same of its notes; null if it has none.',
    }),
    kind_written_by: Type.Object(writer, { description: 'The same of its kind.' }),
  }),
);

export const OutcomeOut = component(
  'OutcomeOut',
  Type.Object({
    id,
    task_id: id,
    title: Type.String(),
    occurrence_due_at: nullableInstantOut,
    outcome: Type.String({ description: '`done` or `skipped`.' }),
    recorded_at: instantOut,
  }),
);

export const MissedOut = component(
  'MissedOut',
  Type.Object({
    ...OutcomeOut.properties,
    missed: Type.Integer({ description: 'How many occurrences passed meanwhile; 100 means a hundred or more.' }),
    missed_from: instantOut,
    missed_to: Type.Unsafe<Date>({ ...instantOut, description: 'When the last of those counted was due.' }),
  }),
);

export const StatsOut = component(
  'StatsOut',
  Type.Object({
    open: Type.Integer(),
    overdue: Type.Integer(),
    done: Type.Integer(),
    skipped: Type.Integer(),
    snoozed: Type.Integer(),
    nudges_sent: Type.Integer(),
    nudges_per_completion: Type.Number(),
    avg_hours_to_complete: nullable(Type.Number()),
    completion_rate: nullable(Type.Number()),
  }),
);

export const toDetail = (task: ShownTask): Static<typeof TaskDetailOut> => ({
  ...task,
  recurrence: task.recurrence === null ? null : JSON.parse(task.recurrence),
});
