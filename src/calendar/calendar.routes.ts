import type { FastifyReply } from 'fastify';
import type { App, Routes } from '../http/app.ts';
import { sessionOf } from '../http/authentication.ts';
import { baseUrlOfRequest } from '../http/base-url.ts';
import { callerLeftSignal } from '../http/caller-left.ts';
import { describeRoutes } from '../http/describe-route.ts';
import { ok } from '../http/envelope.ts';
import { sendText } from '../http/streamed-answer.ts';
import { named, Type } from '../lib/schema.ts';
import { CalendarFeedMade, CalendarFeedOut, FeedParams, FeedQuery, noFeed } from './calendar.schemas.ts';
import type { CalendarService, FeedAnswer } from './calendar.service.ts';

const route = describeRoutes('calendar');
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
    route('read_calendar_feed', 'Read the status of your calendar feed', { data: named(CalendarFeedOut) }),
    async (request) => {
      const feed = await calendar.find(sessionOf(request));
      return ok(feed ? { ...feed, active: true } : noFeed);
    },
  );
  app.post(
    '/v1/me/calendar',
    route('make_calendar_feed', 'Create the calendar feed, or replace it with a new URL', {
      data: named(CalendarFeedMade),
      refuses: ['idempotency_key_spent'],
      needsRecentSignIn: true,
      showsSecret: true,
    }),
    async (request) => {
      const { token, ...feed } = await calendar.create(sessionOf(request), request.ip);
      return ok({ ...feed, active: true, url: `${baseUrlOfRequest(request, baseUrl)}/calendar/${token}.ics` });
    },
  );
  app.delete(
    '/v1/me/calendar',
    route('revoke_calendar_feed', 'Revoke the calendar feed', {
      data: Type.Object({ revoked: Type.Boolean() }),
    }),
    async (request) => ok({ revoked: await calendar.revoke(sessionOf(request), request.ip) }),
  );
}

function addFeed(app: App, calendar: CalendarService): void {
  app.get(
    '/calendar/:token.ics',
    {
      config: { refuses: ['too_many_requests'] },
      schema: {
        operationId: 'read_calendar',
        tags: ['calendar'],
        summary: 'Read the open tasks as iCalendar; the URL contains the secret token',
        params: FeedParams,
        querystring: FeedQuery,
        response: { 200: { content: { 'text/calendar': { schema: Type.String() } } } },
      },
    },
    async (request, reply) => {
      const { as: form = 'vevent' } = request.query;
      const knownTags = tagsIn(request.headers['if-none-match']);
      const { costBudget: budget } = request.server;
      const asked = { form, knownTags, callerLeft: callerLeftSignal(reply), budget };
      const { token } = request.params;
      return sendFeed(reply, await calendar.read(token, asked), () => calendar.isReadable(token));
    },
  );
}

/** Private, because the URL is the secret. Always checked before it is reused, because a task may be done by then. */
function sendFeed(reply: FastifyReply, { tag, text }: FeedAnswer, isReadable: () => Promise<boolean>): FastifyReply {
  reply.header('cache-control', 'private, no-cache').header('x-robots-tag', 'noindex').header('etag', tag);
  if (text === undefined) return reply.code(304).send();
  reply.header('content-disposition', 'inline; filename="crescendo.ics"').type(CALENDAR);
  return sendText(reply, text, isReadable);
}

/** A compressing proxy may have made an ETag weak; If-None-Match compares weakly (RFC 9110 §13.1.2). */
const tagsIn = (header = ''): string[] => header.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
