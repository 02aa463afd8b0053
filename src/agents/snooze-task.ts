import type { Static } from 'typebox';
import { parseDateTime, toInstant } from '../lib/date-time.ts';
import { Type } from '../lib/schema.ts';
import { taskPath } from './api.ts';
import type { ApiTask } from './api-task.ts';
import { answerWith, CHANGE, defineTool, readTasks } from './define-tool.ts';
import { dateTimeText, isBareDate, occurrenceText } from './due-input.ts';
import { type TimeContext, timeInWords, zonedAt } from './format-time.ts';
import { checkMayRing, ringAnyway } from './held.ts';
import { ToolFailure } from './tool-failure.ts';
import { dateTime, occurrenceDueAt, ringAnyway as ringAnywayFlag, taskId, text, tool } from './tool-schemas.ts';

const input = tool({
  task_id: taskId,
  until: Type.Optional(dateTime('When to remind again, e.g. 2026-12-01T18:00.')),
  minutes: Type.Optional(Type.Integer({ minimum: 1, maximum: 527_040, description: 'Instead: minutes from now.' })),
  duration: Type.Optional(text(40, 'Instead: an ISO 8601 duration from now, e.g. PT90M, P1D.')),
  ring_anyway: Type.Optional(ringAnywayFlag),
  occurrence_due_at: Type.Optional(occurrenceDueAt),
});

export const snoozeTask = defineTool({
  name: 'snooze_task',
  title: 'Snooze a task',
  description:
    'Puts a task off: no reminders until then, and the ladder starts again at its gentlest. The due date stays. Also ' +
    'reminds of a task without one. Needs tasks:write.',
  annotations: CHANGE,
  input,
  async run(agent, { task_id, occurrence_due_at: due, ring_anyway, ...when }) {
    if (ring_anyway) checkMayRing(agent);
    const until = untilOf(when, agent);
    const payload = { until, ...(due !== undefined && { occurrence_due_at: occurrenceText(due) }) };
    const before = (await readTasks(agent, [task_id.toLowerCase()])).get(task_id.toLowerCase())?.deferred_until;
    const { data } = await agent.api<ApiTask>({ method: 'POST', url: taskPath(task_id, '/snooze'), payload });
    const snoozed = { ...data, deferred_until: instantOf(until, agent) };
    const { text } = await answerWith(agent, 'Snoozed: ', ring_anyway ? await ringAnyway(agent, snoozed) : snoozed);
    const isReplaced = before != null && new Date(before) > agent.now;
    return { text: isReplaced ? `${text} Before: snoozed until ${timeInWords(new Date(before), agent.zone)}.` : text };
  },
});

/** The API has read the same text. */
function instantOf(text: string, { zone }: TimeContext): string | null {
  const written = parseDateTime(text);
  return written ? toInstant(written, zone).toISOString() : null;
}

type When = Pick<Static<typeof input>, 'until' | 'minutes' | 'duration'>;

function untilOf({ until, minutes, duration }: When, context: TimeContext): string {
  if ([until, minutes, duration].filter((given) => given !== undefined).length !== 1) {
    throw new ToolFailure('invalid_input', 'Give exactly one of until, minutes and duration');
  }
  if (until !== undefined && isBareDate(until)) {
    throw new ToolFailure('invalid_input', 'until: Input should have a time beside the date, such as 2026-12-01T09:00');
  }
  if (until !== undefined) return dateTimeText(until);
  return addDuration(minutes === undefined ? (duration ?? '') : `PT${minutes}M`, context);
}

const UNITS: Readonly<Record<string, string>> = { m: 'PT#M', h: 'PT#H', d: 'P#D', w: 'P#W' };
const IN_WORDS = /^(\d{1,6}) *(m|min|mins|minutes?|h|hr|hrs|hours?|d|days?|w|weeks?)$/i;

/** `90 min`, `2h` and `1 day`, as models write them too. */
function isoDuration(text: string): string {
  const [, count = '', unit = ''] = IN_WORDS.exec(text.trim()) ?? [];
  return UNITS[unit.charAt(0).toLowerCase()]?.replace('#', count) ?? text;
}

function addDuration(duration: string, { zone, now }: TimeContext): string {
  try {
    const start = zonedAt(now, zone);
    const end = start.add(Temporal.Duration.from(isoDuration(duration)));
    if (Temporal.ZonedDateTime.compare(end, start) > 0 && end.year <= 9999) return end.toInstant().toString();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  const words = 'duration: Input should be a positive ISO 8601 duration, such as PT90M or P1D';
  throw new ToolFailure('invalid_input', `${words}, counted from now, ${timeInWords(now, zone)} (${zone})`);
}
