import type { Static } from 'typebox';
import type { Routes } from '../http/app.ts';
import { callerOf } from '../http/authentication.ts';
import { describeRoutes } from '../http/describe-route.ts';
import { ok } from '../http/envelope.ts';
import { chargeRows } from '../http/limit-costs.ts';
import { named, Type } from '../lib/schema.ts';
import type { StatisticsService } from './statistics.service.ts';
import { MissedOut, OutcomeOut, StatsOut } from './tasks.schemas.ts';

const route = describeRoutes('statistics', { isCostly: true });

/** Counting an entry of an index costs about a hundredth of reading a row. */
const COUNTED_PER_ROW = 100;

export const statisticsRoutes =
  (statistics: StatisticsService): Routes =>
  (app) => {
    for (const schema of [OutcomeOut, MissedOut, StatsOut]) app.addSchema(schema);

    app.get(
      '/v1/outcomes',
      route('list_outcomes', 'List the outcomes of your tasks, newest first', {
        querystring: Type.Object({
          outcome: Type.Optional(Type.String({ pattern: '^(done|skipped)$' })),
          limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, default: 100 })),
          since: Type.Optional(
            Type.String({ format: 'date-time', description: 'Only those recorded at this instant or later.' }),
          ),
        }),
        data: Type.Array(named(OutcomeOut)),
      }),
      async (request) => {
        const { outcome, limit = 100, since } = request.query;
        const outcomes = await statistics.listOutcomes(callerOf(request), { outcome, limit, since });
        chargeRows(request, outcomes.length);
        return ok(outcomes);
      },
    );

    app.get(
      '/v1/outcomes/missed',
      route('list_missed', 'List the occurrences that passed while an earlier one was open, newest first', {
        querystring: Type.Object({
          limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, default: 100 })),
          since: Type.Optional(
            Type.String({ format: 'date-time', description: 'Only those recorded at this instant or later.' }),
          ),
        }),
        data: Type.Array(named(MissedOut)),
      }),
      async (request) => {
        const { limit = 100, since } = request.query;
        const missed = await statistics.listMissed(callerOf(request), since, limit);
        chargeRows(request, missed.length);
        return ok(missed as Static<typeof MissedOut>[]);
      },
    );

    app.get(
      '/v1/stats',
      route('read_statistics', 'Read the statistics of your tasks', { data: named(StatsOut) }),
      async (request) => {
        const counted = await statistics.getStatistics(callerOf(request));
        chargeRows(request, 1 + (counted.overdue + counted.snoozed) / COUNTED_PER_ROW);
        return ok(counted);
      },
    );
  };
