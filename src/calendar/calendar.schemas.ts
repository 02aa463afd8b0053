import { Type } from 'typebox';
import { component, nullableInstantOut } from '../lib/schema.ts';

const shown = {
  active: Type.Boolean({ description: 'Whether a calendar can read your tasks.' }),
  created_at: nullableInstantOut,
  last_read_at: Type.Unsafe<Date | null>({
    ...nullableInstantOut,
    description: 'When a calendar last read it, to the minute.',
  }),
};

export const CalendarFeedOut = component('CalendarFeedOut', Type.Object(shown));

export const CalendarFeedMade = component(
  'CalendarFeedMade',
  Type.Object({
    ...shown,
    url: Type.String({ description: 'The address to subscribe to. Shown this once; whoever has it can read.' }),
  }),
);

const form = Type.Unsafe<'vevent' | 'vtodo'>({ type: 'string', enum: ['vevent', 'vtodo'], default: 'vevent' });

export const FeedQuery = Type.Object({
  as: Type.Optional(
    Type.Unsafe<'vevent' | 'vtodo'>({
      ...form,
      description: 'Calendars show events (`vevent`) alone; an app for tasks may read `vtodo`.',
    }),
  ),
});

export const FeedParams = Type.Object({ token: Type.String({ minLength: 1, maxLength: 100 }) });

export const noFeed = { active: false, created_at: null, last_read_at: null };
