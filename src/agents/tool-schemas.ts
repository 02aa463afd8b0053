/** Schemas that several tools share. */
import type { TSchema } from 'typebox';
import { Type } from '../lib/schema.ts';

export const withDescription = <T extends TSchema>(schema: T, description: string): T => ({ ...schema, description });

/** A union rather than two types: many clients convert a tool's schema into a dialect where `type` is a single word. */
export const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

export const taskId = Type.String({
  format: 'uuid',
  description: "The task's id, as list_tasks or create_task gave it.",
});

/** Has no `format`: the standard's date-time requires an offset, and the API, which validates it, does not. */
export const dateTime = (what: string) =>
  Type.String({
    maxLength: 40,
    description: `${what} ISO 8601 date-time. Without an offset it is read in the user's own time zone.`,
    examples: ['2026-12-01T18:00', '2026-12-01T18:00:00+01:00'],
  });

export const occurrenceDueAt = dateTime(
  'Optional, for a repeating task: the due_at you were shown. If the task has moved on since, nothing changes.',
);
