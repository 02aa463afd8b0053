import type { Static } from 'typebox';
import { component, instantOut, MAX_JSON_LENGTH, nullable, nullableInstantOut, Type } from '../lib/schema.ts';
import type { ShownTask } from './shown-tasks.store.ts';

const id = Type.String({ format: 'uuid' });
const dateTime = Type.String({ format: 'date-time' });
const freeForm = Type.Object({}, { additionalProperties: true });

const title = Type.String({ minLength: 1, maxLength: 200, examples: ['Take the medication'] });
const notes = nullable(Type.String({ maxLength: 10_000 }));
const leadTimeDays = nullable(Type.Integer({ minimum: 0, maximum: 30 }));
const recurrence = Type.Unsafe<Readonly<Record<string, unknown>> | null>({
  type: ['object', 'null'],
  additionalProperties: true,
  [MAX_JSON_LENGTH]: 10_000,
  description:
    '`{freq, interval, by_weekday, by_month_day, by_month, by_set_pos, by_time, until, count, from}` or `{rrule}`. ' +
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

const occurrence = {
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

export const MoveRequest = component(
  'MoveRequest',
  Type.Object({
    due_at: dateTime,
    date_only: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Only the date of `due_at` counts: a task with a time keeps its time of day.',
      }),
    ),
    ...occurrence,
  }),
);

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

const writer = {
  kind: Type.String({ description: '`you`, `person`, `agent` or `import`.' }),
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
