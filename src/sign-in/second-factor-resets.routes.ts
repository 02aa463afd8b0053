/** For the owner of an account whose second factor an administrator has asked to turn off. */
import type { Routes } from '../http/app.ts';
import { sessionOf } from '../http/authentication.ts';
import { describeRoutes } from '../http/describe-route.ts';
import { ok } from '../http/envelope.ts';
import { instantOut, nullable, Type } from '../lib/schema.ts';
import type { SecondFactorResets } from './second-factor-resets.service.ts';

const route = describeRoutes('second factor');

const Reset = Type.Object({
  requested_at: instantOut,
  due_at: Type.Unsafe<Date>({ ...instantOut, description: 'When the second factor is turned off.' }),
});

export const secondFactorResetRoutes =
  (resets: SecondFactorResets): Routes =>
  (app) => {
    app.get(
      '/v1/me/second-factor-reset',
      route('find_second_factor_reset', 'Read whether an administrator has asked to turn off your second factor', {
        data: Type.Object({ reset: nullable(Reset) }),
      }),
      async (request) => ok({ reset: (await resets.find(sessionOf(request).userId)) ?? null }),
    );
    app.delete(
      '/v1/me/second-factor-reset',
      route('stop_second_factor_reset', 'Keep your second factor, although an administrator has asked to turn it off', {
        data: Type.Object({ stopped: Type.Boolean({ description: 'False if there was nothing to stop.' }) }),
      }),
      async (request) => ok({ stopped: await resets.stop(sessionOf(request).userId, 'owner', request.ip) }),
    );
  };
