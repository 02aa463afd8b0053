/** Sends a test as strong as a rung, so that a person hears what they choose. */
import type { Routes } from '../http/app.ts';
import { sessionOf } from '../http/authentication.ts';
import { describeRoutes } from '../http/describe-route.ts';
import { ok } from '../http/envelope.ts';
import type { SessionCaller } from '../lib/caller.ts';
import { component, named, nullable, Type } from '../lib/schema.ts';

const route = describeRoutes('ladders');

const RungTestRequest = component(
  'RungTestRequest',
  Type.Object({ stage: Type.Integer({ minimum: -1, maximum: 2, description: '-1 for a heads-up, then 0, 1 and 2.' }) }),
);

const result = {
  status: Type.String({ description: '`sent`, `failed_transient` or `failed_permanent`.' }),
  reason: nullable(Type.String()),
};

const RungTestOut = component(
  'RungTestOut',
  Type.Object({
    sent: Type.Integer({ description: 'How many devices and channels took it.' }),
    devices: Type.Array(
      Type.Object({ device_id: Type.String({ format: 'uuid' }), platform: Type.String(), ...result }),
    ),
    channels: Type.Array(
      Type.Object({
        channel_id: Type.String({ format: 'uuid' }),
        provider: Type.String(),
        ...result,
        problem: nullable(Type.String({ description: 'The reason as a sentence.' })),
      }),
      { description: 'The channels that a nudge of this stage would use.' },
    ),
  }),
);

interface Result {
  readonly status: string;
  readonly reason: string | null;
}

/** The folders `devices` and `channels` send. */
export interface RungTests {
  toDevices(caller: SessionCaller, stage: number): Promise<(Result & { device_id: string; platform: string })[]>;
  toChannels(
    caller: SessionCaller,
    stage: number,
  ): Promise<(Result & { channel_id: string; provider: string; problem: string | null })[]>;
}

export const rungTestRoutes =
  (tests: RungTests): Routes =>
  (app) => {
    for (const schema of [RungTestRequest, RungTestOut]) app.addSchema(schema);
    app.post(
      '/v1/ladders/test',
      route('test_rung', 'Send a test as strong as a rung to your devices and channels', {
        body: named(RungTestRequest),
        data: named(RungTestOut),
        refuses: ['too_many_requests'],
      }),
      async (request) => {
        const { stage } = request.body;
        const devices = await tests.toDevices(sessionOf(request), stage);
        const channels = await tests.toChannels(sessionOf(request), stage);
        const sent = [...devices, ...channels].filter(({ status }) => status === 'sent').length;
        return ok({ sent, devices, channels });
      },
    );
  };
