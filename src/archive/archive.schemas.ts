/** The document of an export, the part of it that can be imported, and the report of an import. */
import { MOST_LABELS, MOST_LADDERS } from '../escalation/choose-ladder.ts';
import { end, ladderChoice, ladderId, namedChoice, rungs } from '../escalation/ladder.schemas.ts';
import { component, instantOut, named, nullable, nullableInstantOut, Type } from '../lib/schema.ts';
import { LabelColour } from '../tasks/labels/labels.schemas.ts';
import { headsUp } from '../tasks/ladder/ladder.schemas.ts';
import { MOST_HEADS_UPS } from '../tasks/plan-task.ts';
import { TaskCreate, TaskDetailOut } from '../tasks/tasks.schemas.ts';

export const SCHEMA_VERSION = 1;

const id = Type.String({ format: 'uuid' });
const text = Type.String();
const dateTime = Type.String({ format: 'date-time' });
/** Beyond any real count, and far below the maximum of the columns, since imported counts keep growing. */
const MOST_COUNTED = 1_000_000;
const CENTURY_SECONDS = 36_525 * 86_400;
const MOST_OUTCOMES = 20_000;
const count = Type.Integer({ minimum: 0, maximum: MOST_COUNTED });
const optional = {
  instant: Type.Optional(nullable(dateTime)),
  count: Type.Optional(count),
  wall: Type.Optional(nullable(Type.String({ maxLength: 64 }))),
  id: Type.Optional(nullable(id)),
};

const { owner_id: _owner, space_id: _space, ...created } = TaskCreate.properties;

/** What an app that syncs by CalDAV sent of a task. */
export const ArchivedAppEntry = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 255 }),
  uid: Type.String({ minLength: 1, maxLength: 500 }),
  kept: nullable(Type.String({ maxLength: 300_000 })),
  is_deleted: Type.Boolean(),
});

/** What a person chose for such apps. */
export const ArchivedCaldav = Type.Object({
  high_is_must_not_miss: Type.Boolean(),
  alarm_minutes: nullable(Type.Integer({ minimum: 0, maximum: 1_440 })),
});

/** The fields of a new task, validated alike, and the fields of its state. Only the title is required. */
export const ArchivedTask = Type.Object({
  ...created,
  id: Type.Optional(id),
  due_written: optional.wall,
  series_first: optional.wall,
  deferred_until: optional.instant,
  status: Type.Optional(Type.String({ pattern: '^(open|done|skipped|dropped|declined)$', default: 'open' })),
  accepted_by_owner: Type.Optional(Type.Boolean({ default: true })),
  occurrence_number: Type.Optional(Type.Integer({ minimum: 1, maximum: MOST_COUNTED, default: 1 })),
  occurrence_started_at: optional.instant,
  run: Type.Optional(Type.Integer({ minimum: 1, maximum: MOST_COUNTED })),
  run_started_at: optional.instant,
  heads_up_at: optional.instant,
  rings_anyway_at: optional.instant,
  completed_at: optional.instant,
  skipped_at: optional.instant,
  closed_at: optional.instant,
  created_at: optional.instant,
  updated_at: optional.instant,
  last_nudge_at: optional.instant,
  step: optional.count,
  nudge_count: optional.count,
  assigner_id: optional.id,
  space_id: optional.id,
  escalation_stage: Type.Optional(Type.Integer({ minimum: 0, maximum: 2 })),
  max_stage: Type.Optional(nullable(Type.Integer({ minimum: 0, maximum: 2 }))),
  shortest_wait: Type.Optional(nullable(Type.Integer({ minimum: 1, maximum: 1_440 }))),
  ladder: Type.Optional(nullable(Type.Object(ladderChoice))),
  ladder_label: Type.Optional(nullable(Type.String({ maxLength: 100 }))),
  heads_ups: Type.Optional(nullable(Type.Array(headsUp, { maxItems: MOST_HEADS_UPS }))),
  caldav_entries: Type.Optional(Type.Array(ArchivedAppEntry, { maxItems: 1 })),
  outcomes: Type.Optional(
    Type.Array(
      Type.Object({
        title: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
        occurrence_due_at: optional.instant,
        outcome: Type.String({ pattern: '^(done|skipped)$' }),
        seconds_taken: Type.Optional(Type.Integer({ minimum: 0, maximum: CENTURY_SECONDS })),
        missed: Type.Optional(nullable(Type.Integer({ minimum: 1, maximum: MOST_COUNTED }))),
        missed_from: optional.instant,
        missed_to: optional.instant,
        recorded_at: dateTime,
      }),
      { maxItems: MOST_OUTCOMES },
    ),
  ),
});

