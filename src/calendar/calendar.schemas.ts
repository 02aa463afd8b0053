import { component, nullableInstantOut, Type } from '../lib/schema.ts';

const feedFields = {
  active: Type.Boolean({ description: 'True if there is a feed from which a calendar can read your tasks.' }),
  created_at: nullableInstantOut,
  last_read_at: Type.Unsafe<Date | null>({
    ...nullableInstantOut,
    description: 'When a calendar last read the feed, to the minute.',
  }),
};

export const CalendarFeedOut = component('CalendarFeedOut', Type.Object(feedFields));

export const CalendarFeedMade = component(
  'CalendarFeedMade',
  Type.Object({
    ...feedFields,
    url: Type.String({
      description:
        'The URL to subscribe to. Only this response contains it. Anyone who has it can read your open tasks.',
    }),
  }),
);

const form = Type.Unsafe<'vevent' | 'vtodo'>({ type: 'string', enum: ['vevent', 'vtodo'], default: 'vevent' });

export const FeedQuery = Type.Object({
  as: Type.Optional(
    Type.Unsafe<'vevent' | 'vtodo'>({
      ...form,
      description: 'Calendar apps show only events (`vevent`). Task apps can read `vtodo`.',
    }),
  ),
});

export const FeedParams = Type.Object({ token: Type.String({ minLength: 1, maxLength: 100 }) });

export const noFeed = { active: false, created_at: null, last_read_at: null };
