import { Type } from 'typebox';
import type { Routes } from '../http/app.ts';
import { callerOf } from '../http/authentication.ts';
import { envelopeOf, ok } from '../http/envelope.ts';
import { named } from '../lib/schema.ts';
import { cursorBefore, readEntryCursor } from './list-cursor.ts';
import { NudgeForecast, TimelineEntry, toEntryOut } from './timeline.schemas.ts';
import type { TimelineService } from './timeline.service.ts';

const tags = ['tasks'];
const params = Type.Object({ task_id: Type.String({ format: 'uuid' }) });

export const timelineRoutes =
  (timeline: TimelineService): Routes =>
  (app) => {
    for (const schema of [NudgeForecast, TimelineEntry]) app.addSchema(schema);
    app.get(
      '/v1/tasks/:task_id/forecast',
      {
        config: { refuses: ['not_allowed'] },
        schema: {
          ...{ operationId: 'forecast_task', tags, summary: 'Tell the nudges to come and what holds them' },
          params,
          querystring: Type.Object({ limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 10 })) }),
          response: { 200: envelopeOf(Type.Array(named(NudgeForecast))) },
        },
      },
      async (request) => {
        const nudges = await timeline.forecast(callerOf(request), request.params.task_id, request.query.limit ?? 10);
        return ok(
          nudges.map(({ at, stage, wantedAt, holds }) => ({ at, stage, wanted_at: wantedAt, holds: [...holds] })),
        );
      },
    );
    app.get(
      '/v1/tasks/:task_id/timeline',
      {
        config: { refuses: ['not_allowed'] },
        schema: {
          ...{ operationId: 'read_timeline', tags, summary: 'Tell what happened to the task, newest first' },
          params,
          querystring: Type.Object({
            limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
            cursor: Type.Optional(Type.String({ maxLength: 200, description: 'From the header X-Next-Cursor.' })),
          }),
          response: { 200: envelopeOf(Type.Array(named(TimelineEntry))) },
        },
      },
      async (request, reply) => {
        const { limit = 50, cursor } = request.query;
        const before = cursor === undefined ? undefined : readEntryCursor(cursor);
        const entries = await timeline.past(callerOf(request), request.params.task_id, before, limit);
        const last = entries.at(-1);
        if (entries.length === limit && last) reply.header('x-next-cursor', cursorBefore(last));
        return ok(entries.map(toEntryOut));
      },
    );
  };
