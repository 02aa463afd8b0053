import { Type } from 'typebox';
import type { Routes } from '../http/app.ts';
import { callerOf } from '../http/authentication.ts';
import { envelopeOf, ok } from '../http/envelope.ts';
import { named } from '../lib/schema.ts';
import type { StatisticsService } from './statistics.service.ts';
import { OutcomeOut, StatsOut } from './tasks.schemas.ts';

const tags = ['statistics'];

export const statisticsRoutes =
  (statistics: StatisticsService): Routes =>
  (app) => {
    for (const schema of [OutcomeOut, StatsOut]) app.addSchema(schema);

    app.get(
      '/v1/outcomes',
      {
        schema: {
          ...{ operationId: 'list_outcomes', tags, summary: 'List what became of your tasks, newest first' },
          querystring: Type.Object({
            outcome: Type.Optional(Type.String({ pattern: '^(done|skipped)$' })),
            limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, default: 100 })),
          }),
          response: { 200: envelopeOf(Type.Array(named(OutcomeOut))) },
        },
      },
      async (request) => {
        const { outcome, limit = 100 } = request.query;
        return ok(await statistics.outcomes(callerOf(request), outcome, limit));
      },
    );

    app.get(
      '/v1/stats',
      {
        schema: {
          ...{ operationId: 'read_statistics', tags, summary: 'Read the sums over your tasks' },
          response: { 200: envelopeOf(named(StatsOut)) },
        },
      },
      async (request) => ok(await statistics.statistics(callerOf(request))),
    );
  };
