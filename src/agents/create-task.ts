import type { Static } from 'typebox';
import { Type } from '../lib/schema.ts';
import { TaskCreate } from '../tasks/tasks.schemas.ts';
import { CHANGE, defineTool } from './define-tool.ts';
import { type ApiTask, taskAnswer, taskAnswerSchema } from './task-view.ts';
import { ToolFailure } from './tool-failure.ts';
import { dateTime, withDescription } from './tool-schemas.ts';

const { title, kind, mode } = TaskCreate.properties;

const input = Type.Object(
  {
    title: withDescription(title, 'What is to be done, short and concrete: it is what the reminder says.'),
    notes: Type.Optional(Type.String({ maxLength: 10_000, description: 'Details for the user.' })),
    kind: Type.Optional(withDescription(kind, 'A word of your own to sort tasks by; todo if left out.')),
    due_at: Type.Optional(
      dateTime('When it is due; reminders begin then. A bare date (2026-12-01) means all day: from that morning on.'),
    ),
    has_time: Type.Optional(
      Type.Boolean({ description: 'Whether the time in due_at counts. Left out: true unless due_at is a bare date.' }),
    ),
    recurrence: Type.Optional(
      Type.Object(
        {},
        {
          additionalProperties: true,
          maxProperties: 50,
          description:
            'How it repeats, on the wall clock of the user: {"freq": "daily" | "weekly" | "monthly" | "yearly" | ' +
            '"hourly" | "minutely", "interval", "by_weekday": ["mo"], "by_month_day", "by_month", "by_set_pos", ' +
            '"by_time": ["08:00", "20:00"], "until", "count", "from": "due" | "completion"}, or ' +
            '{"rrule": "FREQ=WEEKLY;BYDAY=MO"}. Needs due_at.',
          examples: [{ freq: 'weekly', by_weekday: ['mo', 'th'] }],
        },
      ),
    ),
    lead_time_days: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 30, description: 'A gentle heads-up this many days before it is due.' }),
    ),
    mode: Type.Optional(
      withDescription(
        mode,
        'escalate (default): keeps reminding, ever stronger, until dealt with. notify_once: one reminder.',
      ),
    ),
    break_quiet_hours: Type.Optional(
      Type.Boolean({ description: 'Must not be missed: reminds in quiet hours too. Only where the user asks for it.' }),
    ),
    idempotency_key: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 255,
        description: 'Any text of your own. Calling again with the same key and arguments makes no second task.',
      }),
    ),
  },
  { additionalProperties: false },
);

const BARE_DATE = /^\d{4}-\d{2}-\d{2}$/;

/** `has_time` defaults to true if the model gives a time. The API, made for forms, would use the date alone. */
function dueFields({ due_at, has_time }: Static<typeof input>): object {
  if (due_at === undefined) return has_time === undefined ? {} : { has_time };
  if (!BARE_DATE.test(due_at)) return { due_at, has_time: has_time ?? true };
  if (has_time) throw new ToolFailure('invalid_input', 'due_at: has_time is true, so it needs a time beside the date');
  return { due_at: `${due_at}T00:00:00`, has_time: false };
}

export const createTask = defineTool({
  name: 'create_task',
  title: 'Create a task',
  description:
    'Creates a reminder task for the user. Use it when the user wants to be reminded of something or must not forget ' +
    'it. Reminders start when it is due and grow stronger until the user deals with it. Without due_at it is kept ' +
    'without reminders. Returns the task with its id and says when the first reminder comes; pass that on. ' +
    'Give an idempotency_key if you may have to call again after a lost answer. Needs the scope tasks:write.',
  annotations: CHANGE,
  input,
  output: taskAnswerSchema,
  async run(agent, fields) {
    const { idempotency_key: idempotencyKey, ...rest } = fields;
    const payload = { ...rest, ...dueFields(fields) };
    const { data } = await agent.api<ApiTask>({ method: 'POST', url: '/v1/tasks', payload, idempotencyKey });
    return taskAnswer('Created ', data, agent);
  },
});