/** What an import restores of the account's ladders. */
export const ArchivedLadders = Type.Object({
  own: Type.Array(Type.Object({ id: ladderId, name: Type.String({ minLength: 1, maxLength: 60 }), rungs, end }), {
    maxItems: MOST_LADDERS,
  }),
  labels: Type.Array(Type.Object({ label: Type.String({ maxLength: 100 }), ladder: Type.Object(namedChoice) }), {
    maxItems: MOST_LABELS,
  }),
  default: nullable(Type.Object(namedChoice)),
});

/**
 * What an import restores of a channel. Not its address: that is a secret, and a forged file could name any address.
 */
export const ArchivedChannel = Type.Object({
  id,
  provider: Type.String({ minLength: 1, maxLength: 40 }),
  name: Type.Optional(nullable(Type.String({ minLength: 1, maxLength: 100 }))),
  label: Type.Optional(nullable(Type.String({ maxLength: 2_048 }))),
  stages: Type.Integer({ minimum: 0, maximum: 15 }),
  tier: Type.Integer({ minimum: 0, maximum: 3 }),
  private_title: Type.Boolean(),
  automatic: Type.Optional(Type.Boolean()),
  invalid_reason: Type.Optional(nullable(text)),
});

const stage = nullable(Type.Integer());

const TaskInArchive = Type.Object({
  ...TaskDetailOut.properties,
  due_written: nullable(text),
  series_first: nullable(text),
  occurrence_number: Type.Integer(),
  occurrence_started_at: instantOut,
  run: Type.Integer(),
  run_started_at: instantOut,
  step: Type.Integer(),
  heads_up_at: nullableInstantOut,
  rings_anyway_at: nullableInstantOut,
  closed_at: nullableInstantOut,
  max_stage: stage,
  shortest_wait: nullable(Type.Integer()),
  ladder: Type.Unsafe<unknown>({ type: ['object', 'null'], additionalProperties: true }),
  ladder_label: nullable(text),
  heads_ups: Type.Unsafe<unknown>({ type: ['array', 'null'], items: { type: 'object', additionalProperties: true } }),
  created_by_token: nullable(id),
  outcomes: Type.Array(
    Type.Object({
      id,
      title: text,
      occurrence_due_at: nullableInstantOut,
      outcome: text,
      seconds_taken: Type.Integer(),
      recorded_at: instantOut,
      missed: nullable(Type.Integer()),
      missed_from: nullableInstantOut,
      missed_to: nullableInstantOut,
    }),
  ),
  timeline: Type.Array(
    Type.Object({
      id,
      at: instantOut,
      kind: text,
      by: nullable(text),
      token_id: nullable(id),
      stage,
      run: nullable(Type.Integer()),
      nudge: nullable(Type.Integer()),
      until: nullableInstantOut,
      holds: nullable(text),
      occurrence_due_at: nullableInstantOut,
      via: nullable(text),
      since: nullableInstantOut,
      devices: nullable(Type.Integer()),
      devices_reached: nullable(Type.Integer()),
      unreached: nullable(text),
      fields: nullable(text),
      missed: nullable(Type.Integer()),
      batch_id: nullable(id),
    }),
  ),
  task_changes: Type.Array(Type.Object({ entry_id: id, before: text, changed_at: instantOut }), {
    description: 'What edits replaced, as JSON.',
  }),
  text_writers: Type.Array(Type.Object({ field: text, by: text, token_id: nullable(id) }), {
    description: 'Who last wrote its `title`, `notes` and `kind`, where that was not the account itself.',
  }),
  caldav_entries: Type.Array(ArchivedAppEntry, {
    description: 'What an app that syncs by CalDAV sent of it, as JSON.',
  }),
});

/** The fields of a stored task in the document; its histories are added separately. */
export const TASK_FIELDS = Object.keys(TaskInArchive.properties).filter(
  (name) => !/^(?:outcomes|timeline|task_changes|text_writers|caldav_entries)$/.test(name),
);
export const REQUEST_FIELDS = Object.keys(TaskDetailOut.properties);

const freeForm = Type.Object({}, { additionalProperties: true });

