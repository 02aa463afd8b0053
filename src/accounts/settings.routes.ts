import type { Routes } from '../http/app.ts';
import { callerOf, sessionOf } from '../http/authentication.ts';
import { describeRoutes } from '../http/describe-route.ts';
import { ok } from '../http/envelope.ts';
import { named, Type } from '../lib/schema.ts';
import {
  PauseRequest,
  PlannedPauseOut,
  PlannedPauseRequest,
  TimeZoneRequest,
  UserSettingsOut,
  UserSettingsUpdate,
} from './settings.schemas.ts';
import type { SettingsService } from './settings.service.ts';

const route = describeRoutes('account');
const response = named(UserSettingsOut);

export const settingsRoutes =
  (settings: SettingsService): Routes =>
  (app) => {
    for (const schema of [
      UserSettingsOut,
      UserSettingsUpdate,
      PauseRequest,
      PlannedPauseOut,
      PlannedPauseRequest,
      TimeZoneRequest,
    ]) {
      app.addSchema(schema);
    }

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

    app.put(
      '/v1/me/timezone',
      route('set_timezone', 'Change your time zone alone, as an access token may', {
        body: named(TimeZoneRequest),
        data: named(TimeZoneRequest),
      }),
      async (request) => {
        const { timezone } = await settings.update(callerOf(request), { timezone: request.body.timezone });
        return ok({ timezone });
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

    app.get(
      '/v1/me/pause/planned',
      route('read_planned_pause', 'Read the pause that is planned', { data: named(PlannedPauseOut) }),
      async (request) => ok({ planned_pause: await settings.getPlannedPause(callerOf(request)) }),
    );

    app.put(
      '/v1/me/pause/planned',
      route('plan_pause', 'Plan a pause that begins later, or replace the planned one', {
        body: named(PlannedPauseRequest),
        data: named(PlannedPauseOut),
      }),
      async (request) => {
        const { from, until, keep_must_not_miss: keepMustNotMiss = true } = request.body;
        return ok({ planned_pause: await settings.planPause(callerOf(request), { from, until, keepMustNotMiss }) });
      },
    );

    app.delete(
      '/v1/me/pause/planned',
      route('cancel_planned_pause', 'Cancel the planned pause; a pause that has begun goes on', {
        data: named(PlannedPauseOut),
      }),
      async (request) => {
        await settings.cancelPlannedPause(callerOf(request));
        return ok({ planned_pause: null });
      },
    );
  };
