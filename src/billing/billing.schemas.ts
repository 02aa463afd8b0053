import { BODY_LIMIT_BYTES } from '../http/body.ts';
import { component, MAX_BYTES, Type } from '../lib/schema.ts';

/** Only the required fields of an event; the provider documents the others. */
export const BillingWebhook = component(
  'BillingWebhook',
  Type.Object(
    {
      event: Type.Object({
        id: Type.String({
          minLength: 1,
          maxLength: 255,
          description: 'The id of the event. It stays the same when the provider sends the event again.',
        }),
        type: Type.String({ minLength: 1, maxLength: 255, examples: ['INITIAL_PURCHASE'] }),
      }),
    },
    {
      description: 'An event in the format of RevenueCat. All other fields are stored unchanged.',
      [MAX_BYTES]: BODY_LIMIT_BYTES,
    },
  ),
);

export const BillingReceipt = Type.Object({
  event_id: Type.String(),
  result: Type.Unsafe<'applied' | 'recorded' | 'repeated'>({
    ...Type.String({ enum: ['applied', 'recorded', 'repeated'] }),
    description:
      '`applied` to an account, `recorded` if no account is known for the event, `repeated` if it was stored before.',
  }),
});
