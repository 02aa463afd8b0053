/** Arguments that several tools take, and how to tell them to a model. */
import { type TSchema, Type } from 'typebox';

export const described = <T extends TSchema>(schema: T, description: string): T => ({ ...schema, description });

export const taskId = Type.String({
  format: 'uuid',
  description: "The task's id, as list_tasks or create_task gave it.",
});

export const taskPath = (id: string, action = ''): string => `/v1/tasks/${encodeURIComponent(id)}${action}`;

/** Judged by the API, whose date-times need no offset; the standard's format would demand one of clients. */
export const moment = (what: string) =>
  Type.String({
    maxLength: 40,
    description: `${what} ISO 8601 date-time. Without an offset it is read in the user's own time zone.`,
    examples: ['2026-12-01T18:00', '2026-12-01T18:00:00+01:00'],
  });

export const occurrence = moment(
  'Optional, for a repeating task: the due_at you were shown. If the task has moved on since, nothing changes.',
);
