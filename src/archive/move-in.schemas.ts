/** What the API says about a move from another app. */
import { namedChoice } from '../escalation/ladder.schemas.ts';
import { component, instantOut, nullable, nullableInstantOut, Type } from '../lib/schema.ts';
import { labelName } from '../tasks/labels/labels.schemas.ts';
import { DECISIONS, type Decision, MOST_DECIDED } from './move-in-overdue.service.ts';
import { LEFT_OUT, type LeftOut, SOURCES, type Source } from './readers/foreign-task.ts';

const id = Type.String({ format: 'uuid' });
const text = Type.String();
const count = Type.Integer();
const MOST_LABELS = 200;

const source = Type.Unsafe<Source>({ type: 'string', enum: [...SOURCES], description: 'The app that wrote the file.' });

const FoundList = Type.Object({ name: text, open: count, closed: count });

const contents = {
  source,
  tasks: Type.Integer({ description: 'How many tasks can come.' }),
  open: count,
  closed: count,
  overdue: Type.Integer({
    description:
      'Open tasks that are overdue, or whose first reminder would come at once. They wait for a decision before they ring.',
  }),
  repeating: count,
  lists: Type.Array(FoundList, {
    description: 'The lists or projects of the file. Their index is the `list` of a label.',
  }),
  rules: Type.Array(
    Type.Object({
      title: text,
      rule: Type.String({ description: 'The rule in words, as it is understood.' }),
      has_time: Type.Boolean(),
      dates: Type.Array(instantOut, { description: 'The first dates.' }),
    }),
    { description: 'The first tasks that repeat.' },
  ),
  examples: Type.Array(
    Type.Object({
      title: text,
      list: nullable(text),
      due_at: nullableInstantOut,
      has_time: Type.Boolean(),
      overdue: Type.Boolean(),
    }),
    { description: 'The first open tasks.' },
  ),
  not_understood: Type.Array(
    Type.Object({
      at: Type.String({ description: 'Where it stands in the file.' }),
      title: nullable(text),
      says: Type.String({ description: 'What was not understood, and what becomes of it.' }),
    }),
    { description: 'The first remarks.' },
  ),
  not_understood_count: Type.Integer({ description: 'How many remarks there are.' }),
  left_out: Type.Array(Type.Object({ what: Type.Unsafe<LeftOut>({ type: 'string', enum: [...LEFT_OUT] }), count }), {
    description: 'What the file has and a task here has no place for.',
  }),
  already_there: Type.Integer({ description: 'How many of the tasks the account has. They do not come twice.' }),
};

export const MoveInPreviewOut = component(
  'MoveInPreviewOut',
  Type.Object({
    id,
    ...contents,
    expires_at: Type.Unsafe<Date>({
      ...instantOut,
      description: 'Until then the import can be started without sending the file again.',
    }),
  }),
);

export const MoveInStart = component(
  'MoveInStart',
  Type.Object({
    preview_id: Type.String({ format: 'uuid', description: 'The `id` of the preview.' }),
    which: Type.Optional(
      Type.Unsafe<'all' | 'open'>({
        type: 'string',
        enum: ['all', 'open'],
        default: 'open',
        description: '`open` leaves out what is done.',
      }),
    ),
    labels: Type.Optional(
      Type.Array(Type.Object({ list: Type.Integer({ minimum: 0, maximum: MOST_LABELS - 1 }), label: labelName }), {
        maxItems: MOST_LABELS,
        default: [],
        description: 'The label of each list that shall have one.',
      }),
    ),
    ladder: Type.Optional(
      nullable(
        Type.Object(namedChoice, { description: 'The ladder of all tasks that escalate; null for the usual one.' }),
      ),
    ),
  }),
);

export const MoveInOut = component(
  'MoveInOut',
  Type.Object({
    id,
    source,
    state: Type.Unsafe<'preview' | 'importing' | 'stopped' | 'done' | 'undoing' | 'undone'>({
      type: 'string',
      enum: ['preview', 'importing', 'stopped', 'done', 'undoing', 'undone'],
      description: '`stopped`: the account reached a limit, which `problem` names.',
    }),
    tasks: Type.Integer({ description: 'How many tasks the file has.' }),
    processed: Type.Integer({ description: 'How many of them the import has looked at.' }),
    imported: count,
    already_there: count,
    refused: count,
    overdue: Type.Integer({ description: 'Imported tasks that wait, or waited, for a decision.' }),
    removed: Type.Integer({ description: 'What was taken back.' }),
    kept: Type.Integer({ description: 'What was not taken back, because somebody has changed it.' }),
    problem: nullable(text),
    created_at: instantOut,
    undo_until: Type.Unsafe<Date | null>({
      ...nullableInstantOut,
      description: 'Until then it can be taken back; null if it cannot.',
    }),
  }),
);

export const UndecidedTasks = component(
  'UndecidedTasks',
  Type.Object({
    tasks: Type.Array(
      Type.Object({
        id,
        title: text,
        kind: text,
        due_at: nullableInstantOut,
        has_time: Type.Boolean(),
        repeats: Type.Boolean(),
      }),
    ),
    has_more: Type.Boolean(),
  }),
);

export const OverdueDecision = component(
  'OverdueDecision',
  Type.Object({
    decision: Type.Unsafe<Decision>({
      type: 'string',
      enum: [...DECISIONS],
      description: '`today`: due today. `keep_date`: overdue as it is, and its reminders begin. `drop`: voided.',
    }),
    task_ids: Type.Array(id, { minItems: 1, maxItems: MOST_DECIDED }),
  }),
);
