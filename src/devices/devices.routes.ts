import { Type } from 'typebox';
import type { App, Routes } from '../http/app.ts';
import { sessionOf } from '../http/authentication.ts';
import { envelopeOf, ok } from '../http/envelope.ts';
import { named } from '../lib/schema.ts';
import { DeviceDetailOut, DeviceOut, DevicePing, DeviceRegister, LaPushToken } from './devices.schemas.ts';
import type { DevicesService } from './devices.service.ts';

const tags = ['devices'];
const out = { 200: envelopeOf(named(DeviceOut)) };

export const deviceRoutes =
  (devices: DevicesService): Routes =>
  (app) => {
    for (const schema of [DeviceRegister, DevicePing, LaPushToken, DeviceOut, DeviceDetailOut]) app.addSchema(schema);
    addRegistration(app, devices);
    addListing(app, devices);
  };

function addRegistration(app: App, devices: DevicesService): void {
  app.post(
    '/v1/devices',
    {
      config: { refuses: ['too_many_devices'] },
      schema: {
        ...{ operationId: 'register_device', tags, summary: 'Register a device for nudges, or make it valid again' },
        body: named(DeviceRegister),
        response: out,
      },
    },
    async (request) => {
      const { platform = 'ios', push_env = 'sandbox', ...tokens } = request.body;
      return ok(await devices.register(sessionOf(request), { platform, push_env, ...tokens }));
    },
  );
  app.post(
    '/v1/devices/la-token',
    {
      config: { refuses: ['too_many_devices'] },
      schema: {
        ...{ operationId: 'keep_start_token', tags, summary: 'Keep the token that starts a Live Activity on a device' },
        body: named(LaPushToken),
        response: out,
      },
    },
    async (request) => {
      const { ios_push_token, la_push_token } = request.body;
      return ok(await devices.keepStartToken(sessionOf(request), ios_push_token, la_push_token));
    },
  );
  app.post(
    '/v1/devices/ping',
    {
      schema: {
        ...{ operationId: 'ping_device', tags, summary: 'Say that the app is in the foreground' },
        body: named(DevicePing),
        response: { 200: envelopeOf(Type.Union([named(DeviceOut), Type.Null()])) },
      },
    },
    async (request) => ok(await devices.ping(sessionOf(request), request.body.ios_push_token)),
  );
}

function addListing(app: App, devices: DevicesService): void {
  app.get(
    '/v1/devices',
    {
      schema: {
        ...{ operationId: 'list_devices', tags, summary: 'List your devices, newest first' },
        response: { 200: envelopeOf(Type.Array(named(DeviceDetailOut))) },
      },
    },
    async (request) => ok(await devices.list(sessionOf(request))),
  );
  app.delete(
    '/v1/devices/:device_id',
    {
      schema: {
        ...{ operationId: 'remove_device', tags, summary: 'Remove a device' },
        params: Type.Object({ device_id: Type.String({ format: 'uuid' }) }),
        response: { 200: envelopeOf(Type.Object({ removed: Type.Boolean() })) },
      },
    },
    async (request) => {
      await devices.remove(sessionOf(request), request.params.device_id);
      return ok({ removed: true });
    },
  );
}
