import type { Routes } from '../http/app.ts';
import { callerOf, sessionOf } from '../http/authentication.ts';
import { describeRoutes } from '../http/describe-route.ts';
import { ok } from '../http/envelope.ts';
import { named, Type } from '../lib/schema.ts';
import { PauseRequest, UserSettingsOut, UserSettingsUpdate } from './settings.schemas.ts';
import type { SettingsService } from './settings.service.ts';

const route = describeRoutes('account');
const response = named(UserSettingsOut);

export const settingsRoutes =
  (settings: SettingsService): Routes =>
  (app) => {
    for (const schema of [UserSettingsOut, UserSettingsUpdate, PauseRequest]) app.addSchema(schema);

    app.get('/v1/me', route('read_settings', 'Read your settings', { data: response }), async (request) =>
      ok(await settings.get(callerOf(request))),
    );

    app.patch(
      '/v1/me',
      route('update_settings', 'Change your settings; omitted fields keep their values', {
        body: named(UserSettingsUpdate),
        data: response,
      }),
      async (request) => ok(await settings.update(callerOf(request), request.body)),
    );

    app.delete(
      '/v1/me',
      route('delete_account', 'Delete your account and all of its data', {
        data: Type.Object({ deleted: Type.Boolean() }),
      }),
      async (request) => {
        await settings.delete(sessionOf(request), request.ip);
        return ok({ deleted: true });
      },
    );

    app.post(
      '/v1/me/pause',
      route('pause', 'Pause reminders until an instant, or change the end of the current pause', {
        body: named(PauseRequest),
        data: response,
      }),
      async (request) => {
        const { until, keep_must_not_miss = true } = request.body;
        return ok(await settings.pause(callerOf(request), until, keep_must_not_miss));
      },
    );

    app.delete('/v1/me/pause', route('end_pause', 'End the current pause now', { data: response }), async (request) =>
      ok(await settings.endPause(callerOf(request))),
    );

    app.post(
      '/v1/me/pause/ack',
      route('acknowledge_pause', 'Dismiss the welcome-back card after a pause', { data: response }),
      async (request) => ok(await settings.acknowledgePause(callerOf(request))),
    );
  };
