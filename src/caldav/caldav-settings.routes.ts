import type { Routes } from '../http/app.ts';
import { sessionOf } from '../http/authentication.ts';
import { baseUrlOfRequest } from '../http/base-url.ts';
import { describeRoutes } from '../http/describe-route.ts';
import { ok } from '../http/envelope.ts';
import { component, named, nullable, Type } from '../lib/schema.ts';
import type { CaldavSettingsService } from './caldav-settings.service.ts';
import { ROOT } from './paths.ts';

const route = describeRoutes('caldav');

const chosen = {
  high_is_must_not_miss: Type.Boolean({
    description: 'Whether a task that an app gives a high priority breaks quiet hours and goes on until it is done.',
  }),
  alarm_minutes: nullable(
    Type.Integer({
      minimum: 0,
      maximum: 1_440,
      description: 'How long after the due moment the app rings by itself, if the service cannot; null for not at all.',
    }),
  ),
};

const CaldavSettings = component('CaldavSettings', Type.Object(chosen));
const CaldavAccount = component(
  'CaldavAccount',
  Type.Object({
    url: Type.String({ description: 'The address to enter in an app.' }),
    user_name: Type.String({ description: 'The password is an access token with `tasks:read` and `tasks:write`.' }),
    ...chosen,
  }),
);

export const caldavSettingsRoutes =
  (settings: CaldavSettingsService, baseUrl: string | undefined): Routes =>
  (app) => {
    for (const schema of [CaldavSettings, CaldavAccount]) app.addSchema(schema);
    app.get(
      '/v1/caldav',
      route('read_caldav', 'Read how apps connect by CalDAV, and what you chose for them', {
        data: named(CaldavAccount),
      }),
      async (request) => {
        const url = `${baseUrlOfRequest(request, baseUrl)}${ROOT}`;
        return ok({ url, ...(await settings.get(sessionOf(request))) });
      },
    );
    app.put(
      '/v1/caldav',
      route('set_caldav', 'Choose what apps that connect by CalDAV get and mean', {
        body: named(CaldavSettings),
        data: named(CaldavSettings),
      }),
      async (request) => {
        await settings.set(sessionOf(request), request.body);
        return ok(request.body);
      },
    );
  };
