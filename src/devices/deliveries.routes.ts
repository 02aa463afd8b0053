import { type TSchema, Type } from 'typebox';
import type { Routes } from '../http/app.ts';
import { sessionOf } from '../http/authentication.ts';
import { envelopeOf, ok } from '../http/envelope.ts';
import { named } from '../lib/schema.ts';
import type { ActivitiesService } from './activities.service.ts';
import type { DeliveriesService } from './deliveries.service.ts';
import { DeliveryAck, DeliveryAckOut, LaActivityToken, TestPushOut, VapidKeyOut } from './devices.schemas.ts';
import type { TestPushService } from './test-push.service.ts';

interface DeliveryParts<T extends { id: string; owner_id: string; status: string }> {
  readonly deliveries: DeliveriesService;
  readonly testPush: TestPushService;
  readonly activities: ActivitiesService<T>;
  /** How a task is shown; the tasks' own business. */
  readonly taskSchema: TSchema;
  /** What a browser subscribes with; null where there is no Web Push. */
  readonly vapidPublicKey: string | null;
}

const tags = ['devices'];

export const deliveryRoutes =
  <T extends { id: string; owner_id: string; status: string }>(parts: DeliveryParts<T>): Routes =>
  (app) => {
    for (const schema of [DeliveryAck, DeliveryAckOut, LaActivityToken, TestPushOut, VapidKeyOut])
      app.addSchema(schema);
    app.post(
      '/v1/deliveries/ack',
      {
        schema: {
          ...{ operationId: 'acknowledge_nudge', tags, summary: 'Say that a nudge was seen' },
          body: named(DeliveryAck),
          response: { 200: envelopeOf(named(DeliveryAckOut)) },
        },
      },
      async (request) => {
        const { task_id, stage } = request.body;
        return ok({ acked: await parts.deliveries.acknowledge(sessionOf(request), task_id, stage) });
      },
    );
    app.post(
      '/v1/devices/test-push',
      {
        schema: {
          ...{ operationId: 'test_push', tags, summary: 'Send a real push to each of your valid devices' },
          response: { 200: envelopeOf(named(TestPushOut)) },
        },
      },
      async (request) => {
        const devices = await parts.testPush.send(sessionOf(request));
        return ok({ sent: devices.filter(({ status }) => status === 'sent').length, devices });
      },
    );
    app.get(
      '/v1/devices/vapid-key',
      {
        schema: {
          ...{ operationId: 'read_vapid_key', tags, summary: 'Tell the key that a browser subscribes with' },
          response: { 200: envelopeOf(named(VapidKeyOut)) },
        },
      },
      async () => ok({ public_key: parts.vapidPublicKey }),
    );
    app.post(
      '/v1/tasks/:task_id/la-token',
      {
        config: { refuses: ['not_allowed'] },
        schema: {
          ...{ operationId: 'report_activity', tags, summary: "Report the token of a task's running Live Activity" },
          params: Type.Object({ task_id: Type.String({ format: 'uuid' }) }),
          body: named(LaActivityToken),
          response: { 200: envelopeOf(parts.taskSchema) },
        },
      },
      async (request) => {
        const { task_id } = request.params;
        return ok(await parts.activities.report(sessionOf(request), task_id, request.body.la_update_token));
      },
    );
  };
