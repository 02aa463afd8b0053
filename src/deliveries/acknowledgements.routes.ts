import type { Routes } from '../http/app.ts';
import { sessionOf } from '../http/authentication.ts';
import { describeRoutes } from '../http/describe-route.ts';
import { ok } from '../http/envelope.ts';
import { named } from '../lib/schema.ts';
import { DeliveryAck, DeliveryAckOut } from './acknowledgements.schemas.ts';
import type { AcknowledgementsService } from './acknowledgements.service.ts';

const route = describeRoutes('devices');

export const acknowledgementRoutes =
  (acknowledgements: AcknowledgementsService): Routes =>
  (app) => {
    for (const schema of [DeliveryAck, DeliveryAckOut]) app.addSchema(schema);
    app.post(
      '/v1/deliveries/ack',
      route('acknowledge_nudge', 'Acknowledge a nudge that the user saw', {
        body: named(DeliveryAck),
        data: named(DeliveryAckOut),
      }),
      async (request) => {
        const { task_id, stage } = request.body;
        return ok({ acked: await acknowledgements.acknowledge(sessionOf(request), task_id, stage) });
      },
    );
  };