export const ArchiveOut = component(
  'ArchiveOut',
  Type.Object({
    schema_version: Type.Integer({ description: 'The version of the document format: 1.' }),
    exported_at: instantOut,
    settings: Type.Object(
      {},
      {
        additionalProperties: true,
        description: 'The settings as `GET /v1/me` returns them, and the `planned_pause`.',
      },
    ),
    spaces: Type.Array(freeForm),
    access_tokens: Type.Array(freeForm),
    devices: Type.Array(freeForm),
    channels: Type.Array(freeForm, { description: 'Without their addresses, which are secrets.' }),
    fallback_minutes: Type.Integer({ description: 'How long each tier waits for an answer to the one before it.' }),
    request_messages: Type.Boolean({ description: 'Whether messages about requests are sent.' }),
    ladders: Type.Unsafe<unknown>({
      type: ['object', 'null'],
      additionalProperties: true,
      description: 'Your own ladders, the ones of your labels and your default; null if you have chosen none.',
    }),
    labels: Type.Array(named(LabelColour), { description: 'The colours of labels.' }),
    stand_ins: Type.Array(freeForm, {
      description: 'Who stands in for you, and for whom you do. An import asks nobody, and leaves these out.',
    }),
    caldav: Type.Unsafe<unknown>({
      type: ['object', 'null'],
      additionalProperties: true,
      description: 'What you chose for apps that sync by CalDAV; null if nothing.',
    }),
    identities: Type.Array(freeForm),
    passkeys: Type.Array(freeForm),
    address_changes: Type.Array(freeForm, { description: 'Former addresses that can still undo their change.' }),
    tasks: Type.Array(TaskInArchive),
    requests: Type.Array(named(TaskDetailOut)),
    next_after: nullable(
      Type.String({
        format: 'uuid',
        description: 'The `after` that requests the next importable part; null if there is none.',
      }),
    ),
  }),
);

const ImportedItem = Type.Object({
  index: Type.Integer({ description: 'The index of the task in the file, starting at 0.' }),
  title: nullable(text),
  id: nullable(
    Type.String({
      format: 'uuid',
      description: 'The id of the task in the account; null if the task was not imported.',
    }),
  ),
  result: Type.Unsafe<'imported' | 'already_there' | 'refused' | 'left_out'>({
    type: 'string',
    enum: ['imported', 'already_there', 'refused', 'left_out'],
    description: '`left_out`: the task is valid, but nothing was imported because other tasks were refused.',
  }),
  reason: nullable(text),
});

const ImportedChannel = Type.Object({
  provider: nullable(text),
  name: nullable(text),
  id: nullable(Type.String({ format: 'uuid', description: 'The id of the channel in the account.' })),
  result: Type.Unsafe<'restored' | 'to_set_up' | 'already_there' | 'refused'>({
    type: 'string',
    enum: ['restored', 'to_set_up', 'already_there', 'refused'],
    description: '`to_set_up`: its settings are back; enter its address, or connect it, and confirm that it is yours.',
  }),
  reason: nullable(text),
});

export const ImportReport = component(
  'ImportReport',
  Type.Object({
    imported: Type.Integer(),
    skipped: Type.Integer({ description: 'The number of tasks that the account already had.' }),
    refused: Type.Integer(),
    quiet: Type.Integer({
      description:
        'The number of imported tasks of another program that were overdue by more than a day. They get no nudges.',
    }),
    remaining: Type.Integer({
      description: 'The number of tasks that this import left in the file, because one import is limited in size.',
    }),
    next: nullable(
      Type.Integer({
        description: 'To continue, send the file again with this value as `from`; null if no tasks remain.',
      }),
    ),
    zone: Type.Object(
      {
        document: nullable(
          Type.String({ description: 'The time zone that the document states; null if it states none.' }),
        ),
        account: Type.String({ description: 'The time zone of the account, which reminders follow.' }),
        taken_over: Type.Boolean({
          description: 'True if the account was new and adopted the time zone of the document.',
        }),
      },
      { description: 'If the two time zones differ, series and all-day tasks follow the one of the account.' },
    ),
    left_behind: Type.Object(
      { spaces: Type.Integer(), assigners: Type.Integer() },
      {
        description:
          'The numbers of imported tasks that were in a space or had an assigner. An import restores neither.',
      },
    ),
    channels: Type.Array(ImportedChannel, {
      description:
        'The channels of the document, if this import took its first task. The mail that the service sets up by itself is not listed.',
    }),
    items: Type.Array(ImportedItem),
  }),
);
