import type { App, Routes } from '../http/app.ts';
import { sessionOf } from '../http/authentication.ts';
import { describeRoutes } from '../http/describe-route.ts';
import { ok } from '../http/envelope.ts';
import { clientName } from '../lib/client-name.ts';
import { named, Type } from '../lib/schema.ts';
import { DeviceDetailOut, DeviceOut, DevicePing, DeviceRegister, LaPushToken } from './devices.schemas.ts';
import type { DevicesService } from './devices.service.ts';

const route = describeRoutes('devices');
const out = named(DeviceOut);

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
    route('register_device', 'Register a device for nudges, or make it valid again', {
      body: named(DeviceRegister),
      data: out,
    }),
    async (request) => {
      const { platform = 'ios', push_env = 'sandbox', ...tokens } = request.body;
      const name = clientName(request.headers['user-agent']);
      return ok(await devices.register(sessionOf(request), { platform, push_env, ...tokens }, name));
    },
  );
  app.post(
    '/v1/devices/la-token',
    route('keep_start_token', 'Store the token that starts Live Activities on a device', {
      body: named(LaPushToken),
      data: out,
    }),
    async (request) => {
      const { ios_push_token, la_push_token } = request.body;
      return ok(await devices.saveStartToken(sessionOf(request), ios_push_token, la_push_token));
    },
  );
  app.post(
    '/v1/devices/ping',
    route('ping_device', 'Record that the app is in the foreground on a device', {
      body: named(DevicePing),
      data: Type.Union([named(DeviceOut), Type.Null()]),
    }),
    async (request) => ok(await devices.ping(sessionOf(request), request.body.ios_push_token)),
  );
}

function addListing(app: App, devices: DevicesService): void {
  app.get(
    '/v1/devices',
    route('list_devices', 'List your devices, newest first', { data: Type.Array(named(DeviceDetailOut)) }),
    async (request) => {
      const listed = await devices.list(sessionOf(request));
      return ok(listed.map(({ client_name, ...device }) => ({ ...device, name: client_name })));
    },
  );
  app.delete(
    '/v1/devices/:device_id',
    route('remove_device', 'Remove a device', {
      params: Type.Object({ device_id: Type.String({ format: 'uuid' }) }),
      data: Type.Object({ removed: Type.Boolean() }),
    }),
    async (request) => {
      await devices.remove(sessionOf(request), request.params.device_id);
      return ok({ removed: true });
    },
  );
}
