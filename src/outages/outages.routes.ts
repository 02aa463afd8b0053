import type { Routes } from '../http/app.ts';
import { callerOf } from '../http/authentication.ts';
import { describeRoutes } from '../http/describe-route.ts';
import { ok } from '../http/envelope.ts';
import { named, Type } from '../lib/schema.ts';
import { OutageOut } from './outages.schemas.ts';
import type { OutagesService } from './outages.service.ts';

const route = describeRoutes('account');

export const outageRoutes =
  (outages: OutagesService): Routes =>
  (app) => {
    app.addSchema(OutageOut);
    app.get(
      '/v1/me/outages',
      route('list_outages', 'List when the service was away lately, and which of your nudges were late', {
        description: 'Of the last 7 days, without those that you dismissed; at most 10, the newest first.',
        data: Type.Array(named(OutageOut)),
      }),
      async (request) => ok(await outages.list(callerOf(request))),
    );
    app.delete(
      '/v1/me/outages/:outage_id',
      route('dismiss_outage', 'Do not show this outage again', {
        params: Type.Object({ outage_id: Type.String({ format: 'uuid' }) }),
        data: Type.Object({ dismissed: Type.Boolean() }),
        refuses: ['not_found'],
      }),
      async (request) => {
        await outages.dismiss(callerOf(request), request.params.outage_id);
        return ok({ dismissed: true });
      },
    );
  };
