import { component, Type } from '../lib/schema.ts';

export const DeliveryAck = component(
  'DeliveryAck',
  Type.Object({ task_id: Type.String({ format: 'uuid' }), stage: Type.Integer({ minimum: -1, maximum: 2 }) }),
);

export const DeliveryAckOut = component('DeliveryAckOut', Type.Object({ acked: Type.Boolean() }));
