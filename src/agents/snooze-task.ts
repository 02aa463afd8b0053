import type { Static } from 'typebox';
import { Type } from '../lib/schema.ts';
import { taskPath } from './api.ts';
import { CHANGE, defineTool } from './define-tool.ts';
import { timeInWords, zonedAt } from './format-time.ts';
import { type ApiTask, type TimeContext, taskAnswer, taskAnswerSchema } from './task-view.ts';
import { ToolFailure } from './tool-failure.ts';
import { dateTime, occurrenceDueAt, taskId } from './tool-schemas.ts';

const input = Type.Object(
  {
    task_id: taskId,
    until: Type.Optional(dateTime('When to remind again; must lie ahead.')),
    minutes: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 527_040, description: 'Instead of until: this many minutes from now.' }),
    ),
    duration: Type.Optional(
      Type.String({
        maxLength: 40,
        description: 'Instead of until: an ISO 8601 duration from now; days and longer keep the wall-clock time.',
        examples: ['PT90M', 'P1D', 'P1W'],
      }),
    ),
    occurrence_due_at: Type.Optional(occurrenceDueAt),
  },
  { additionalProperties: false },
);

export const snoozeTask = defineTool({
  name: 'snooze_task',
  title: 'Snooze a task',
  description:
    'Puts a task off: no reminders until then, and the ladder starts again at its gentlest. Use it when the user wants ' +
    'to be reminded later, or to give a task without due date a moment to be reminded at. Give exactly one of until, ' +
    'minutes and duration. The due date stays as it is. Returns the task and says when the next reminder comes. ' +
    'Needs the scope tasks:write.',
  annotations: CHANGE,
  input,
  output: taskAnswerSchema,
  async run(agent, { task_id, occurrence_due_at, ...when }) {
    const until = untilOf(when, agent);
    const payload = { until, ...(occurrence_due_at !== undefined && { occurrence_due_at }) };
    const { data } = await agent.api<ApiTask>({ method: 'POST', url: taskPath(task_id, '/snooze'), payload });
    return taskAnswer('Snoozed: ', data, agent);
  },
});

type When = Pick<Static<typeof input>, 'until' | 'minutes' | 'duration'>;

function untilOf({ until, minutes, duration }: When, context: TimeContext): string {
  if ([until, minutes, duration].filter((given) => given !== undefined).length !== 1) {
    throw new ToolFailure('invalid_input', 'Give exactly one of until, minutes and duration');
  }
  if (until !== undefined) return until;
  return addDuration(minutes === undefined ? (duration ?? '') : `PT${minutes}M`, context);
}

function addDuration(duration: string, { zone, now }: TimeContext): string {
  try {
    const start = zonedAt(now, zone);
    const end = start.add(Temporal.Duration.from(duration));
    if (Temporal.ZonedDateTime.compare(end, start) > 0 && end.year <= 9999) return end.toInstant().toString();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  const words = 'duration: Input should be a positive ISO 8601 duration, such as PT90M or P1D';
  throw new ToolFailure('invalid_input', `${words}, counted from now, ${timeInWords(now, zone)} (${zone})`);
}
