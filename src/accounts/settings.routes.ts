import { Type } from 'typebox';
import type { Routes } from '../http/app.ts';
import { callerOf, sessionOf } from '../http/authentication.ts';
import { envelopeOf, ok } from '../http/envelope.ts';
import { named } from '../lib/schema.ts';
import { PauseRequest, UserSettingsOut, UserSettingsUpdate } from './settings.schemas.ts';
import type { SettingsService } from './settings.service.ts';

const tags = ['account'];
const response = { 200: envelopeOf(named(UserSettingsOut)) };

export const settingsRoutes =
  (settings: SettingsService): Routes =>
  (app) => {
    for (const schema of [UserSettingsOut, UserSettingsUpdate, PauseRequest]) app.addSchema(schema);

    app.get(
      '/v1/me',
      { schema: { operationId: 'read_settings', tags, summary: 'Read your settings', response } },
      async (request) => ok(await settings.get(callerOf(request))),
    );

    app.patch(
      '/v1/me',
      {
        schema: {
          ...{ operationId: 'update_settings', tags, summary: 'Change your settings; what is left out stays' },
          body: named(UserSettingsUpdate),
          response,
        },
      },
      async (request) => ok(await settings.update(callerOf(request), request.body)),
    );

    app.delete(
      '/v1/me',
      {
        schema: {
          ...{ operationId: 'delete_account', tags, summary: 'Delete your account and all of its data' },
          response: { 200: envelopeOf(Type.Object({ deleted: Type.Boolean() })) },
        },
      },
      async (request) => {
        await settings.delete(sessionOf(request), request.ip);
        return ok({ deleted: true });
      },
    );

    app.post(
      '/v1/me/pause',
      {
        schema: {
          ...{ operationId: 'pause', tags, summary: 'Pause all reminders, or move the end of the pause' },
          body: named(PauseRequest),
          response,
        },
      },
      async (request) => {
        const { until, keep_must_not_miss = true } = request.body;
        return ok(await settings.pause(callerOf(request), until, keep_must_not_miss));
      },
    );

    app.delete(
      '/v1/me/pause',
      { schema: { operationId: 'end_pause', tags, summary: 'End the pause now', response } },
      async (request) => ok(await settings.endPause(callerOf(request))),
    );

    app.post(
      '/v1/me/pause/ack',
      { schema: { operationId: 'acknowledge_pause', tags, summary: 'Put the welcome-back card away', response } },
      async (request) => ok(await settings.acknowledgePause(callerOf(request))),
    );
  };
