/** Schemas that several tools share. They are short, because a model reads every word of them in each conversation. */
import type { TSchema } from 'typebox';
import { Type } from '../lib/schema.ts';
import type { Recurrence } from './recurrence-input.ts';

export const tool = <T extends Record<string, TSchema>>(properties: T) =>
  Type.Object(properties, { additionalProperties: false });

export const text = (maxLength: number, description: string) => Type.String({ maxLength, description });
export const flag = (description: string) => Type.Boolean({ description });
export const words = <T extends string>(values: readonly T[], description: string) =>
  Type.Unsafe<T>({ type: 'string', enum: values, description });

export const taskId = Type.String({ format: 'uuid', description: 'Its id.' });

export const spaceId = Type.String({ format: 'uuid', description: 'A space of the user.' });

/** Has no `format`: the standard's date-time requires an offset, and the API, which validates it, does not. */
export const dateTime = (description: string) => text(40, description);

export const occurrenceDueAt = dateTime('Of a repeating task: the due_at you saw. Refused once it moved on.');

const recurrence = Type.Unsafe<Recurrence | string>({
  // A list of types is legal, but clients that know a single one (function declarations of Gemini) drop it.
  anyOf: [
    { type: 'object', maxProperties: 50 },
    { type: 'string', maxLength: 10_000 },
  ],
  description:
    'How it repeats, on the user\'s clock; needs due_at, the first date. {"freq": "daily|weekly|monthly|yearly|hourly|' +
    'minutely", "interval": 2, "by_weekday": ["mo"], "by_month_day": [15], "by_month", "by_set_pos", "by_time": ' +
    '["08:00"], "until", "count", "from": "due|completion"}, {"rrule": "FREQ=WEEKLY;BYDAY=MO"}, or words like ' +
    '"every 2 weeks".',
});

export const ringAnyway = flag('Reminds then, once, in spite of quiet hours or a pause. Only if the user asks.');

/** The fields of a task that a model may set. */
export const taskFields = {
  title: Type.String({ minLength: 1, maxLength: 200, description: 'What to do.' }),
  notes: Type.Optional(text(10_000, 'Details for the user.')),
  kind: Type.Optional(text(100, 'A label of your own.')),
  due_at: Type.Optional(dateTime('When it is due: 2026-12-01T18:00, or 2026-12-01 for all day. Reminders start then.')),
  has_time: Type.Optional(flag('Whether the time of due_at counts.')),
  recurrence: Type.Optional(recurrence),
  lead_time_days: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 30, description: 'A gentle heads-up this many days before.' }),
  ),
  mode: Type.Optional(words(['escalate', 'notify_once'], 'escalate: until dealt with. notify_once: one reminder.')),
  break_quiet_hours: Type.Optional(flag('Reminds in quiet hours too. Only if the user asks.')),
  ring_anyway: Type.Optional(ringAnyway),
  allow_past: Type.Optional(flag('The user confirmed a due_at in the past.')),
};
