import type { Routes } from '../../http/app.ts';
import { callerOf } from '../../http/authentication.ts';
import { describeRoutes } from '../../http/describe-route.ts';
import { ok } from '../../http/envelope.ts';
import { named, Type } from '../../lib/schema.ts';
import { decodeEntryCursor, encodeEntryCursor } from '../cursors.ts';
import { NudgeForecast, TimelineEntry, toEntryOut, toForecastOut } from './timeline.schemas.ts';
import type { TimelineService } from './timeline.service.ts';

const route = describeRoutes('tasks');
const params = Type.Object({ task_id: Type.String({ format: 'uuid' }) });

export const timelineRoutes =
  (timeline: TimelineService): Routes =>
  (app) => {
    for (const schema of [NudgeForecast, TimelineEntry]) app.addSchema(schema);
    app.get(
      '/v1/tasks/:task_id/forecast',
      route('forecast_task', 'List the upcoming nudges of a task and what holds them', {
        params,
        querystring: Type.Object({ limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 10 })) }),
        data: Type.Array(named(NudgeForecast)),
        refuses: ['not_allowed'],
      }),
      async (request) => {
        const nudges = await timeline.forecast(callerOf(request), request.params.task_id, request.query.limit ?? 10);
        return ok(nudges.map(toForecastOut));
      },
    );
    app.get(
      '/v1/tasks/:task_id/timeline',
      route('read_timeline', 'List the timeline of a task, newest entry first', {
        params,
        querystring: Type.Object({
          limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
          cursor: Type.Optional(
            Type.String({ maxLength: 200, description: 'The X-Next-Cursor header of the previous page.' }),
          ),
        }),
        data: Type.Array(named(TimelineEntry)),
        refuses: ['not_allowed'],
      }),
      async (request, reply) => {
        const { limit = 50, cursor } = request.query;
        const before = cursor === undefined ? undefined : decodeEntryCursor(cursor);
        const entries = await timeline.listEntries(callerOf(request), request.params.task_id, before, limit);
        const last = entries.at(-1);
        if (entries.length === limit && last) reply.header('x-next-cursor', encodeEntryCursor(last));
        return ok(entries.map(toEntryOut));
      },
    );
  };
