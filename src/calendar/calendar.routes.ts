import type { FastifyReply } from 'fastify';
import { Type } from 'typebox';
import type { App, Routes } from '../http/app.ts';
import { sessionOf } from '../http/authentication.ts';
import { departureOf } from '../http/departure.ts';
import { envelopeOf, ok } from '../http/envelope.ts';
import { ownAddress } from '../http/own-address.ts';
import { named } from '../lib/schema.ts';
import { CalendarFeedMade, CalendarFeedOut, FeedParams, FeedQuery, noFeed } from './calendar.schemas.ts';
import type { CalendarService, FeedAnswer } from './calendar.service.ts';

const tags = ['calendar'];
const CALENDAR = 'text/calendar; charset=utf-8';

export const calendarRoutes =
  (calendar: CalendarService, baseUrl: string | undefined): Routes =>
  (app) => {
    for (const schema of [CalendarFeedOut, CalendarFeedMade]) app.addSchema(schema);
    addManagement(app, calendar, baseUrl);
    addFeed(app, calendar);
  };

function addManagement(app: App, calendar: CalendarService, baseUrl: string | undefined): void {
  app.get(
    '/v1/me/calendar',
    {
      schema: {
        ...{ operationId: 'read_calendar_feed', tags, summary: 'See whether calendars can read your tasks' },
        response: { 200: envelopeOf(named(CalendarFeedOut)) },
      },
    },
    async (request) => {
      const feed = await calendar.find(sessionOf(request));
      return ok(feed ? { ...feed, active: true } : noFeed);
    },
  );
  app.post(
    '/v1/me/calendar',
    {
      schema: {
        ...{ operationId: 'make_calendar_feed', tags, summary: 'Make an address for calendars, or replace it' },
        response: { 200: envelopeOf(named(CalendarFeedMade)) },
      },
    },
    async (request) => {
      const { token, ...feed } = await calendar.make(sessionOf(request), request.ip);
      return ok({ ...feed, active: true, url: `${ownAddress(request, baseUrl)}/calendar/${token}.ics` });
    },
  );
  app.delete(
    '/v1/me/calendar',
    {
      schema: {
        ...{ operationId: 'revoke_calendar_feed', tags, summary: 'Take the address back: nobody reads there any more' },
        response: { 200: envelopeOf(Type.Object({ revoked: Type.Boolean() })) },
      },
    },
    async (request) => ok({ revoked: await calendar.revoke(sessionOf(request), request.ip) }),
  );
}

function addFeed(app: App, calendar: CalendarService): void {
  app.get(
    '/calendar/:token.ics',
    {
      schema: {
        ...{ operationId: 'read_calendar', tags, summary: 'Read open tasks as iCalendar, with the secret address' },
        params: FeedParams,
        querystring: FeedQuery,
        response: { 200: { content: { 'text/calendar': { schema: Type.String() } } } },
      },
    },
    async (request, reply) => {
      const { as: form = 'vevent' } = request.query;
      const knownTags = tagsIn(request.headers['if-none-match']);
      const asked = { form, knownTags, departed: departureOf(reply) };
      return sendFeed(reply, await calendar.read(request.params.token, asked));
    },
  );
}

/** Private, since the address is the key; always asked again, since a task may be done by now. */
function sendFeed(reply: FastifyReply, { tag, text }: FeedAnswer): FastifyReply {
  reply.header('cache-control', 'private, no-cache').header('x-robots-tag', 'noindex').header('etag', tag);
  if (text === undefined) return reply.code(304).send();
  return reply.header('content-disposition', 'inline; filename="crescendo.ics"').type(CALENDAR).send(text);
}

/** A proxy that compresses may have made a tag weak; for a question by GET that makes no difference. */
const tagsIn = (header = ''): string[] => header.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
